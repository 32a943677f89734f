/** What doctor says of the signed changes of schedules. */
import { expect, test } from 'vitest';
import { createAuditLog, entry, newKeyRing } from '#core/audit';
import { PLATFORM_CHAIN, type SourceId } from '#core/kernel';
import { type EpochMs, systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  chainScheduleAudit,
  newSource,
  type ScheduleAudit,
  scheduleAuditTable,
} from '#slices/ingestion';
import { sourceTable } from '#slices/lists';
import { checks } from '../../../../src/slices/ingestion/edge/checks.ts';
import type { CliProcess } from '../../../../src/slices/processes.ts';
import { seededSigner } from '../../../core/audit/drafts.ts';
import { MemoryAuditStore } from '../../../core/audit/memoryAuditStore.ts';
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

/** With an entry for each change that was made. */
async function checked(rows: readonly ScheduleAudit[], made = rows) {
  const { seed, tables } = createModelTables([scheduleAuditTable, sourceTable]);
  seed(sourceTable, { ...newSource(UN), version: 1 });
  for (const row of rows) seed(scheduleAuditTable, row);
  const store = new MemoryAuditStore();
  const signer = seededSigner('checks');
  const random = systemRandom;
  const log = createAuditLog({ clock: systemClock, holder: 'test', random, signer, store });
  for (const row of made) {
    const told = entry(
      { clock: systemClock, random },
      {
        action: 'SANCTIONS_SCHEDULE_CHANGED',
        actor: 'person:carl',
        members: {
          changes: [
            { chain_hash: row.chainHash, field: row.field, new_value: row.newValue, seq: row.seq },
          ],
        },
        target: UN,
      },
    );
    await log.commit(PLATFORM_CHAIN, { bus: [], changes: [], events: [told] });
  }
  await log.close();
  const look = checks.find(({ name }) => name === 'schedules');
  const keyRing = newKeyRing(signer.publicKey);
  return look?.look({ keyRing, storage: { audit: store, tables } } as unknown as CliProcess);
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
    await expect(checked(broken, rows)).rejects.toThrow(`change ${seq} of UN_SC is not what`);
  }
});

test('rows that were all written anew, cut at their end or added to show, too', async () => {
  const rows = changes(8);
  const anew = changes(8).map((row) => ({ ...row, auditId: 'other' }));
  const chained: ScheduleAudit[] = [];
  for (const { chainHash: _, seq: __, ...row } of anew) {
    chained.push(chainScheduleAudit(row, chained.at(-1)));
  }
  for (const [broken, seq] of [
    [chained, 8],
    [rows.slice(0, 7), 8],
    [changes(9), 9],
  ] as const) {
    await expect(checked(broken, rows)).rejects.toThrow(`change ${seq} of UN_SC is not what`);
  }
});
