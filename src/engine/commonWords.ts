/**
 * Whether a name has common words alone: Ali, International, Trading Company. Such a query finds
 * dozens of entries that have the word, and none of them because it is meant, so by re-ranker 1.1
 * it decides nothing by itself (formula.ts); of several common words only the very same do.
 *
 * A name tells as many bits as its words do together, and a word as many as it is rare: Ali, which
 * one name in thirty has, 4.9. General words of company names count once, legal forms not at all
 * where other words stay. The table (config/tables/commonWords.json) is fixed, so a query tells the
 * same whatever lists are in force.
 */
import table from '../../config/tables/commonWords.json' with { type: 'json' };
import { arabicSpellings, hasArabic } from './arabicVariants.ts';
import type { Deadline } from './deadline.ts';
import { foldName, LIST_SPELLINGS } from './foldName.ts';
import { nameCore } from './nameWords.ts';

/** A name that tells less has common words alone: one name in 512 is like it. */
export const BITS_MIN = 9;
/** Bits of a word that is not in the table, of a letter and of a digit. */
const RARE = 12;
const LETTER = 4.5;
const DIGIT = 3.3;

type Rows = readonly (readonly (number | string)[])[];
const bitsByWord = (rows: Rows): ReadonlyMap<string, number> =>
  new Map(
    rows.flatMap(([bits, words]) => {
      return String(words)
        .split(' ')
        .map((word) => [word, Number(bits)] as const);
    }),
  );

const GENERAL = bitsByWord(table.general);
const WORDS = bitsByWord(table.words);

/** Bits that a folded name in Latin letters tells; counting ends at BITS_MIN. */
export function informationOf(latin: string): number {
  const tokens = latin.split(' ');
  const { end, start } = nameCore(tokens);
  let sum = 0;
  let general = 0;
  for (let at = start; at < end && sum + general < BITS_MIN; at++) {
    const token = tokens[at] ?? '';
    const ofGeneral = GENERAL.get(token);
    if (ofGeneral === undefined) sum += bitsOf(token);
    else general = Math.max(general, ofGeneral);
  }
  return sum + general;
}

function bitsOf(token: string): number {
  const known = WORDS.get(token);
  if (known !== undefined) return known;
  if (/^\d+$/.test(token)) return token.length * DIGIT;
  return token.length === 1 ? LETTER : RARE;
}

/** How a query of common words alone is told in the event: it has one such word, or several. */
export type CommonWords = 'one' | 'several';

/**
 * Whether a name as given has common words alone, in any of its spellings where it is Arabic, and
 * how many; a name without a word has one.
 */
export function commonWordsOf(raw: string, deadline?: Deadline): CommonWords | undefined {
  const { latin, native } = foldName(raw);
  const spelt = hasArabic(native) ? arabicSpellings(native, LIST_SPELLINGS, deadline) : [];
  return commonWordsIn([latin, ...spelt]);
}

/** The same of a name that is folded: its spellings in Latin letters, the plainest first. */
export function commonWordsIn(spellings: readonly string[]): CommonWords | undefined {
  if (spellings.every((name) => informationOf(name) >= BITS_MIN)) return undefined;
  const tokens = (spellings[0] ?? '').split(' ');
  const { end, start } = nameCore(tokens);
  return new Set(tokens.slice(start, end)).size > 1 ? 'several' : 'one';
}
