/**
 * The schema's history, oldest first; `PRAGMA user_version` counts how many a file has seen.
 * Forward only: a published migration is never edited, and a mistake is mended by the next one.
 */
import { m0001Initial } from './m0001Initial.ts';
import { m0002Runs } from './m0002Runs.ts';
import { m0003Resolutions } from './m0003Resolutions.ts';
import { m0004Batches } from './m0004Batches.ts';
import { m0005ChunkTries } from './m0005ChunkTries.ts';
import { m0006OpenBatches } from './m0006OpenBatches.ts';
import { m0007Tables } from './m0007Tables.ts';
import { m0008Reactions } from './m0008Reactions.ts';
import { m0009AuditActions } from './m0009AuditActions.ts';
import { m0010BatchKinds } from './m0010BatchKinds.ts';
import { m0011AuditTargets } from './m0011AuditTargets.ts';
import { m0012AuditSearch } from './m0012AuditSearch.ts';

export const MIGRATIONS: readonly string[] = [
  m0001Initial,
  m0002Runs,
  m0003Resolutions,
  m0004Batches,
  m0005ChunkTries,
  m0006OpenBatches,
  m0007Tables,
  m0008Reactions,
  m0009AuditActions,
  m0010BatchKinds,
  m0011AuditTargets,
  m0012AuditSearch,
];
