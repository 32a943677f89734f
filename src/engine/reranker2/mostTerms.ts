/**
 * The most that two names can say for a match, from their single words alone: a bound under which
 * they need not be aligned.
 */
import type { Alignment, Link } from './alignment.ts';
import { alikeOf, bitsOf, informationOf, withRest } from './linkWeights.ts';
import type { NameToken } from './nameToken.ts';
import { type PreparedName, TOKENS_MAX } from './preparedName.ts';
import { REASON } from './tokenSimilarity.ts';
import { PART } from './wordFacts.ts';

/** The most that terms which speak for a match can be, and the least of one that speaks against. */
export interface MostTerms {
  coverage: number;
  information: number;
  /** 1 where words may be written as one. */
  joined: number;
  /** Weight of words on both sides that surely stand for nothing. */
  conflict: number;
  bits: number;
}

/** Reads bounds; an instance is used again for the next pair. */
export class MostReader {
  /** What was read last. */
  readonly most: MostTerms = { bits: 0, conflict: 0, coverage: 0, information: 0, joined: 0 };
  readonly #bits = new Float64Array(TOKENS_MAX);
  readonly #alike = new Float64Array(TOKENS_MAX);

  /**
   * The most that names can say which are not aligned yet, only searched for words that may stand
   * for each other: each word of the query by the best of them, none spent.
   */
  read(query: PreparedName, entry: PreparedName, alignment: Alignment): MostTerms {
    const { most } = this;
    const { found, foundCount } = alignment;
    const bits = this.#bits.fill(0, 0, query.tokens.length);
    const alike = this.#alike.fill(0, 0, query.tokens.length);
    let queryMet = 0;
    let entryMet = 0;
    most.joined = 0;
    for (let at = 0; at < foundCount; at++) {
      const link = found[at] as Link;
      const own = alikeOf(query, entry, link);
      const known = bitsOf(query, entry, link);
      if (own > (alike[link.query] as number)) alike[link.query] = own;
      if (known > (bits[link.query] as number)) bits[link.query] = known;
      queryMet |= ((1 << link.queryCount) - 1) << link.query;
      entryMet |= ((1 << link.entryCount) - 1) << link.entry;
      if (link.reason === REASON.joined) most.joined = 1;
    }
    let together = 0;
    most.bits = 0;
    for (let at = 0; at < query.tokens.length; at++) {
      together += alike[at] as number;
      most.bits += bits[at] as number;
    }
    const queryRest = weightWithout(query, queryMet);
    const entryRest = weightWithout(entry, entryMet);
    most.conflict = Math.min(queryRest, entryRest);
    const all = withRest(together, queryRest, entryRest);
    most.coverage = all > 0 ? together / all : 0;
    most.information = informationOf(most.bits);
    return most;
  }
}

/** Weight of the words that are not in the set, but for numbers. */
function weightWithout({ tokens }: PreparedName, met: number): number {
  let weight = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as NameToken;
    if (((met >>> at) & 1) === 0 && (token.parts & PART.number) === 0) weight += token.weight;
  }
  return weight;
}
