/**
 * Latin spellings of names in Hangul. A name of two to four syllables that begins with a Korean
 * family name is spelt as Koreans of the South, of the North and abroad spell theirs; any other
 * word is a foreign name, spelt as learnt (learntScript.ts).
 */
import table from '../../../config/tables/hangulReadings.json' with { type: 'json' };
import { LearntScript } from './learntScript.ts';

/** Syllables of a Korean's name that is written as one word. */
const NAME_SYLLABLES_MAX = 4;
const GIVEN_SYLLABLES_MAX = 3;
const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
const MEDIALS = 21;
const FINALS = 28;

/**
 * Ways to write a syllable: Revised, as in the North, as abroad, McCune-Reischauer; each has one
 * text per initial, medial and final, in the order of Unicode. `-` is no letter at all.
 */
const STYLES = table.styles.map(({ initials, medials, finals }) => ({
  finals: partsOf(finals),
  initials: partsOf(initials),
  medials: partsOf(medials),
}));
const SURNAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(table.surnames).map(([name, spelt]) => [name, spelt.split(' ')]),
);
const learnt = new LearntScript(table, (word) => [...word.normalize('NFD')]);

function partsOf(texts: string): readonly string[] {
  return texts.split(' ').map((text) => (text === '-' ? '' : text));
}

/** Whether a character is a syllable of Hangul. */
export function isHangul(codePoint: number): boolean {
  return codePoint >= FIRST_SYLLABLE && codePoint <= LAST_SYLLABLE;
}

function syllable(char: string, style: (typeof STYLES)[number]): string {
  const index = (char.codePointAt(0) ?? FIRST_SYLLABLE) - FIRST_SYLLABLE;
  const initial = style.initials[Math.floor(index / (MEDIALS * FINALS))] ?? '';
  const medial = style.medials[Math.floor(index / FINALS) % MEDIALS] ?? '';
  return initial + medial + (style.finals[index % FINALS] ?? '');
}

/** A given name in each style, its syllables apart. */
export function koreanGiven(name: string): string[] {
  return STYLES.map((style) => [...name].map((char) => syllable(char, style)).join(' '));
}

/** A Korean's family and given name, likeliest spellings first. */
export function koreanName(family: string, given: string): string[] {
  const families = SURNAMES.get(family) ?? [];
  const spelt = koreanGiven(given);
  // One style throughout comes first; a family keeps its own spelling in any of them.
  const [usual = '', other = usual, third = usual] = families;
  const pairs = [
    ...spelt.map((name) => `${usual} ${name}`),
    ...[other, third].flatMap((surname) => spelt.slice(0, 3).map((name) => `${surname} ${name}`)),
  ];
  return [...new Set(pairs)];
}

/** Family and given name of a word that may be a Korean's whole name; undefined for any other. */
function partsOfName(word: string): readonly [string, string] | undefined {
  const syllables = [...word];
  if (syllables.length < 2 || syllables.length > NAME_SYLLABLES_MAX) return undefined;
  for (const length of [2, 1]) {
    const family = syllables.slice(0, length).join('');
    const given = syllables.slice(length);
    const isLong = given.length > 0 && given.length < NAME_SYLLABLES_MAX;
    if (isLong && SURNAMES.has(family)) return [family, given.join('')];
  }
  return undefined;
}

/** Spellings of a name that is one word of Hangul. */
export function hangulName(word: string): readonly (readonly string[])[] {
  const parts = learnt.knows(word) ? undefined : partsOfName(word);
  const spelt = learnt.spellings(word);
  return parts === undefined ? [spelt] : [koreanName(parts[0], parts[1]), spelt];
}

/** Spellings of one word of a longer name; `before`: the word before it. */
export function hangulWord(word: string, before: string | undefined): readonly string[] {
  const surname = before === undefined ? SURNAMES.get(word) : undefined;
  if (surname !== undefined && [...word].length <= 2) return surname;
  const spelt = learnt.spellings(word);
  const isGiven =
    before !== undefined &&
    [...before].length === 1 &&
    SURNAMES.has(before) &&
    [...word].length <= GIVEN_SYLLABLES_MAX;
  return isGiven ? [...koreanGiven(word), ...spelt.slice(0, 2)] : spelt;
}
