/**
 * Legal forms with a typing error: `LIMTIED`, `COPMANY`, `GMHB`. Folding maps a legal form only
 * where it is written right; re-ranker 1.1 also compares a query with the form that was meant, as
 * half of the letters of many company names are its legal form.
 */
import { LEGAL_PARTS } from './nameWords.ts';
import { RecentMemo } from './recentMemo.ts';

/** Shorter words with an edit are too many other words. */
const EDITED_MIN = 6;
const TURNED_MIN = 3;
/** Short words are meant as a legal form only where they stand last. */
const ANYWHERE_MIN = 5;
const WORDS_KEPT = 8_192;

const PARTS = [...LEGAL_PARTS].filter((part) => part.length >= TURNED_MIN);

/** By each word that two neighbouring letters of a legal word make when they change places. */
const TURNED: ReadonlyMap<string, string> = new Map(
  PARTS.flatMap((part) =>
    [...part.slice(1)].map((_, at): [string, string] => {
      const turned = `${part.slice(0, at)}${part[at + 1]}${part[at]}${part.slice(at + 2)}`;
      return [turned, part];
    }),
  ).filter(([turned]) => !LEGAL_PARTS.has(turned)),
);

const meant = new RecentMemo(WORDS_KEPT, meantPart);

/**
 * The words with their mistyped legal ones mended; undefined where there is none. The first word of
 * a name is left as it is.
 */
export function withMendedForm(words: readonly string[]): string[] | undefined {
  const last = words.length - 1;
  const mended = words.map((word, at) =>
    at === 0 || (word.length < ANYWHERE_MIN && at < last) ? word : meant.get(word),
  );
  return mended.some((word, at) => word !== words[at]) ? mended : undefined;
}

function meantPart(word: string): string {
  if (LEGAL_PARTS.has(word)) return word;
  const turned = TURNED.get(word);
  if (turned !== undefined) return turned;
  if (word.length < EDITED_MIN - 1) return word;
  return PARTS.find((part) => part.length >= EDITED_MIN && isOneEdit(part, word)) ?? word;
}

function isOneEdit(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length);
  if (Math.max(a.length, b.length) - most > 1) return false;
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return Math.max(a.length, b.length) - head - tail <= 1;
}
