/**
 * What a token is within one name: a tag and a weight, for re-rankers that read them. Stored beside
 * each token of each form; re-ranker 1.0.0 reads neither, so nothing is stored while all are 0.
 */

/** Both 0..255; their meaning is the re-ranker's. */
export interface TokenFacts {
  readonly tag: number;
  readonly weight: number;
}

/** A token in its name. */
export interface TokenPlace {
  readonly tokens: readonly string[];
  readonly at: number;
  readonly schema: 'Person' | 'Company' | 'Other';
}

/** False while describeToken has nothing to say: builds do not ask then. */
export const HAS_TOKEN_FACTS: boolean = false;

const NONE: TokenFacts = { tag: 0, weight: 0 };

/** Facts of one token of a folded form; pure, since a snapshot is the same bytes everywhere. */
export function describeToken(_place: TokenPlace): TokenFacts {
  return NONE;
}
