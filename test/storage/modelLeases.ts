/** Rows that workers take by turns, in the model: who may have one, and in what order. */
import assert from 'node:assert/strict';
import type { LeaseClaim, Leased, LeaseSpec, PlainTable, Scalar } from '#core/kernel';
import {
  compareTuples,
  fieldOf,
  isOpen,
  jsonOf,
  keyOf,
  ordered,
  type PlainRecord,
  type Row,
  valuesOf,
} from './modelRows.ts';

/** Lanes with rows that may be taken now, each once, in the order of their values. */
export function lanesOf(table: PlainTable, rows: Iterable<Row>, now: number) {
  const { lane } = leaseSpecOf(table);
  const free = [...rows].filter((row) => isFree(table, row, now));
  const lanes = ordered(free, ({ record }) => valuesOf(table, record, lane));
  return lanes
    .map(({ values }) => values)
    .filter((values, index, all) => {
      const former = all[index - 1];
      return former === undefined || compareTuples(former, values) !== 0;
    });
}

/** Rows of one lane that may be taken now, the next one first. */
export function waitingIn(
  table: PlainTable,
  rows: Iterable<Row>,
  { lane, now }: { readonly lane: readonly Scalar[]; readonly now: number },
): Row[] {
  const spec = leaseSpecOf(table);
  const { due, lane: fields, order = [] } = spec;
  assert.equal(lane.length, fields.length, `a lane has ${fields.length} values`);
  const line = [...rows].filter((row) => {
    const values = valuesOf(table, row.record, fields);
    return values !== undefined && compareTuples(values, lane) === 0 && isFree(table, row, now);
  });
  const orderFields = [...(due === undefined ? [] : [due]), ...order];
  return ordered(line, ({ record }) => {
    const values = valuesOf(table, record, orderFields);
    return values && [...values, ...keyOf(table, record)];
  }).map(({ row }) => row);
}

/** Whether the row is free, has not ended, and is due. */
function isFree(table: PlainTable, row: Row, now: number): boolean {
  const { due } = leaseSpecOf(table);
  const dueAt = due === undefined ? now : fieldOf(table, row.record, due);
  return mayBeTaken(table, row) && typeof dueAt === 'number' && dueAt <= now;
}

/** Due times do not count. */
export const mayBeTaken = (table: PlainTable, row: Row): boolean =>
  row.holder === undefined && isOpen(table, row.record);

export const taken = (row: Row, holder: string): Row => ({
  ...row,
  beat: row.beat + 1,
  fence: row.fence + 1,
  holder,
  tries: row.tries + 1,
});

export function isClaimed(row: Row, { fence, holder }: LeaseClaim): boolean {
  return row.holder === holder && row.fence === fence;
}

export function leasedOf({ beat, fence, holder, record, tries }: Row): Leased<PlainRecord> {
  assert(holder !== undefined, 'a row that nobody has');
  return { lease: { beat, fence, holder, tries }, record: jsonOf(record) };
}

export function leaseSpecOf({ name, spec: { leased } }: PlainTable): LeaseSpec {
  assert(leased !== undefined, `table ${name} is not leased`);
  return leased;
}
