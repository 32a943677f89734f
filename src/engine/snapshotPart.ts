/**
 * What one thread gathers of a list that several threads index: the tables of the entities that it
 * was given, in batches of which others got those between, and a dictionary of its own. joinParts
 * makes the tables of the whole list of them, which are the same however batches were dealt out.
 */
import type { Snapshot } from './snapshotFormat.ts';

/** Tables of a snapshot that are gathered entity by entity; starts count within the part. */
export type PartColumns = Pick<
  Snapshot,
  | `entity${'Schema' | 'Categories' | 'Flags' | `First${'Form' | 'Date' | 'Nation'}`}`
  | `${'id' | 'card' | 'name'}Start`
  | 'dateFrom'
  | 'dateTo'
  | 'nationCode'
  | `form${'Name' | 'Flags' | 'FirstToken' | 'Token' | 'Facts'}`
>;

/** A dictionary: distinct texts in ascending order, end to end, and what they sound like. */
export type PartTokens = Pick<
  Snapshot,
  `token${'Start' | 'Units' | 'Kind' | 'Primary' | 'Alternate'}`
>;

/** Texts of a batch's entities as they stand in the snapshot. */
export interface PartBatch {
  /** Of all batches of the list. */
  readonly number: number;
  readonly entities: number;
  readonly ids: Uint8Array;
  readonly cards: Uint8Array;
  /** Of those names that gave a form. */
  readonly names: Uint8Array;
}

/** See the head of the file. */
export interface SnapshotPart {
  /** Ascending by number. */
  readonly batches: readonly PartBatch[];
  readonly columns: PartColumns;
  readonly tokens: PartTokens;
  /** Place in `tokens` of each token that a form of `columns` names. */
  readonly tokenPlaces: Uint32Array;
}

/** What goes to another thread without being copied. */
export function buffersOfPart({ batches, columns, tokens, tokenPlaces }: SnapshotPart) {
  const texts = batches.flatMap(({ ids, cards, names }) => [ids, cards, names]);
  const arrays = [...texts, ...Object.values(columns), ...Object.values(tokens), tokenPlaces];
  const buffers = new Set(arrays.map(({ buffer }) => buffer));
  return [...buffers].filter((buffer) => buffer instanceof ArrayBuffer);
}
