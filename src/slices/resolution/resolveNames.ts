/**
 * Whether two names are one name strongly enough to count beside an equal date of birth: every word
 * of the shorter one has a partner of its own in the longer, equal or spelt almost alike; two of
 * them at least. Word order does not count; a father's or a family's name may be missing.
 *
 * Why not one similarity figure: an analyst must be able to see why two entries became one hit, and
 * "all words of the one are in the other" can be seen.
 */
import { foldText } from '#platform/foldText';

/** Articles and the like, which one publisher writes and another leaves out. */
const PARTICLES: ReadonlySet<string> = new Set(['al', 'el', 'ul', 'ad', 'bin', 'ben', 'ibn', 'de']);
const WORDS_MIN = 2;
export const WORDS_MAX = 12;
/** Letters that a word needs for one edit, and for two, to be tolerated. */
const ONE_EDIT_LENGTH = 4;
const TWO_EDITS_LENGTH = 8;
/** Comparing longer ones costs more than a name is worth: they are equal or different. */
const ALIKE_LENGTH_MAX = 64;

/** Folded words in code-unit order, without particles. */
export function wordsOf(name: string): readonly string[] {
  const words = foldText(name)
    .split(' ')
    .filter((word) => word.length > 1 && !PARTICLES.has(word));
  return [...new Set(words)].sort();
}

/** Words of a name; empty for a name that is too short to identify anyone. */
export function nameWords(name: string): readonly string[] {
  const words = wordsOf(name);
  return words.length >= WORDS_MIN && words.length <= WORDS_MAX ? words : [];
}

export function isSameName(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < WORDS_MIN) return false;
  const taken = new Set<number>();
  // Equal words first, so that none of them is used up for one that is only alike.
  const open = short.filter((word) => !take(long, taken, (other) => other === word));
  return open.every((word) => take(long, taken, (other) => isAlike(word, other)));
}

function take(
  words: readonly string[],
  taken: Set<number>,
  fits: (word: string) => boolean,
): boolean {
  const index = words.findIndex((word, position) => !taken.has(position) && fits(word));
  if (index >= 0) taken.add(index);
  return index >= 0;
}

function isAlike(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  if (length < ONE_EDIT_LENGTH || length > ALIKE_LENGTH_MAX || a[0] !== b[0]) return false;
  const editsMax = length >= TWO_EDITS_LENGTH ? 2 : 1;
  return Math.abs(a.length - b.length) <= editsMax && edits(a, b) <= editsMax;
}

/** Whether any names of the two sides share a word. */
export function shareWord(
  a: readonly (readonly string[])[],
  b: readonly (readonly string[])[],
): boolean {
  const words = new Set(b.flat());
  return a.flat().some((word) => words.has(word) || [...words].some((x) => isAlike(word, x)));
}

/** Levenshtein distance of two short words. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
