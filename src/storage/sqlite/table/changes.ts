/**
 * Changes of a commit to declared tables, one after the other inside the group's transaction, so
 * that each sees those before it. A change that does not hold is stale; one that breaks its table's
 * declaration is a mistake of the slice, and throws before anything is written.
 */
import type { SQLOutputValue } from 'node:sqlite';
import type { TableChange } from '#core/kernel';
import { assertTableChange } from '../../tableChange.ts';
import { isTaken } from '../errors.ts';
import {
  type Cell,
  deleteRow,
  evidenceCells,
  insertRecord,
  readRow,
  updateRow,
  workCells,
} from './cells.ts';
import {
  columnsOf,
  isOpenRecord,
  type Layout,
  layoutNamed,
  type PlainRecord,
  type Row,
  toRecord,
} from './layout.ts';
import { moveStamp } from './stamps.ts';
import type { Prepare } from './statements.ts';

export interface TableChanges {
  /** Throws where the change can never be applied. */
  check(change: TableChange, chainId: string): void;
  /** False: it is stale. */
  apply(change: TableChange, chainId: string): boolean;
}

/** The stored record under a change's key, as far as the change needs it. */
interface Stored {
  readonly version: SQLOutputValue;
  readonly fence: SQLOutputValue;
  readonly isOpen: boolean;
  readonly owner: SQLOutputValue;
  readonly chain: SQLOutputValue;
  /** In the form of a read; empty where the former record is not needed. */
  readonly row: Row;
}

export function tableChanges(prepare: Prepare, layouts: ReadonlyMap<string, Layout>): TableChanges {
  return {
    check: (change, chainId) =>
      assertTableChange(layoutNamed(layouts, change.table), chainId, change),
    apply(change, chainId) {
      const layout = layoutNamed(layouts, change.table);
      const { op, record = {} } = change;
      if (op === 'append') return insertRecord(prepare, layout, record) || true;
      if (op === 'insert') return insert(prepare, layout, record);
      const stored = find(prepare, layout, change);
      if (stored === undefined || !isExpected(layout, stored, { change, chainId })) return false;
      if (op === 'expect') return true;
      if (!stored.isOpen) return false;
      return op === 'put'
        ? put(prepare, layout, { change, record, stored })
        : remove(prepare, layout, { key: change.key ?? {}, stored });
    },
  };
}

function insert(prepare: Prepare, layout: Layout, record: PlainRecord): boolean {
  if (!insertRecord(prepare, layout, record)) return false;
  moveStamp(prepare, layout, { after: record });
  return true;
}

function find(prepare: Prepare, layout: Layout, change: TableChange): Stored | undefined {
  const { hasVersion, lease, open, reads, spec } = layout;
  const isSeen = change.op !== 'expect' && (spec.work || spec.stamp) !== undefined;
  const columnOr = (field: string | undefined) =>
    field === undefined ? 'NULL' : (columnsOf(layout, [field])[0]?.name ?? 'NULL');
  const row = readRow(prepare, layout, {
    columns: [
      hasVersion ? '"version"' : 'NULL',
      lease?.fence ?? 'NULL',
      open ?? '1',
      columnOr(spec.owner),
      columnOr(spec.chain === 'any' || spec.chain === 'platform' ? undefined : spec.chain),
      ...(isSeen ? reads : []),
    ],
    key: change.record ?? change.key ?? {},
  });
  if (row === undefined) return undefined;
  const [version = null, fence = null, isOpen = 1, owner = null, chain = null, ...seen] = row;
  return { chain, fence, isOpen: isOpen === 1, owner, row: seen, version };
}

function isExpected(
  { spec }: Layout,
  stored: Stored,
  { change, chainId }: { readonly change: TableChange; readonly chainId: string },
): boolean {
  const { fence, record, versionExpected } = change;
  const isOwners =
    spec.owner === undefined || record === undefined || stored.owner === record[spec.owner];
  return (
    isOwners &&
    (stored.chain === null || stored.chain === chainId) &&
    (versionExpected === undefined || stored.version === versionExpected) &&
    (fence === undefined || stored.fence === fence)
  );
}

function put(
  prepare: Prepare,
  layout: Layout,
  {
    change: { work = [] },
    record,
    stored,
  }: { readonly change: TableChange; readonly record: PlainRecord; readonly stored: Stored },
): boolean {
  const before = stored.row.length > 0 ? toRecord<PlainRecord>(layout, stored.row) : undefined;
  const isEnded = !isOpenRecord(layout, record);
  const named = Object.fromEntries(work.map((field) => [field, record[field]]));
  const cells: Cell[] = [
    ...evidenceCells(layout, record, before),
    // Rows of a former release have their work fields in the document, which is written anew.
    ...(layout.spec.work ? workCells(layout, { ...before, ...named }) : []),
    ...(isEnded && layout.lease ? [[layout.lease.holder, null] as const] : []),
  ];
  try {
    if (!updateRow(prepare, layout, { cells, key: record })) return false;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
  moveStamp(prepare, layout, { after: record, before: before ?? {} });
  return true;
}

function remove(
  prepare: Prepare,
  layout: Layout,
  { key, stored }: { readonly key: PlainRecord; readonly stored: Stored },
): boolean {
  if (!deleteRow(prepare, layout, key)) return false;
  const before = stored.row.length > 0 ? toRecord<PlainRecord>(layout, stored.row) : {};
  moveStamp(prepare, layout, { before });
  return true;
}
