/**
 * What slices and core need of storage beside commits: reads of declared tables, and the writes
 * that leave no evidence (work, leases, retention). src/storage/<technology> implements it once for
 * all tables. Every read sees every commit that was answered before the read began. One call reads
 * one snapshot; two calls share none.
 */
import type { EpochMs } from '#platform/clock';
import type { AnyTable, FieldOf, Scalar, Table, TableRecord } from './table.ts';

/** Records of one page, keys of one `findMany`, or records of one step of a purge. */
export const PAGE_RECORDS_MAX = 1_000;
/** Records of one `insertMissing`. */
export const INSERT_RECORDS_MAX = 1_000;
/** Values of `in`; each is a range of its own. */
export const IN_VALUES_MAX = 8;
/** Rows of one lease. */
export const LEASE_ROWS_MAX = 100;
/** Changes of one commit. */
export const CHANGES_MAX = 1_000;

/**
 * The values at which a page ended: those of the index's fields that are not in `equal`, then the
 * key.
 */
export type PageCursor = readonly Scalar[];

/** Which records, in which order, and how many. Every ask is a range of one index. */
export interface PageAsk {
  /** A declared index, `key` for the order of the key, or `placed` for the order of commits. */
  readonly index: string;
  /** Values of a prefix of the index's fields. */
  readonly equal?: Readonly<Record<string, Scalar>>;
  /** Values of the field after the equal ones: any of them, merged into one order. */
  readonly in?: { readonly field: string; readonly values: readonly Scalar[] };
  /** A range of the first field after those: `from` inclusive, `to` exclusive. */
  readonly from?: Scalar;
  readonly to?: Scalar;
  /** Continues after this position, even if its row is gone. */
  readonly after?: PageCursor;
  readonly direction?: 'ascending' | 'descending';
  /** 1 to PAGE_RECORDS_MAX. */
  readonly limit: number;
  /** Rejects with `record-damaged` where one cannot be read; absent: it is left out, and named. */
  readonly isWhole?: true;
}

/** Records in the requested order, at most `limit`. */
export interface Page<R> {
  readonly records: readonly R[];
  /** Names of records among them that cannot be read; absent: all can. */
  readonly damaged?: readonly string[];
  /** Where the next page begins. Absent: this page was the last one when it was read. */
  readonly next?: PageCursor;
}

/** A row with the lease under which a worker has it. */
export interface Leased<R> {
  readonly record: R;
  readonly lease: Lease;
}

/** Who has a row, as the store sees it. */
export interface Lease {
  readonly holder: string;
  /** Grows whenever the row is taken: a write under an older fence is refused. */
  readonly fence: number;
  /** Grows with each renewal. If it stands still, its holder is silent. */
  readonly beat: number;
  /** How often the row was begun and not ended, this time included. */
  readonly tries: number;
}

/** Work fields of a record as they are to become; a value of undefined removes one. */
export type WorkFields<R extends TableRecord> = {
  readonly [Name in keyof R]?: R[Name] | undefined;
};

/** The part of a lease that its holder names with each write. */
export type LeaseClaim = Pick<Lease, 'holder' | 'fence'>;

/**
 * Access to all declared tables. A table that was not declared when storage was opened is refused
 * by an assert.
 */
export interface Tables {
  /** Absent is an answer, not an error. */
  find<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    key: Pick<R, K>,
  ): Promise<R | undefined>;
  /** In no order; keys without a record are left out. */
  findMany<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    keys: readonly Pick<R, K>[],
  ): Promise<readonly R[]>;
  /**
   * The one record with these values of a `unique` declaration. Each of its members has a value
   * here, but for a derived one: only records for which that holds are looked at.
   */
  findUnique<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    name: string,
    values: Readonly<Record<string, Scalar>>,
  ): Promise<R | undefined>;
  page<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: PageAsk,
  ): Promise<Page<R>>;
  /**
   * The first record of each value of `lane` in this index, then the second of each, and so on.
   * Within a turn the fields after the lane decide. `equal` names the fields before it. For open
   * work of tenants, of which an index holds few rows.
   */
  inTurns<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: Pick<PageAsk, 'index' | 'equal' | 'limit'> & { readonly lane: string },
  ): Promise<readonly R[]>;
  /**
   * Current number of a stamp; it differs where something changed. Cheap, because processes poll
   * it.
   */
  stamp(name: string): Promise<number>;

  /**
   * Writes the records that do not exist, without evidence; existing ones stay as they are. Not one
   * step, and harmless to repeat. Not for tables with `unique`.
   */
  insertMissing<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    records: readonly R[],
  ): Promise<void>;
  /**
   * Sets work fields. False, with nothing written: the record does not exist, has ended, or (with a
   * claim) is another holder's.
   */
  saveWork<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: {
      readonly key: Pick<R, K>;
      readonly claim?: LeaseClaim;
      readonly work: WorkFields<R>;
    },
  ): Promise<boolean>;
  /** Raises the touched member, and never lowers it. */
  touch<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    key: Pick<R, K>,
    value: number,
  ): Promise<void>;

  /** Lanes with rows that may be taken, in the order of their values, after `after`. */
  lanes(
    table: AnyTable,
    ask: { readonly now: EpochMs; readonly after?: readonly Scalar[]; readonly limit: number },
  ): Promise<readonly (readonly Scalar[])[]>;
  /**
   * Takes free and due rows of one lane, in their order; no two callers get the same row. Each
   * comes with the next fence and one more try.
   */
  lease<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: {
      readonly lane: readonly Scalar[];
      readonly holder: string;
      readonly now: EpochMs;
      readonly limit: number;
    },
  ): Promise<readonly Leased<R>[]>;
  /** Takes this row if it is free and has not ended. Due times do not count. */
  claim<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: { readonly key: Pick<R, K>; readonly holder: string },
  ): Promise<Leased<R> | undefined>;
  /**
   * Takes a row over from a silent holder: only if its fence and beat are still those that the
   * caller saw stand still (core/work). Wall clocks do not count.
   */
  takeOver<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: { readonly key: Pick<R, K>; readonly seen: Lease; readonly holder: string },
  ): Promise<Leased<R> | undefined>;
  /** Rows that are leased, in the order of the key, after `after`. */
  held<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: { readonly after?: PageCursor; readonly limit: number },
  ): Promise<readonly Leased<R>[]>;
  /**
   * Renews a lease by one beat, with work fields if there is progress to save. False: the lease is
   * lost.
   */
  renew<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: {
      readonly key: Pick<R, K>;
      readonly claim: LeaseClaim;
      readonly work?: WorkFields<R>;
    },
  ): Promise<boolean>;
  /**
   * Releases the row, with work fields as they are to become. `isTried: false`: the try does not
   * count. `hasGotOn`: a part of it is done, so tries are counted anew. False: the lease is lost.
   */
  giveBack<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: {
      readonly key: Pick<R, K>;
      readonly claim: LeaseClaim;
      readonly isTried: boolean;
      readonly hasGotOn?: true;
      readonly work?: WorkFields<R>;
    },
  ): Promise<boolean>;

  /** Removes records past their `kept`, at most PAGE_RECORDS_MAX; returns how many. */
  purge(table: AnyTable, now: EpochMs): Promise<number>;
}
