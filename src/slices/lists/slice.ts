/** Versions of lists, their bundles and blobs: what ingestion writes and all others read. */
import { slice } from '../slice.ts';
import { entryThread } from './asks.ts';
import { problems } from './problems.ts';
import { sourceTable, versionTable } from './tables.ts';

export const lists = slice('lists', {
  jobs: () => import('./edge/jobs.ts'),
  needs: { entryThread },
  problems,
  tables: { source: sourceTable, version: versionTable },
});
