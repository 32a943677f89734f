/**
 * Writes outside commits: records that are only added, work fields, the touched member, and the
 * removal of expired records. None of them writes an existing document or version.
 */
import assert from 'node:assert/strict';
import type { SQLInputValue } from 'node:sqlite';
import { type LeaseClaim, PAGE_RECORDS_MAX, writesOf } from '#core/kernel';
import { type Cell, insertRecord, type RowAsk, readRow, updateRow, workCells } from './cells.ts';
import { indexName, keptConditions } from './indexes.ts';
import {
  columnsOf,
  type Layout,
  layoutNamed,
  type PlainRecord,
  quoted,
  toRecord,
  toSql,
} from './layout.ts';
import { leaseOf, oneOn } from './leases.ts';
import type { Prepare } from './statements.ts';

export interface WorkAsk {
  readonly key: PlainRecord;
  readonly claim?: LeaseClaim;
  readonly work?: PlainRecord;
}

interface GiveBackAsk extends WorkAsk {
  readonly isTried: boolean;
  readonly hasGotOn?: true;
}

export function tableWorkWriter(prepare: Prepare, layouts: ReadonlyMap<string, Layout>) {
  const layoutOf = (name: string) => layoutNamed(layouts, name);
  return {
    tableInsertMissing(name: string, records: readonly PlainRecord[]): void {
      const layout = layoutOf(name);
      for (const record of records) insertRecord(prepare, layout, record);
    },
    tableSaveWork: (name: string, ask: WorkAsk): boolean => write(prepare, layoutOf(name), ask),
    tableRenew: (name: string, ask: WorkAsk): boolean => {
      const layout = layoutOf(name);
      return write(prepare, layout, ask, [oneOn(leaseOf(layout).beat)]);
    },
    tableGiveBack: (name: string, ask: GiveBackAsk): boolean => {
      const layout = layoutOf(name);
      const { holder, tries } = leaseOf(layout);
      const untried: Cell[] = ask.isTried ? [] : [[tries, null, `${tries} - 1`]];
      const counted: Cell[] = ask.hasGotOn ? [[tries, null, '0']] : untried;
      return write(prepare, layout, ask, [[holder, null], ...counted]);
    },
    tableTouch(name: string, key: PlainRecord, value: number): void {
      const layout = layoutOf(name);
      assert(layout.touch !== undefined, `table ${name} is not touched`);
      const column = layout.touch.name;
      const where = [[`coalesce(${column}, -1) < ?`, toSql(value)] as const];
      updateRow(prepare, layout, { cells: [[column, toSql(value)]], key, where });
    },
    tablePurge: (name: string, now: number): number => purge(prepare, layoutOf(name), now),
  };
}

/** False: the row is not there, has ended, or is not the claimant's. */
function write(
  prepare: Prepare,
  layout: Layout,
  { claim, key, work = {} }: WorkAsk,
  lease: readonly Cell[] = [],
): boolean {
  const ours = claim && leaseOf(layout);
  const where: NonNullable<RowAsk['where']> = [
    ...(layout.open ? [[layout.open] as const] : []),
    ...(ours ? [[`${ours.holder} = ?`, claim.holder] as const] : []),
    ...(ours ? [[`${ours.fence} = ?`, claim.fence] as const] : []),
  ];
  const cells = [...lease];
  if (Object.keys(work).length > 0) {
    const row = readRow(prepare, layout, { columns: layout.reads, key, where });
    if (row === undefined) return false;
    cells.push(...workCells(layout, { ...toRecord<PlainRecord>(layout, row), ...work }));
  }
  if (cells.length > 0) return updateRow(prepare, layout, { cells, key, where });
  return readRow(prepare, layout, { columns: ['1'], key, where }) !== undefined;
}

/** One step; the caller repeats it until it answers less than it could have been. */
function purge(prepare: Prepare, layout: Layout, now: number): number {
  const { name, spec } = layout;
  const conditions = keptConditions(layout);
  const from = columnsOf(layout, [spec.kept?.from ?? ''])[0]?.name;
  const border: SQLInputValue = toSql(now - (spec.kept?.ms ?? 0));
  if (writesOf(spec) === 'appendOnly' || writesOf(spec) === 'rows') {
    prepare('UPDATE store_table SET border = max(coalesce(border, ?1), ?1) WHERE name = ?2').run(
      border,
      name,
    );
  }
  const keys = layout.key.map((column) => column.name).join(', ');
  const remove = prepare(
    `DELETE FROM ${quoted(name)} WHERE (${keys}) IN (SELECT ${keys} FROM ${quoted(name)}
       INDEXED BY ${indexName(layout, 'kept')} WHERE ${conditions.join(' AND ')} AND ${from} <= ?
       ORDER BY ${from} LIMIT ${PAGE_RECORDS_MAX})`,
  );
  return Number(remove.run(border).changes);
}
