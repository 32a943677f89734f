/** The tables that were there before declarations, as they lie in files of a former release. */
import {
  apiKeyTable as apiKeys,
  consumedApprovalTable as consumedApprovals,
  personTable as persons,
  tenantTable as tenants,
} from '#core/identity';
import type { AnyTable } from '#core/kernel';
import {
  batchTable as batches,
  chunkTable as chunks,
  reviewTable as reviews,
} from '#slices/batches';
import { runTable as runs, scheduleAuditTable as scheduleAudits } from '#slices/ingestion';
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
  runs,
  scheduleAudits,
  sources,
  tenants,
  versions,
};

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
