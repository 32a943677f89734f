/**
 * What a slice declares of storage, and the changes that it hands to a commit.
 *
 * A declaration is plain data but for `blobs`, which runs on the caller's side: the rest crosses to
 * the storage thread, and its digest is stored. Each adapter implements every declaration once
 * (src/storage/sqlite, src/storage/mongo), so that a slice adds a table and no adapter a noun. The
 * contract suite (test/storage/contract) runs over every declared table on both.
 *
 * A record is JSON. Fields that are looked up, compared or ordered stand beside the document: text
 * (ordered by its UTF-8 bytes), safe integers and booleans. A record without a field of an index is
 * absent from that index. What happens outside commits (work fields, lease, touch) is kept apart
 * from the document, so that it never competes with a commit for a version.
 */
import assert from 'node:assert/strict';

/** What stands in a key or an index. */
export type Scalar = string | number | boolean;

/** Any record; a table's own type says more. Every record of a versioned table has `version`. */
export type TableRecord = object;

export type FieldOf<R extends TableRecord> = keyof R & string;

/** `true` where the member is one of these values (or absent, with `absent`), else not there. */
export interface DerivedField {
  readonly field: string;
  readonly in?: readonly Scalar[];
  /** Instead of `in`: true where the record has no such member. */
  readonly absent?: true;
}

/** Why personal data is kept; the inventory of personal data is made from it. */
export interface PersonalMember {
  readonly purpose: string;
  /** Absent: as long as the record. */
  readonly keptMs?: number;
}

/** Rows that workers take by turns. */
export interface LeaseSpec {
  /** Fields that name a lane, whose rows wait in one line: a batch, or a tenant's endpoint. */
  readonly lane: readonly string[];
  /** Order within a lane, before the key. */
  readonly order?: readonly string[];
  /**
   * A work field, in epoch milliseconds, from which on the row may be taken; absent: at once. With
   * it the order within a lane is by due time.
   */
  readonly due?: string;
}

/** How an old table lies in the stores: a frozen mapping, for tables made before declarations. */
export interface StoredSpec {
  /** Fields whose column or document field has another name. */
  readonly sqliteColumns?: Readonly<Record<string, string>>;
  readonly mongoFields?: Readonly<Record<string, string>>;
  /** SQLite: no document, the columns are the record. */
  readonly isBare?: true;
  /** SQLite: members that stand as JSON in a column of their own, and not in the document. */
  readonly sqliteApart?: Readonly<Record<string, string>>;
  /** A derived field that does not hold is 0 and not NULL; MongoDB: false and not absent. */
  readonly isFalseZero?: true;
  /** SQLite: column that holds the place of `isPlaced`; MongoDB: its field. */
  readonly place?: { readonly sqlite: string; readonly mongo: string };
  /** SQLite: the table of one row, and its column, that hold the stamp; MongoDB: its id. */
  readonly stamp?: {
    readonly sqlite: { readonly table: string; readonly column: string };
    readonly mongo: string;
  };
  /** Columns and fields of the lease; tables without have `lease_holder` and so on. */
  readonly lease?: {
    readonly sqliteTries?: string;
    readonly sqliteUntil?: string;
    readonly mongoUntil?: string;
  };
  /** SQLite: fields whose columns are computed by the file itself, from other columns. */
  readonly sqliteGenerated?: readonly string[];
  /** MongoDB: the key's members are joined by '/' as they are, and ordered as that text. */
  readonly mongoKey?: 'slashed';
}

export interface TableSpec<R extends TableRecord, K extends FieldOf<R> = FieldOf<R>> {
  /** Text or integers, of no more than KEY_FIELDS_MAX members. Integers are never negative. */
  readonly key: readonly K[];
  /**
   * Whose chain's commits write it: the tenant that this field names, the platform's, or any (then
   * commits take turns over the whole installation: for rare changes alone).
   */
  readonly chain: FieldOf<R> | 'platform' | 'any';
  /**
   * What may be done to a record. `versioned` (default): insert, put and remove by `version`.
   * `once`: no version; a put ends it, while `open` holds, and never after. `appendOnly`: insert
   * alone. `rows`: append alone, which can never be stale; its key is made of an event's id, a
   * chain's seq or a sequence, and it has no other unique index.
   */
  readonly writes?: 'versioned' | 'once' | 'appendOnly' | 'rows';
  readonly derived?: Readonly<Record<string, DerivedField>>;
  /** By name, the fields in their order. The key follows by itself, as the tie-break. */
  readonly indexes?: Readonly<Record<string, readonly string[]>>;
  /** No two records share these values. A derived field among them says while when. */
  readonly unique?: Readonly<Record<string, readonly string[]>>;
  /** A put that changes it is stale: another tenant's record is not there for this one. */
  readonly owner?: FieldOf<R>;
  /** A derived field: once it does not hold any more the record has ended, and no put is taken. */
  readonly open?: string;
  /**
   * Members that are saved outside commits. No commit after the insert writes them but the put that
   * ends the record (`open`): it is stored whole, so that it says what the work came to, and what
   * it leaves out is gone.
   */
  readonly work?: readonly FieldOf<R>[];
  readonly leased?: LeaseSpec;
  /** A member outside the version that only grows: the last use of a key. */
  readonly touch?: FieldOf<R>;
  /**
   * Records are numbered in the order of their commits. The pages of index `placed` are by that
   * number: of all, or within the fields that `indexes` declares under this name.
   */
  readonly isPlaced?: true;
  /**
   * A number of this name grows whenever one of the fields changes; with no fields, with each
   * insert. Tables may share a stamp.
   */
  readonly stamp?: { readonly name: string; readonly fields: readonly FieldOf<R>[] };
  /** How long records stay, from this member (epoch milliseconds) on; absent: for ever. */
  readonly kept?: {
    readonly from: FieldOf<R>;
    readonly ms: number;
    /** A derived field: while it holds the record stays. */
    readonly unless?: string;
  };
  /** Members that are personal data, or that there are none. */
  readonly personal: 'none' | Readonly<Partial<Record<FieldOf<R>, PersonalMember>>>;
  /** Addresses of the blobs that a record names: none of them goes while it stands. */
  readonly blobs?: (record: R) => readonly string[];
  readonly stored?: StoredSpec;
}

/** A declared table. Its methods make changes for a commit; reading and work are `Tables`. */
export interface Table<R extends TableRecord, K extends FieldOf<R> = FieldOf<R>> {
  readonly name: string;
  readonly spec: TableSpec<R, K>;
  /** Stale where the key, or a unique value, is taken. */
  insert(record: R): Change;
  /**
   * The record in its next state: `version` is over `versionExpected`. Stale where the stored
   * version is another one, where it has ended, is not there, or is another owner's. Expected 0
   * inserts. Of a table of `once` the version is left out.
   */
  put(record: R, versionExpected?: number): Change;
  remove(key: Pick<R, K>, versionExpected: number): Change;
  /** Changes nothing; stale unless the record is there, at this version, under this fence. */
  expect(key: Pick<R, K>, at: { readonly version?: number; readonly fence?: number }): Change;
  /** Of `rows` alone. A row that is there already under its key is this very row. */
  append(record: R): Change;
}

/** A table whatever its records are. */
export interface AnyTable {
  readonly name: string;
  readonly spec: object;
}

/** One write of a slice's state in a commit, as plain data. */
export interface Change {
  readonly table: string;
  readonly op: 'insert' | 'put' | 'remove' | 'expect' | 'append';
  /** Of `remove` and `expect`: the key's members. */
  readonly key?: Readonly<Record<string, Scalar>>;
  readonly record?: Readonly<Record<string, unknown>>;
  readonly versionExpected?: number;
  readonly fence?: number;
}

export const isTableChange = (change: object): change is Change => 'table' in change;

export const KEY_FIELDS_MAX = 4;

/** Declares a table. Throws where the declaration contradicts itself. */
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
    put: (record, versionExpected) => ({
      op: versionExpected === 0 ? 'insert' : 'put',
      record: recordOf(record),
      table: name,
      ...(versionExpected !== undefined && versionExpected > 0 && { versionExpected }),
    }),
    remove: (key, versionExpected) => ({
      key: keyOf(key),
      op: 'remove',
      table: name,
      versionExpected,
    }),
  };
}

/** A declaration as adapters read it, without the closures and the record's type. */
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

export interface PlainTable {
  readonly name: string;
  readonly spec: PlainSpec;
}

/** What crosses to a storage thread, and what a declaration's digest is taken of. */
export function plainTable({ name, spec }: AnyTable): PlainTable {
  const { blobs: _, personal: __, ...plain } = spec as PlainSpec & Record<string, unknown>;
  return { name, spec: plain };
}

export const writesOf = ({ writes = 'versioned' }: Pick<PlainSpec, 'writes'>) => writes;

/** Whether a record holds a derived field. */
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
