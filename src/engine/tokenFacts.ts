/**
 * A tag and a weight of a token within one name, for re-rankers that read them. They are stored for
 * each token of each form. Re-ranker 1.0.0 reads neither, so nothing is stored while all are 0.
 */

/** Facts of a token, both 0..255; the re-ranker that reads them defines their meaning. */
export interface TokenFacts {
  readonly tag: number;
  readonly weight: number;
}

/** One token of a folded form: `tokens[at]`. */
export interface TokenPlace {
  readonly tokens: readonly string[];
  readonly at: number;
  readonly schema: 'Person' | 'Company' | 'Other';
}

/** Whether describeToken has any facts; builds do not call it otherwise. */
export const HAS_TOKEN_FACTS: boolean = false;

const NONE: TokenFacts = { tag: 0, weight: 0 };

/**
 * Facts of one token of a folded form. Must be pure, since a snapshot has the same bytes
 * everywhere.
 */
export function describeToken(_place: TokenPlace): TokenFacts {
  return NONE;
}
