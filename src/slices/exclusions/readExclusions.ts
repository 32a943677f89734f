/** Exclusions of a tenant, latest first; how often each was applied; whether rows are as signed. */
import { everyRecord, type PageCursor, type Tables, type TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import type { EpochMs } from '#platform/clock';
import { exclusionDigest, stateAt } from './exclusion.ts';
import type { ExclusionReads } from './ports.ts';
import {
  type ExclusionRecord,
  type ExclusionState,
  type ExclusionUse,
  exclusionTable,
  exclusionUseTable,
} from './tables.ts';

/** Which exclusions, and how many. */
export interface ExclusionsAsk {
  readonly tenantId: TenantId;
  readonly status?: ExclusionState;
  readonly ftmId?: string;
  readonly subjectRef?: string;
  /** Continues behind this one. */
  readonly after?: Pick<ExclusionRecord, 'createdAt' | 'exclusionId'>;
  readonly limit: number;
  /** Asked before each further step of the walk; false ends the page there. */
  readonly mayReadOn?: () => Promise<boolean>;
  readonly now: EpochMs;
}

/**
 * One page; it is short and has a `next` only where EXAMINED_MAX records were looked at, or it may
 * not read on.
 */
export interface ExclusionsPage {
  readonly exclusions: readonly ExclusionRecord[];
  readonly next?: Pick<ExclusionRecord, 'createdAt' | 'exclusionId'>;
}

const EXAMINED_MAX = 2_000;
const STEP_RECORDS = 200;

/** Latest first. */
export async function readExclusions(
  { tables }: { readonly tables: Pick<Tables, 'page'> },
  { after, ftmId, limit, mayReadOn, now, status, subjectRef, tenantId }: ExclusionsAsk,
): Promise<ExclusionsPage> {
  const isAsked = (one: ExclusionRecord): boolean =>
    (status === undefined || stateAt(one, now) === status) &&
    (ftmId === undefined || one.ftmId === ftmId) &&
    (subjectRef === undefined || one.subjectRef === subjectRef);
  const found: ExclusionRecord[] = [];
  let place: PageCursor | undefined = after && [after.createdAt, tenantId, after.exclusionId];
  for (let examined = 0; ; ) {
    const page = await tables.page(exclusionTable, {
      direction: 'descending',
      equal: { tenantId, ...(ftmId !== undefined && { ftmId }) },
      index: ftmId === undefined ? 'newest' : 'byEntity',
      limit: STEP_RECORDS,
      ...(place !== undefined && { after: place }),
    });
    found.push(...page.records.filter(isAsked));
    const exclusions = found.slice(0, limit);
    const last = found.length > limit ? exclusions.at(-1) : page.records.at(-1);
    if (found.length > limit) return { exclusions, ...(last && { next: last }) };
    if (page.next === undefined) return { exclusions };
    examined += page.records.length;
    const isOver = examined >= EXAMINED_MAX || (await mayReadOn?.()) === false;
    if (isOver) return { exclusions, ...(last && { next: last }) };
    place = page.next;
  }
}

/** How often each was applied, by id. */
export async function usesOf(
  { tables }: { readonly tables: Pick<Tables, 'findMany'> },
  exclusions: readonly Pick<ExclusionRecord, 'exclusionId' | 'tenantId'>[],
): Promise<ReadonlyMap<string, ExclusionUse>> {
  if (exclusions.length === 0) return new Map();
  const keys = exclusions.map(({ exclusionId, tenantId }) => ({ exclusionId, tenantId }));
  const found = await tables.findMany(exclusionUseTable, keys);
  return new Map(found.map((use) => [use.exclusionId, use]));
}

/** Counts the exclusions that a screening has applied; an event that comes twice counts once. */
export async function onScreened(
  { tables }: { readonly tables: Pick<Tables, 'findMany' | 'saveWork'> },
  { createdAt, id, partition, payload }: OutboxEvent,
): Promise<void> {
  const tenantId = partition as TenantId;
  const applied = [...new Set((payload.suppressed ?? []) as readonly string[])];
  if (applied.length === 0) return;
  const keys = applied.map((exclusionId) => ({ exclusionId, tenantId }));
  // Rows were made with their exclusions; one subscriber at a time counts.
  for (const use of await tables.findMany(exclusionUseTable, keys)) {
    if (use.lastEvent === id) continue;
    const { exclusionId } = use;
    const work = { count: use.count + 1, lastAppliedAt: createdAt, lastEvent: id };
    await tables.saveWork(exclusionUseTable, { key: { exclusionId, tenantId }, work });
  }
}

/** What is wrong with the exclusions of a tenant, in words; how many there are. */
export async function checkExclusions(
  { signed, tables }: ExclusionReads,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const { bad, digests } = await signed.of(tenantId);
  const missing = new Map(digests);
  const refusals: string[] = [...bad];
  let count = 0;
  const walk = { equal: { tenantId }, index: 'newest' };
  for await (const record of everyRecord(tables, exclusionTable, walk)) {
    const { exclusionId } = record;
    if (missing.get(exclusionId) !== exclusionDigest(record)) {
      refusals.push(`exclusion ${exclusionId}: it is not what its last entry made it`);
    }
    missing.delete(exclusionId);
    count += 1;
  }
  const gone = [...missing.keys()].map((id) => `exclusion ${id}: its record is gone`);
  return { count, refusals: [...refusals, ...gone] };
}
