/** What is wrong for single tenants, by the records that say so. */
import { expect, test } from 'vitest';
import { chainOf, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type Alert, alertTable } from '#slices/alerts';
import { tenantTroubles } from '#slices/vitals';
import { endpointTable } from '#slices/webhooks';
import { modelHouse } from '../../storage/modelHouse.ts';

const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
const NOW = Date.UTC(2026, 5, 15, 12) as EpochMs;
const DAY_MS = 24 * 3_600_000;
/** Older ones that have a month still. */
const OLDER = 60;

const alertOf = (seq: number, dueAt: number): Alert =>
  ({
    alertId: `a-${seq}`,
    deadline: 'running',
    dueAt,
    seq,
    severity: 'Low',
    source: 'UN_SC',
    status: 'open',
    subjectId: 's',
    tenantId: TENANT,
    version: 1,
  }) as unknown as Alert;

async function codesWith(last: Alert): Promise<readonly string[]> {
  const house = modelHouse([alertTable, endpointTable]);
  const older = Array.from({ length: OLDER }, (_, at) => alertOf(at + 1, NOW + 30 * DAY_MS));
  const inserts = [...older, last].map((alert) => alertTable.insert(alert));
  house.apply(chainOf(TENANT), inserts);
  const seen = await tenantTroubles({
    clock: { now: () => NOW },
    isLocked: async () => false,
    keysOf: async () => [],
    tables: house.tables,
    tenantIds: async () => [TENANT],
  } as never);
  return seen.map(({ code }) => code);
}

test('an alert that is due in hours is overdue behind many that have a month', async () => {
  expect(await codesWith(alertOf(OLDER + 1, NOW + 1))).toEqual([]);
  expect(await codesWith(alertOf(OLDER + 1, NOW))).toEqual(['REVIEW_OVERDUE']);
});
