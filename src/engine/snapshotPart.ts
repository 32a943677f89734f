/**
 * The part of a snapshot that one thread builds, of a list that several threads index: the tables
 * of its batches of entities, and a dictionary of its own. Batches of other threads come between
 * them. joinParts makes the tables of the whole list, which do not depend on how batches were dealt
 * out.
 */
import type { Snapshot } from './snapshotFormat.ts';

/**
 * Tables of a snapshot that grow entity by entity. Starts count within the part, and `formToken`
 * has the part's own token numbers.
 */
export type PartColumns = Pick<
  Snapshot,
  | `entity${'Schema' | 'Categories' | 'Flags' | `First${'Form' | 'Date' | 'Nation'}`}`
  | `${'id' | 'card' | 'name'}Start`
  | 'dateFrom'
  | 'dateTo'
  | 'nationCode'
  | `form${'Name' | 'Flags' | 'FirstToken' | 'Token' | 'Facts'}`
  | 'identifierKey'
  | 'identifierCheck'
> & {
  /** Identifiers of the entities in their order; a snapshot has them by key alone. */
  readonly entityFirstIdentifier: Uint32Array;
};

/**
 * A dictionary: distinct texts in ascending order of code units, end to end, with their kinds and
 * phonetic codes.
 */
export type PartTokens = Pick<
  Snapshot,
  `token${'Start' | 'Units' | 'Kind' | 'Primary' | 'Alternate'}`
>;

/** Texts of a batch's entities in UTF-8, end to end, as the snapshot stores them. */
export interface PartBatch {
  /** Place of the batch among all batches of the list, from 0 on. */
  readonly number: number;
  readonly entities: number;
  readonly ids: Uint8Array;
  readonly cards: Uint8Array;
  /** Names that gave a form; others are dropped. */
  readonly names: Uint8Array;
}

/** The tables and texts of one part; PartBuilder.finish makes it, joinParts consumes it. */
export interface SnapshotPart {
  /** Ascending by number. */
  readonly batches: readonly PartBatch[];
  readonly columns: PartColumns;
  readonly tokens: PartTokens;
  /** Place in `tokens` of each token number that `columns.formToken` uses. */
  readonly tokenPlaces: Uint32Array;
}

/**
 * The distinct buffers of a part, to be transferred to another thread; the sender cannot read it
 * afterwards.
 */
export function buffersOfPart({ batches, columns, tokens, tokenPlaces }: SnapshotPart) {
  const texts = batches.flatMap(({ ids, cards, names }) => [ids, cards, names]);
  const arrays = [...texts, ...Object.values(columns), ...Object.values(tokens), tokenPlaces];
  const buffers = new Set(arrays.map(({ buffer }) => buffer));
  return [...buffers].filter((buffer) => buffer instanceof ArrayBuffer);
}
