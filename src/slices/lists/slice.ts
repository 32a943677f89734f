/** Versions of lists, their bundles and blobs: what ingestion writes and all others read. */
import { slice } from '../slice.ts';
import { problems } from './problems.ts';

export const lists = slice('lists', {
  jobs: () => import('./edge/jobs.ts'),
  problems,
});
