/** What doctor says of the signed changes of schedules. */
import { expect, test } from 'vitest';
import type { SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  chainScheduleAudit,
  newSource,
  type ScheduleAudit,
  scheduleAuditTable,
} from '#slices/ingestion';
import { sourceTable } from '#slices/lists';
import { checks } from '../../../../src/slices/ingestion/edge/checks.ts';
import type { CliProcess } from '../../../../src/slices/processes.ts';
import { createModelTables } from '../../../storage/modelTables.ts';

const UN = 'UN_SC' as SourceId;

function changes(count: number): ScheduleAudit[] {
  const rows: ScheduleAudit[] = [];
  for (let number = 1; number <= count; number++) {
    const row = {
      approvalReason: 'asked for',
      approvalUserId: 'dora',
      auditId: `audit-${number}`,
      changedAt: number as EpochMs,
      changedBy: 'carl',
      field: 'enabled',
      newValue: String(number % 2 === 0),
      oldValue: String(number % 2 === 1),
      sourceId: UN,
    };
    rows.push(chainScheduleAudit(row, rows.at(-1)));
  }
  return rows;
}

async function checked(rows: readonly ScheduleAudit[]) {
  const { seed, tables } = createModelTables([scheduleAuditTable, sourceTable]);
  seed(sourceTable, { ...newSource(UN), version: 1 });
  for (const row of rows) seed(scheduleAuditTable, row);
  const look = checks.find(({ name }) => name === 'schedules');
  return look?.look({ storage: { tables } } as unknown as CliProcess);
}

test('changes that follow from each other are counted', async () => {
  expect(await checked(changes(8))).toBe('8 signed changes, each from the one before');
});

test('one that was edited, left out or put in shows with its place', async () => {
  const rows = changes(8);
  const edited = rows.map((row) => (row.seq === 5 ? { ...row, newValue: 'true' } : row));
  const cut = rows.filter(({ seq }) => seq !== 2);
  for (const [broken, seq] of [
    [edited, 5],
    [cut, 3],
  ] as const) {
    await expect(checked(broken)).rejects.toThrow(`change ${seq} of UN_SC does not follow`);
  }
});
