/**
 * What a slice declares of its storage, and the changes that it puts into a commit.
 *
 * A declaration is plain data except for `blobs`, which runs on the caller's side. The rest crosses
 * to the storage thread, and its digest is stored. Each adapter implements every declaration once
 * (src/storage/sqlite, src/storage/mongo), so a slice adds a table and no adapter learns a noun.
 * The contract suite (test/storage/contract) runs over every declared table on both.
 *
 * A record is JSON. Fields that are looked up, compared or ordered are stored beside the document:
 * text (ordered by its UTF-8 bytes), safe integers and booleans. A record without a field of an
 * index is absent from that index. Fields that change outside commits (work fields, lease, touch)
 * are stored apart from the document, so they never compete with a commit for a version.
 */
import assert from 'node:assert/strict';

/** A value of a key or an index. */
export type Scalar = string | number | boolean;

/** Any record; a table's own type says more. Every record of a versioned table has `version`. */
export type TableRecord = object;

/** Name of a member of a record. */
export type FieldOf<R extends TableRecord> = keyof R & string;

/**
 * A computed field: `true` where the member has one of these values (or is absent, with `absent`),
 * else not stored.
 */
export interface DerivedField {
  readonly field: string;
  readonly in?: readonly Scalar[];
  /** Instead of `in`: true where the record has no such member. */
  readonly absent?: true;
}

/**
 * Why personal data is kept, and that is as long as its record. The inventory of personal data is
 * made from it.
 */
export interface PersonalMember {
  readonly purpose: string;
}

/** A table whose rows workers lease in turns. */
export interface LeaseSpec {
  /**
   * Fields that name a lane: a batch, or a tenant's endpoint. The rows of a lane wait in one line.
   */
  readonly lane: readonly string[];
  /** Order within a lane, before the key. */
  readonly order?: readonly string[];
  /**
   * A work field, in epoch milliseconds, from which on the row may be taken. Every open record is
   * inserted with one; a row whose due time is taken away is leased no more until it has one again.
   * The order within a lane is by due time.
   */
  readonly due?: string;
  /** No figure tells how many rows are in work: /metrics needs no credential. */
  readonly isUntold?: true;
}

/**
 * How an older table is laid out in the stores: a frozen mapping for tables made before
 * declarations.
 */
export interface StoredSpec {
  /** Names of columns and document fields where they differ from the field's. */
  readonly sqliteColumns?: Readonly<Record<string, string>>;
  readonly mongoFields?: Readonly<Record<string, string>>;
  /** SQLite: there is no document, the columns are the record. */
  readonly isBare?: true;
  /** SQLite: members stored as JSON in a column of their own, and not in the document. */
  readonly sqliteApart?: Readonly<Record<string, string>>;
  /** A derived field that does not hold is 0 instead of NULL; MongoDB: false instead of absent. */
  readonly isFalseZero?: true;
  /** SQLite: the column with the place of `isPlaced`; MongoDB: the field. */
  readonly place?: { readonly sqlite: string; readonly mongo: string };
  /** SQLite: the table with one row, and its column, that hold the stamp; MongoDB: its id. */
  readonly stamp?: {
    readonly sqlite: { readonly table: string; readonly column: string };
    readonly mongo: string;
  };
  /**
   * Names of the lease's columns and fields. Without a name here they are `lease_holder` and so on.
   */
  readonly lease?: {
    readonly sqliteTries?: string;
    readonly sqliteUntil?: string;
    readonly mongoUntil?: string;
  };
  /** SQLite: fields whose columns the database file computes from other columns. */
  readonly sqliteGenerated?: readonly string[];
  /** MongoDB: the key's members are joined by '/' without escapes, and ordered as that text. */
  readonly mongoKey?: 'slashed';
}

/**
 * What a slice declares of one table: key, writes, indexes, and rules for work, keeping and
 * privacy.
 */
export interface TableSpec<R extends TableRecord, K extends FieldOf<R> = FieldOf<R>> {
  /** Text or integers, at most KEY_FIELDS_MAX members. Integers are never negative. */
  readonly key: readonly K[];
  /**
   * Which chain's commits write the table: the chain of the tenant in this field, the platform's,
   * or any. With `any` commits take turns over the whole installation, so it is for rare changes
   * only.
   */
  readonly chain: FieldOf<R> | 'platform' | 'any';
  /**
   * What may be done to a record. `versioned` (default): insert, put and remove by `version`.
   * `once`: no version; one put ends the record while `open` holds, and none is taken after.
   * `appendOnly`: insert only. `rows`: append only, which can never be stale; the key is made of an
   * event's id, and there is no other unique index.
   */
  readonly writes?: 'versioned' | 'once' | 'appendOnly' | 'rows';
  readonly derived?: Readonly<Record<string, DerivedField>>;
  /**
   * Indexes by name, with their fields in order. The key follows as the tie-break without being
   * named.
   */
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
  /**
   * Values that no two records share. A derived field among them limits this to the records where
   * it holds.
   */
  readonly unique?: Readonly<Record<string, readonly string[]>>;
  /**
   * Field that names the owner. A put that changes it is stale: a record of another tenant does not
   * exist for this one.
   */
  readonly owner?: FieldOf<R>;
  /** A derived field. Once it no longer holds, the record has ended and no put is taken. */
  readonly open?: string;
  /**
   * Members that are saved outside commits. After the insert no commit writes them, except those
   * that the put that ends the record (`open`) names: they become what its record says. The others
   * keep what was saved, which may be newer than what the caller of the put has read.
   */
  readonly work?: readonly FieldOf<R>[];
  readonly leased?: LeaseSpec;
  /** A member outside the version that only grows: the last use of a key. */
  readonly touch?: FieldOf<R>;
  /**
   * Records are numbered in the order of their commits. Pages of the index `placed` follow that
   * number: over all records, or within the fields that `indexes` declares under this name.
   */
  readonly isPlaced?: true;
  /**
   * A number with this name grows whenever one of the fields changes or, with no fields, with each
   * insert. Tables may share a stamp.
   */
  readonly stamp?: { readonly name: string; readonly fields: readonly FieldOf<R>[] };
  /** How long records are kept, counted from this member (epoch milliseconds). Absent: for ever. */
  readonly kept?: {
    readonly from: FieldOf<R>;
    readonly ms: number;
    /** A derived field: while it holds, the record is kept. */
    readonly unless?: string;
  };
  /** Members that are personal data, or `none`. */
  readonly personal: 'none' | Readonly<Partial<Record<FieldOf<R>, PersonalMember>>>;
  /** Addresses of the blobs that a record names. They are kept as long as the record. */
  readonly blobs?: (record: R) => readonly string[];
  readonly stored?: StoredSpec;
}

/** A declared table. Its methods make changes for a commit; `Tables` reads and saves work. */
export interface Table<R extends TableRecord, K extends FieldOf<R> = FieldOf<R>> {
  readonly name: string;
  readonly spec: TableSpec<R, K>;
  /** Adds a record. Stale where the key, or a unique value, is taken. */
  insert(record: R): Change;
  /**
   * Replaces a record by its next state, whose `version` is above `versionExpected`. Stale where
   * the record has another version, has ended, does not exist, or has another owner. Expected 0
   * inserts. A table of `once` leaves the version out. `work` names work members that the end of
   * the record writes or, where the record lacks them, takes away.
   */
  put(record: R, versionExpected?: number, ends?: { readonly work: readonly FieldOf<R>[] }): Change;
  remove(key: Pick<R, K>, versionExpected: number): Change;
  /** Changes nothing. Stale unless the record exists, at this version, under this fence. */
  expect(key: Pick<R, K>, at: { readonly version?: number; readonly fence?: number }): Change;
  /** For tables of `rows` only. A row that exists under its key is this very row. */
  append(record: R): Change;
}

/** A table of any record type. */
export interface AnyTable {
  readonly name: string;
  readonly spec: object;
}

/** One write to a table in a commit, as plain data. */
export interface Change {
  readonly table: string;
  readonly op: 'insert' | 'put' | 'remove' | 'expect' | 'append';
  /** For `remove` and `expect`: the key's members. */
  readonly key?: Readonly<Record<string, Scalar>>;
  readonly record?: Readonly<Record<string, unknown>>;
  readonly versionExpected?: number;
  readonly fence?: number;
  /** For a `put` that ends its record: the work members that it writes. */
  readonly work?: readonly string[];
}

/** Members of a table's key. */
export const KEY_FIELDS_MAX = 4;

/** Declares a table. Throws an AssertionError where the declaration contradicts itself. */
export function table<R extends TableRecord, K extends FieldOf<R> = FieldOf<R>>(
  name: string,
  spec: TableSpec<R, K>,
): Table<R, K> {
  assertSpec(name, spec as unknown as PlainSpec);
  const recordOf = (record: R) => record as unknown as Readonly<Record<string, unknown>>;
  const keyOf = (key: Pick<R, K>) => key as unknown as Readonly<Record<string, Scalar>>;
  return {
    name,
    spec,
    append: (record) => ({ op: 'append', record: recordOf(record), table: name }),
    expect: (key, { fence, version }) => ({
      key: keyOf(key),
      op: 'expect',
      table: name,
      ...(fence !== undefined && { fence }),
      ...(version !== undefined && { versionExpected: version }),
    }),
    insert: (record) => ({ op: 'insert', record: recordOf(record), table: name }),
    put: (record, versionExpected, ends) => ({
      op: versionExpected === 0 ? 'insert' : 'put',
      record: recordOf(record),
      table: name,
      ...(versionExpected !== undefined && versionExpected > 0 && { versionExpected }),
      ...(ends !== undefined && ends.work.length > 0 && { work: ends.work }),
    }),
    remove: (key, versionExpected) => ({
      key: keyOf(key),
      op: 'remove',
      table: name,
      versionExpected,
    }),
  };
}

/** A declaration as adapters read it, without its closures and the record's type. */
export type PlainSpec = Omit<
  TableSpec<Record<string, unknown>, string>,
  'blobs' | 'chain' | 'owner' | 'work' | 'touch' | 'stamp' | 'kept' | 'personal'
> & {
  readonly chain: string;
  readonly owner?: string;
  readonly work?: readonly string[];
  readonly touch?: string;
  readonly stamp?: { readonly name: string; readonly fields: readonly string[] };
  readonly kept?: { readonly from: string; readonly ms: number; readonly unless?: string };
};

/** A declared table as adapters read it. */
export interface PlainTable {
  readonly name: string;
  readonly spec: PlainSpec;
}

/** The part of a declaration that crosses to a storage thread, and whose digest is stored. */
export function plainTable({ name, spec }: AnyTable): PlainTable {
  const { blobs: _, personal: __, ...plain } = spec as PlainSpec & Record<string, unknown>;
  return { name, spec: plain };
}

/** What may be done to a record; `versioned` where the declaration does not say. */
export const writesOf = ({ writes = 'versioned' }: Pick<PlainSpec, 'writes'>) => writes;

/** Whether a derived field holds for a record. */
export function isDerived(
  { absent, field, in: values = [] }: DerivedField,
  record: Readonly<Record<string, unknown>>,
): boolean {
  const value = record[field];
  return absent === true ? value === undefined : values.includes(value as Scalar);
}

function assertSpec(name: string, spec: PlainSpec): void {
  const say = (text: string) => `table ${name}: ${text}`;
  assert(/^[a-z][a-z0-9_]{0,47}$/.test(name), say('a name is snake_case, at most 48 letters'));
  const { derived = {}, key, leased, open, unique = {}, work = [] } = spec;
  assert(key.length >= 1 && key.length <= KEY_FIELDS_MAX, say('a key has 1 to 4 members'));
  const writes = writesOf(spec);
  const isWritten = writes === 'versioned' || writes === 'once';
  assert(isWritten || work.length === 0, say('work fields need a table that is written again'));
  assert(isWritten || leased === undefined, say('a lease needs a table that is written again'));
  assert(writes !== 'rows' || Object.keys(unique).length === 0, say('rows have no unique index'));
  assert(writes !== 'once' || open !== undefined, say('`once` needs `open`'));
  assert(open === undefined || open in derived, say('`open` names a derived field'));
  assert(leased?.due === undefined || work.includes(leased.due), say('`due` is a work field'));
  const own = [...key, spec.owner ?? ''];
  assert(!work.some((field) => own.includes(field)), say('a work field is not of the key'));
}
