/** The documents of declared tables, and the writes to them that an intent holds. */
import type { Filter, UpdateFilter } from 'mongodb';

/** A record as it is stored; tableForm says what each field is. */
export interface TableDocument {
  readonly _id: string;
  readonly version?: number;
  readonly document?: string;
  readonly work?: Readonly<Record<string, string | null>>;
  readonly leaseHolder?: string | null;
  readonly leaseFence?: number;
  readonly leaseBeat?: number;
  readonly tries?: number;
  readonly rev?: number;
  readonly isGone?: true;
  readonly isBeside?: true;
  readonly [field: string]: unknown;
}

/** Names of fields are data here, which the driver's types cannot follow. */
export const asFilter = (filter: object): Filter<TableDocument> => filter;
/** As `asFilter`, for an update. */
export const asUpdate = (update: object): UpdateFilter<TableDocument> => update;

/** The state of a document that a write was planned upon. */
export interface StepBefore {
  readonly _id: string;
  readonly version: number | null;
  readonly rev: number | null;
}

/** One write of one change, as plain data. */
export type TableStep =
  | { readonly op: 'append'; readonly table: string; readonly document: TableDocument }
  | {
      readonly op: 'insert';
      readonly table: string;
      readonly document: TableDocument;
      /** `rev` of the mark that a removed record has left there. */
      readonly over?: number;
    }
  | {
      readonly op: 'put';
      readonly table: string;
      readonly before: StepBefore;
      readonly set: Readonly<Record<string, unknown>>;
      readonly unset: readonly string[];
      /** Work members that stand in the old document alone, and go on in `work`. */
      readonly carried: Readonly<Record<string, string>>;
    }
  | { readonly op: 'remove'; readonly table: string; readonly before: StepBefore }
  /** Changes nothing but that another writer of the document conflicts. */
  | {
      readonly op: 'touch';
      readonly table: string;
      readonly _id: string;
      readonly leaseFence: number;
    };

/** The document of store_state that holds a stamp. */
export type StampId = 'publications' | `stamp/${string}`;

/** Writes in their order, and the stamps that move with them. */
export interface TableWrites {
  readonly steps: readonly TableStep[];
  readonly stamps: readonly { readonly _id: StampId; readonly isInTurn: boolean }[];
}

/** A group's writes: those in the installation's turn, and those in its chain's. */
export interface TableEffects {
  readonly inTurn: TableWrites;
  readonly inChain: TableWrites;
}
