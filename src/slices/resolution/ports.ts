/**
 * Which entries of several lists are one: the records (tables.ts), and what is read of them
 * (resolutionStore.ts).
 */

export interface EntityReference {
  readonly source: string;
  readonly ftm_id: string;
}

export type ResolvedList = readonly [source: string, listDigest: string, contentDigest: string];

/** Two entries that a person has said to be two. */
export interface ApartPair {
  readonly a: EntityReference;
  readonly b: EntityReference;
}

/** The store's record of which blob is the resolution in force. */
export interface ResolutionPointer {
  /** Content address of the blob, and the resolution's digest. */
  readonly blob: string;
  /** Lists by source: it shows whether the resolution still fits the lists in force. */
  readonly lists: readonly ResolvedList[];
  /** Pairs that persons have separated; every resolution passes them on to the next. */
  readonly apart?: readonly ApartPair[];
  /**
   * It was carried over to a new version (carryResolution.ts): its lists are still to be resolved.
   */
  readonly isCarried?: true;
  readonly version: number;
}

export interface ResolutionStore {
  /** The latest: which entries of the lists are one. */
  findResolution(): Promise<ResolutionPointer | undefined>;
}
