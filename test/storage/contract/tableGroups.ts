/** Tables in groups: rows of several commits, bounds, and what another process finds. */
import { describe, expect, test } from 'vitest';
import { CHANGES_MAX, LEASE_ROWS_MAX, PAGE_RECORDS_MAX } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { sampleKey, sampleRecord, type TableCase } from './sampleRecord.ts';
import { JOBS, LINES, NOTES } from './syntheticTables.ts';
import type { TablesHarness, Twins } from './twins.ts';

export function tableGroupsContract(twins: () => Twins): void {
  describe('groups', () => {
    test('rows of several commits are written in one group', async () => {
      const sample = twins().sample();
      const rows = Array.from({ length: 9 }, (_, n) =>
        LINES.table.append(sampleRecord(LINES, n, sample)),
      );
      expect(await twins().commit(sample.tenant, rows, 3)).toBe('appended');
      expect(await twins().commit(sample.tenant, rows.slice(5), 2)).toBe('appended');
      const equal = { tenantId: sample.tenant };
      const page = await twins().tables.page(LINES.table, { equal, index: 'key', limit: 20 });
      expect(page.records).toHaveLength(9);
    });

    test('a stale change takes its whole group with it', async () => {
      const sample = twins().sample();
      const insert = NOTES.table.insert(sampleRecord(NOTES, 1, sample));
      const row = LINES.table.append(sampleRecord(LINES, 1, sample));
      expect(await twins().commit(sample.tenant, [row, insert, insert], 3)).toBe(2);
      const keys = [sampleKey(LINES, 1, sample)];
      expect(await twins().tables.findMany(LINES.table, keys)).toEqual([]);
    });

    test('changes of many tables are one step, and stale by their place in it', async () => {
      const sample = twins().sample();
      const note = NOTES.table.insert(sampleRecord(NOTES, 1, sample));
      const job = JOBS.table.insert(sampleRecord(JOBS, 1, sample));
      const key = sampleKey(NOTES, 1, sample);
      const absent = NOTES.table.expect(key, { version: 2 });
      expect(await twins().commit(sample.tenant, [note, job, absent])).toBe(2);
      expect(await twins().tables.find(JOBS.table, sampleKey(JOBS, 1, sample))).toBeUndefined();
      expect(await twins().commit(sample.tenant, [note, job])).toBe('appended');
      expect(await twins().commit(sample.tenant, [absent, job])).toBe(0);
    });

    test('what is over a bound is refused', async () => {
      const { commit, sample, tables } = bound(twins());
      const rows = Array.from({ length: CHANGES_MAX + 1 }, (_, n) =>
        LINES.table.append(sampleRecord(LINES, n, sample)),
      );
      expect(await commit(rows)).toBe('refused');
      const keys = Array.from({ length: PAGE_RECORDS_MAX + 1 }, (_, n) =>
        sampleKey(LINES, n, sample),
      );
      await expect(tables.findMany(LINES.table, keys)).rejects.toThrow();
      const ask = { holder: 'one', lane: [sample.tenant], now: 0 as EpochMs };
      const lease = (limit: number) => tables.lease(JOBS.table, { ...ask, limit });
      await expect(lease(LEASE_ROWS_MAX + 1)).rejects.toThrow();
      await expect(lease(0)).rejects.toThrow();
    });
  });
}

function bound(twins: Twins) {
  const sample = twins.sample();
  const commit = (changes: Parameters<Twins['commit']>[1]) => twins.commit(sample.tenant, changes);
  return { commit, sample, tables: twins.tables };
}

/** Last of all: what every test before it has left. */
export function tablesReopenedContract(
  twins: () => Twins,
  harness: () => TablesHarness,
  cases: readonly TableCase[],
): void {
  test('another process finds every record as this one left it', async () => {
    const other = await harness().open();
    for (const { spec, table } of cases) {
      const ask = { index: 'key', limit: PAGE_RECORDS_MAX };
      const expected = await twins().model.tables.page(table, ask);
      const found = await other.tables.page(table, ask);
      expect(found.records).toStrictEqual(expected.records);
      if (spec.leased === undefined) continue;
      const held = await twins().model.tables.held(table, { limit: PAGE_RECORDS_MAX });
      expect(await other.tables.held(table, { limit: PAGE_RECORDS_MAX })).toStrictEqual(held);
    }
    await other.close();
  });
}
