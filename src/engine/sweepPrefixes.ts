/** How many units the prefix boost may count, by how a form begins (native/signs.ts). */
import type { ListAsk } from './listAsk.ts';

/** Units that the prefix boost may count, where a form begins alike with 0, 1 or more units. */
const PREFIX_MOST = [0, 1, 4];
/**
 * The same where single letters stand first in the sorted order, of which the index knows nothing:
 * a form with one may begin with its letter, and a query with one alike in full.
 */
const PREFIX_MOST_LETTERS = [1, 1, 4];
const PREFIX_MOST_LETTER_QUERY = [4, 4, 4];

/** Ways in which a form may begin. */
export const PREFIXES = PREFIX_MOST.length;

/** The units by way, for a query and its rules. */
export function prefixesOf({ query, rules }: Pick<ListAsk, 'query' | 'rules'>): readonly number[] {
  if (rules !== 1) return PREFIX_MOST;
  return query.hasLetters ? PREFIX_MOST_LETTER_QUERY : PREFIX_MOST_LETTERS;
}
