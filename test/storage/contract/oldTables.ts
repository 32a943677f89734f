/**
 * The tables that were there before declarations, as they lie in files of a former release: what
 * their slices are to declare. `stored` holds all that deviates from a new table's layout.
 */
import type { ApiKey, Person, Tenant } from '#core/identity';
import { type AnyTable, type TableSpec, table } from '#core/kernel';
import {
  batchTable as batches,
  chunkTable as chunks,
  reviewTable as reviews,
} from '#slices/batches';
import type { ListRun, ScheduleAudit } from '#slices/ingestion';
import type { ListSource, ListVersion } from '#slices/lists';
import type { ResolutionPointer } from '#slices/resolution';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Publications and resolutions move one number. */
const publications: NonNullable<TableSpec<object>['stored']> = {
  stamp: {
    mongo: 'publications',
    sqlite: { column: 'publications', table: 'publication_counter' },
  },
};

export const tenants = table<Tenant, 'id'>('tenant', {
  chain: 'any',
  key: ['id'],
  personal: 'none',
});

export const apiKeys = table<ApiKey, 'id'>('api_key', {
  chain: 'any',
  indexes: { byTenant: ['tenantId'] },
  key: ['id'],
  owner: 'tenantId',
  personal: 'none',
  touch: 'lastUsedAt',
  unique: { hash: ['hash'] },
});

export const persons = table<Person, 'tenantId' | 'id'>('person', {
  chain: 'any',
  key: ['tenantId', 'id'],
  personal: { name: { purpose: 'dual control' } },
  stored: { mongoKey: 'slashed' },
});

/** Nothing beside its columns. */
export interface ConsumedApproval {
  readonly tenantId: string;
  readonly digest: string;
  readonly expiresAt: number;
}
export const consumedApprovals = table<ConsumedApproval, 'tenantId' | 'digest'>(
  'approval_consumed',
  {
    chain: 'any',
    kept: { from: 'expiresAt', ms: 0 },
    key: ['tenantId', 'digest'],
    personal: 'none',
    stored: { isBare: true, mongoKey: 'slashed' },
    writes: 'appendOnly',
  },
);

export const sources = table<ListSource, 'sourceId'>('list_source', {
  chain: 'any',
  key: ['sourceId'],
  personal: 'none',
  stamp: { fields: ['active'], name: 'publications' },
  stored: publications,
});

export const versions = table<ListVersion, 'sourceId' | 'listVersion'>('list_version', {
  chain: 'any',
  indexes: { byDigest: ['sourceId', 'listDigest', 'contentDigest'], placed: ['sourceId'] },
  isPlaced: true,
  key: ['sourceId', 'listVersion'],
  personal: 'none',
  stored: { mongoKey: 'slashed', place: { mongo: 'no', sqlite: 'id' } },
  writes: 'appendOnly',
});

export const resolutions = table<ResolutionPointer, 'version'>('list_resolution', {
  chain: 'any',
  key: ['version'],
  personal: 'none',
  stamp: { fields: [], name: 'publications' },
  stored: publications,
  writes: 'appendOnly',
});

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

export const scheduleAudits = table<ScheduleAudit, 'sourceId' | 'seq'>('schedule_audit', {
  chain: 'any',
  key: ['sourceId', 'seq'],
  personal: 'none',
  stored: { mongoKey: 'slashed' },
  writes: 'appendOnly',
});

export { batches, chunks, reviews };

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
