/**
 * The tables that were there before declarations, as they lie in files of a former release. Those
 * that no slice has declared yet stand here, as their slices are to declare them.
 */
import {
  apiKeyTable as apiKeys,
  consumedApprovalTable as consumedApprovals,
  personTable as persons,
  tenantTable as tenants,
} from '#core/identity';
import { type AnyTable, table } from '#core/kernel';
import {
  batchTable as batches,
  chunkTable as chunks,
  reviewTable as reviews,
} from '#slices/batches';
import { type ListRun, scheduleAuditTable as scheduleAudits } from '#slices/ingestion';
import { sourceTable as sources, versionTable as versions } from '#slices/lists';
import { resolutionTable as resolutions } from '#slices/resolution';

export {
  apiKeys,
  batches,
  chunks,
  consumedApprovals,
  persons,
  resolutions,
  reviews,
  scheduleAudits,
  sources,
  tenants,
  versions,
};

const DAY_MS = 24 * 60 * 60 * 1_000;

export const runs = table<ListRun, 'runId'>('list_run', {
  chain: 'any',
  derived: { isOpen: { field: 'status', in: ['running'] } },
  indexes: {
    bySource: ['sourceId', 'startedAt'],
    bySourceAndStatus: ['sourceId', 'status', 'startedAt'],
    byStart: ['startedAt'],
    byStatus: ['status', 'startedAt'],
  },
  kept: { from: 'finishedAt', ms: 90 * DAY_MS },
  key: ['runId'],
  leased: { lane: [] },
  open: 'isOpen',
  personal: 'none',
  stored: { isFalseZero: true, sqliteGenerated: ['isOpen'] },
  work: ['stage', 'log', 'fetchedBytes'],
});

export const OLD_TABLES: readonly AnyTable[] = [
  tenants,
  apiKeys,
  persons,
  consumedApprovals,
  sources,
  versions,
  resolutions,
  runs,
  scheduleAudits,
  batches,
  chunks,
  reviews,
];
