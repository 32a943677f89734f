/** What ends by time beside the evidence, and what must not end before it. */
import { expect, test } from 'vitest';
import { consumedApprovalTable, tenantTable } from '#core/identity';
import type { EpochMs } from '#platform/clock';
import { applyRetention } from '../../../../src/slices/audit/edge/jobs.ts';
import { TENANT } from '../../../api/fakes.ts';
import { createModelTables } from '../../../storage/modelTables.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 5, 1) as EpochMs;
const clock = { now: () => NOW };

test('idempotency records and approvals are kept a day, the outbox 30 days', async () => {
  const cut: number[] = [];
  const model = createModelTables([tenantTable, consumedApprovalTable]);
  const past = { digest: 'a', expiresAt: (NOW - 24 * HOUR_MS) as EpochMs, tenantId: TENANT };
  const kept = { digest: 'b', expiresAt: (NOW - 24 * HOUR_MS + 1) as EpochMs, tenantId: TENANT };
  model.seed(consumedApprovalTable, past, kept);
  const purge = async (before: EpochMs): Promise<number> => cut.push(NOW - before);
  const counts = await applyRetention({
    audit: { purgeIdempotency: purge },
    clock,
    declared: [tenantTable, consumedApprovalTable],
    outbox: { purge },
    tables: model.tables,
  });
  expect(cut).toEqual([25 * HOUR_MS, 30 * 24 * HOUR_MS]);
  expect(counts).toEqual({ idempotency: 1, outbox: 2, records: 1 });
  expect(model.records(consumedApprovalTable)).toEqual([kept]);
});

test('a store that fails fails the job, which comes again by schedule', async () => {
  const failing = () => Promise.reject(new Error('the store is gone'));
  const retention = applyRetention({
    audit: { purgeIdempotency: failing },
    clock,
    declared: [],
    outbox: { purge: failing },
    tables: createModelTables([]).tables,
  });
  await expect(retention).rejects.toThrow('the store is gone');
});
