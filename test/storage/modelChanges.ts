/** Changes of a commit in the model: in their order, each seeing those before it, all or none. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import {
  type AnyTable,
  CHANGES_MAX,
  type PlainTable,
  plainTable,
  type TableChange,
  writesOf,
} from '#core/kernel';
import {
  isOpen,
  keyText,
  newRow,
  type PlainRecord,
  type Row,
  type Rows,
  valuesOf,
} from './modelRows.ts';

export interface ModelState {
  readonly declared: ReadonlyMap<string, PlainTable>;
  readonly rows: ReadonlyMap<string, Rows>;
  readonly stamps: Map<string, number>;
  readonly lastPlace: number;
}

export function emptyState(tables: readonly AnyTable[]): ModelState {
  const declared = new Map(tables.map((table) => [table.name, plainTable(table)]));
  assert.equal(declared.size, tables.length, 'two tables of one name');
  const rows = new Map(tables.map(({ name }) => [name, new Map() as Rows]));
  return { declared, lastPlace: 0, rows, stamps: new Map() };
}

export type Applied =
  | { readonly kind: 'applied'; readonly state: ModelState }
  | { readonly kind: 'stale'; readonly changeIndex: number };

/** Answers another state, and leaves this one as it is. Throws where a change breaks its table. */
export function applyChanges(
  before: ModelState,
  chainId: string,
  changes: readonly TableChange[],
): Applied {
  assert(changes.length <= CHANGES_MAX, `a commit of ${changes.length} changes`);
  for (const change of changes) assertChange(tableOf(before, change.table), chainId, change);
  const draft = new Draft(before, chainId);
  for (const [changeIndex, change] of changes.entries()) {
    if (!draft.apply(change)) return { changeIndex, kind: 'stale' };
  }
  return { kind: 'applied', state: draft.state() };
}

export function tableOf({ declared }: ModelState, name: string): PlainTable {
  const table = declared.get(name);
  assert(table !== undefined, `table ${name} is not declared`);
  return table;
}

export function rowsOf({ rows }: ModelState, { name }: AnyTable): Rows {
  const found = rows.get(name);
  assert(found !== undefined, `table ${name} is not declared`);
  return found;
}

class Draft {
  readonly #before: ModelState;
  readonly #chainId: string;
  readonly #rows: Map<string, Rows>;
  readonly #stamps: Map<string, number>;
  #lastPlace: number;

  constructor(before: ModelState, chainId: string) {
    this.#before = before;
    this.#chainId = chainId;
    this.#rows = new Map([...before.rows].map(([name, rows]) => [name, new Map(rows)]));
    this.#stamps = new Map(before.stamps);
    this.#lastPlace = before.lastPlace;
  }

  state(): ModelState {
    const { declared } = this.#before;
    return { declared, lastPlace: this.#lastPlace, rows: this.#rows, stamps: this.#stamps };
  }

  /** False: the change is stale. */
  apply(change: TableChange): boolean {
    const table = tableOf(this.#before, change.table);
    const { key = {}, op, record = key } = change;
    const stored = this.#rows.get(table.name)?.get(keyText(table, record));
    switch (op) {
      case 'insert':
        return stored === undefined && this.#write(table, this.#rowOf(record));
      case 'append':
        return stored !== undefined || this.#write(table, this.#rowOf(record));
      case 'put':
        if (stored === undefined || !this.#mayChange(table, stored, change)) return false;
        if (isOtherOwner(table, stored.record, record)) return false;
        return this.#write(table, successor(table, stored, change), stored);
      case 'remove':
        if (stored === undefined || !this.#mayChange(table, stored, change)) return false;
        this.#rows.get(table.name)?.delete(keyText(table, record));
        this.#moveStamp(table, stored.record, {});
        return true;
      case 'expect':
        return stored !== undefined && this.#isOfChain(table, stored) && isAt(stored, change);
    }
  }

  #mayChange(table: PlainTable, stored: Row, change: TableChange): boolean {
    return this.#isOfChain(table, stored) && isOpen(table, stored.record) && isAt(stored, change);
  }

  #isOfChain({ spec: { chain } }: PlainTable, { record }: Row): boolean {
    return chain === 'platform' || chain === 'any' || record[chain] === this.#chainId;
  }

  #rowOf(record: PlainRecord): Row {
    return newRow(record, ++this.#lastPlace);
  }

  #write(table: PlainTable, row: Row, stored?: Row): boolean {
    if (isTaken(table, this.#rows.get(table.name), row.record)) return false;
    this.#rows.get(table.name)?.set(keyText(table, row.record), row);
    this.#moveStamp(table, stored?.record, row.record);
    return true;
  }

  #moveStamp(
    { spec: { stamp } }: PlainTable,
    before: PlainRecord | undefined,
    after: PlainRecord,
  ): void {
    if (stamp === undefined) return;
    const { fields, name } = stamp;
    const isMoved =
      fields.length === 0
        ? before === undefined
        : fields.some((field) => !isDeepStrictEqual(before?.[field], after[field]));
    if (isMoved) this.#stamps.set(name, (this.#stamps.get(name) ?? 0) + 1);
  }
}

/** At the version and under the fence that the change names, if it names them. */
function isAt({ fence, record }: Row, change: TableChange): boolean {
  return (
    (change.versionExpected === undefined || record.version === change.versionExpected) &&
    (change.fence === undefined || fence === change.fence)
  );
}

function isOtherOwner({ spec: { owner } }: PlainTable, stored: PlainRecord, next: PlainRecord) {
  return owner !== undefined && stored[owner] !== next[owner];
}

/** Another record holds the values of a unique declaration. */
function isTaken(table: PlainTable, rows: Rows | undefined, record: PlainRecord): boolean {
  return Object.values(table.spec.unique ?? {}).some((fields) => {
    const values = valuesOf(table, record, fields);
    return [...(rows?.values() ?? [])].some(
      (row) =>
        values !== undefined &&
        keyText(table, row.record) !== keyText(table, record) &&
        isDeepStrictEqual(valuesOf(table, row.record, fields), values),
    );
  });
}

/**
 * The members of the next record, but for those that no commit writes: they stay as they are. An
 * end writes the work members that it names, and nobody has its row any more.
 */
function successor(table: PlainTable, stored: Row, change: TableChange): Row {
  const { touch, work = [] } = table.spec;
  const { record: next = {}, work: named = [] } = change;
  const isEnded = !isOpen(table, next);
  const unnamed = work.filter((field) => !named.includes(field));
  const kept = [...unnamed, ...(touch === undefined ? [] : [touch])];
  const record = omit(next, kept);
  for (const field of kept) {
    if (stored.record[field] !== undefined) record[field] = stored.record[field];
  }
  const { holder, ...row } = stored;
  return newRowLike(row, record, isEnded ? undefined : holder);
}

function newRowLike(row: Omit<Row, 'holder'>, record: PlainRecord, holder?: string): Row {
  return { ...row, record: newRow(record, 0).record, ...(holder !== undefined && { holder }) };
}

export function omit(record: PlainRecord, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)));
}

const OPS: Readonly<Record<string, readonly TableChange['op'][]>> = {
  appendOnly: ['insert', 'expect'],
  once: ['insert', 'put', 'expect'],
  rows: ['append'],
  versioned: ['insert', 'put', 'remove', 'expect'],
};

/** What a commit may hold at all: a breach is a fault of the slice, and never stale. */
function assertChange(table: PlainTable, chainId: string, change: TableChange): void {
  const { chain } = table.spec;
  const { key = {}, op, record = key, versionExpected } = change;
  const say = (text: string) => `table ${table.name}: ${text}`;
  const writes = writesOf(table.spec);
  assert(OPS[writes]?.includes(op), say(`${op} of a table of ${writes}`));
  keyText(table, record);
  const isWhole = change.record !== undefined;
  const owner = chain === 'platform' ? 'platform' : chain === 'any' ? chainId : record[chain];
  assert(owner === chainId || (owner === undefined && !isWhole), say('another chain’s record'));
  if (op === 'insert') assertDue(table, record);
  const { work = [] } = change;
  const isEnd = op === 'put' && !isOpen(table, record);
  assert(work.length === 0 || isEnd, say('work members are written by the end'));
  assert(
    work.every((field) => table.spec.work?.includes(field)),
    say('no work members'),
  );
  if (writes !== 'versioned' || op === 'expect') return;
  if (op !== 'insert') assert(versionExpected !== undefined, say(`${op} without a version`));
  if (isWhole) assert(Number(record.version) > (versionExpected ?? 0), say('the version stands'));
}

/** An open record of a table with due times has one. */
export function assertDue(table: PlainTable, record: PlainRecord): void {
  const { due } = table.spec.leased ?? {};
  if (due === undefined || !isOpen(table, record)) return;
  assert(typeof record[due] === 'number', `table ${table.name}: a record without ${due}`);
}
