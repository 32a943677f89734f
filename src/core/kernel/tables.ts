/**
 * What slices and core ask of storage beside commits: reads of declared tables, and the writes that
 * leave no evidence (work, leases, retention). src/storage/<technology> implements it once for all
 * tables. Every read sees every commit that was answered before it was asked; one call is one
 * snapshot, and two calls have none in common.
 */
import type { EpochMs } from '#platform/clock';
import type { AnyTable, FieldOf, Scalar, Table, TableRecord } from './table.ts';

/** Rows of one page, keys of one `findMany`, rows of one step of a purge. */
export const PAGE_RECORDS_MAX = 1_000;
/** Records of one `insertMissing`. */
export const INSERT_RECORDS_MAX = 1_000;
/** Values of `in`, each a range of its own. */
export const IN_VALUES_MAX = 8;
/** Rows of one lease. */
export const LEASE_ROWS_MAX = 100;
/** Changes of one commit. */
export const CHANGES_MAX = 1_000;

/** The values that a page went on from: of the index's fields that are not equal, then the key. */
export type PageCursor = readonly Scalar[];

/** Which records, in which order, and how many; whatever it asks is a range of one index. */
export interface PageAsk {
  /** A declared index, `key` for the order of the key, or `placed` for the order of commits. */
  readonly index: string;
  /** Of a prefix of the index's fields. */
  readonly equal?: Readonly<Record<string, Scalar>>;
  /** Of the field after the equal ones: any of these values, merged into one order. */
  readonly in?: { readonly field: string; readonly values: readonly Scalar[] };
  /** A range of the first field behind those: `from` inclusive, `to` exclusive. */
  readonly from?: Scalar;
  readonly to?: Scalar;
  /** Behind it, whether its row still stands or not. */
  readonly after?: PageCursor;
  readonly direction?: 'ascending' | 'descending';
  /** 1 to PAGE_RECORDS_MAX. */
  readonly limit: number;
}

/** Records in the order that was asked, at most `limit`. */
export interface Page<R> {
  readonly records: readonly R[];
  /** There are more behind it; absent: there were none when this page was read. */
  readonly next?: PageCursor;
}

/** A row that a worker has in hand. */
export interface Leased<R> {
  readonly record: R;
  readonly lease: Lease;
}

/** Who has a row, as the store sees it. */
export interface Lease {
  readonly holder: string;
  /** Grows whenever the row is taken: what was done under an older one is refused. */
  readonly fence: number;
  /** Grows with each renewal: standing still, it tells that its holder is silent. */
  readonly beat: number;
  /** How often the row was begun and not ended, this time included. */
  readonly tries: number;
}

/** Work fields of a record as they are to be; a value of undefined takes one away. */
export type WorkFields<R extends TableRecord> = {
  readonly [Name in keyof R]?: R[Name] | undefined;
};

/** The part of a lease that its holder names with each write. */
export type LeaseClaim = Pick<Lease, 'holder' | 'fence'>;

/** The port. A table that was not declared when storage was opened is refused by an assert. */
export interface Tables {
  /** Absent is an answer, not an error. */
  find<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    key: Pick<R, K>,
  ): Promise<R | undefined>;
  /** In no order; keys that name nothing are left out. */
  findMany<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    keys: readonly Pick<R, K>[],
  ): Promise<readonly R[]>;
  /** The one record with these values of a `unique` declaration. */
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
   * The first record of each value of `lane` in this index, then each one's second, and so on; in a
   * turn by the fields behind. `equal` names the fields before the lane. For open work of tenants,
   * of which an index holds little.
   */
  inTurns<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: Pick<PageAsk, 'index' | 'equal' | 'limit'> & { readonly lane: string },
  ): Promise<readonly R[]>;
  /** Number of a stamp: it differs where something changed. Cheap: processes poll it. */
  stamp(name: string): Promise<number>;

  /**
   * Writes records that are not there, without evidence; those that are stay as they are. Not one
   * step, and harmless to repeat. Not on tables with `unique` or `rows`.
   */
  insertMissing<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    records: readonly R[],
  ): Promise<void>;
  /**
   * Sets work fields. False, with nothing written: the record is not there, has ended, or (with a
   * claim) is another's.
   */
  saveWork<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: {
      readonly key: Pick<R, K>;
      readonly claim?: LeaseClaim;
      readonly work: WorkFields<R>;
    },
  ): Promise<boolean>;
  /** Moves the touched member on, never back. */
  touch<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    key: Pick<R, K>,
    value: number,
  ): Promise<void>;

  /** Lanes with rows that may be taken, in the order of their values, behind `after`. */
  lanes(
    table: AnyTable,
    ask: { readonly now: EpochMs; readonly after?: readonly Scalar[]; readonly limit: number },
  ): Promise<readonly (readonly Scalar[])[]>;
  /**
   * Takes rows of one lane that nobody has and that are due, in their order; no two callers get the
   * same. Each with its fence and its try one on.
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
  /** Takes this row, if nobody has it and it has not ended. Due times do not count. */
  claim<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: { readonly key: Pick<R, K>; readonly holder: string },
  ): Promise<Leased<R> | undefined>;
  /**
   * Takes a row from a holder that fell silent: only if its fence and beat are still those that the
   * caller saw stand still (core/work). What the clocks on the wall say does not count.
   */
  takeOver<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: { readonly key: Pick<R, K>; readonly seen: Lease; readonly holder: string },
  ): Promise<Leased<R> | undefined>;
  /** Rows in somebody's hands, in the order of the key, behind `after`. */
  held<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: { readonly after?: PageCursor; readonly limit: number },
  ): Promise<readonly Leased<R>[]>;
  /**
   * One beat on, with work fields if there is something to tell. False: it is the caller's no more.
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
   * Lets the row go, with work fields as they are to be. `isTried: false`: the try does not count.
   * False: it is the caller's no more.
   */
  giveBack<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ask: {
      readonly key: Pick<R, K>;
      readonly claim: LeaseClaim;
      readonly isTried: boolean;
      readonly work?: WorkFields<R>;
    },
  ): Promise<boolean>;

  /** Removes records past their `kept`, PAGE_RECORDS_MAX at the most; answers how many went. */
  purge(table: AnyTable, now: EpochMs): Promise<number>;
}
