/**
 * Latin spellings of names in Hangul, Han characters, kana and Hebrew, likeliest first: what
 * re-ranker 2 compares beside the name itself, as it does for Arabic (arabicVariants.ts). One
 * romanisation serves few queries: 김 is Kim and Gim, 田中 Tanaka and Tian Zhong, and Hebrew leaves
 * vowels out.
 */
import table from '../../../config/tables/hebrewReadings.json' with { type: 'json' };
import { arabicChoices, hasArabic, rankSpellings, wordSpellings } from '../arabicVariants.ts';
import type { Deadline } from '../deadline.ts';
import { latinTokens } from '../foldName.ts';
import { hangulName, hangulWord, isHangul } from './hangulReadings.ts';
import { hanHalves, hanName, hanWord, isHan, isKana } from './hanReadings.ts';
import { LearntScript } from './learntScript.ts';

/** Leading words of a name that are spelt; later words are left out of its spellings. */
const WORDS_MAX = 8;
/** Spellings of a word that are combined with those of the others. */
const CHOICES_MAX = 6;
const HEBREW_FIRST = 0x05d0;
const HEBREW_LAST = 0x05ea;

const hebrew = new LearntScript(table, (word) => [...word]);

type Script = 'hangul' | 'han' | 'hebrew' | 'other';

function isHebrew(codePoint: number): boolean {
  return codePoint >= HEBREW_FIRST && codePoint <= HEBREW_LAST;
}

function scriptOf(word: string): Script {
  const points = [...word].map((char) => char.codePointAt(0) ?? 0);
  if (points.every(isHangul)) return 'hangul';
  if (points.some(isHan) && points.every((one) => isHan(one) || isKana(one))) return 'han';
  return points.every(isHebrew) ? 'hebrew' : 'other';
}

/** Whether a folded name has a word that this file spells. */
export function hasReadings(name: string): boolean {
  for (const char of name) {
    const codePoint = char.codePointAt(0) ?? 0;
    if (isHangul(codePoint) || isHan(codePoint) || isHebrew(codePoint)) return true;
  }
  return false;
}

/** Spellings of one word of a name of several. */
function spellingsOf(words: readonly string[], at: number): readonly string[] {
  const word = words[at] ?? '';
  const script = scriptOf(word);
  if (script === 'hebrew') return hebrew.spellings(word);
  if (script === 'hangul') return hangulWord(word, words[at - 1]);
  if (script === 'han') return hanWord(word);
  return hasArabic(word) ? wordSpellings(word) : [latinTokens(word).join(' ')];
}

function combined(words: readonly string[], most: number, deadline?: Deadline): string[] {
  const choices = words.map((_, at) => {
    deadline?.check();
    return spellingsOf(words, at)
      .filter((text) => text !== '')
      .slice(0, words.length === 1 ? most : CHOICES_MAX);
  });
  const sounding = choices.filter((texts) => texts.length > 0);
  const out = new Set<string>();
  rankSpellings(sounding, most, (ranks) => {
    out.add(ranks.map((rank, word) => sounding[word]?.[rank] ?? '').join(' '));
    return out.size;
  });
  return [...out];
}

/**
 * All spellings that are known for each word of a folded name, likeliest first; words without a
 * sound are left out.
 */
export function wordChoices(name: string): (readonly string[])[] {
  const words = name.split(' ').slice(0, WORDS_MAX);
  if (!hasReadings(name)) return arabicChoices(words);
  return words
    .map((_, at) => spellingsOf(words, at).filter((text) => text !== ''))
    .filter((texts) => texts.length > 0);
}

/** One of each list in turn; a longer list has the places that the others leave. */
function inTurn(lists: readonly (readonly string[])[], most: number): string[] {
  const out = new Set<string>();
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let rank = 0; rank < longest; rank++) {
    for (const texts of lists) {
      const text = texts[rank];
      if (text !== undefined && text !== '' && out.size < most) out.add(text);
    }
  }
  return [...out];
}

/**
 * At most `most` Latin spellings of a folded name, likeliest first; none for a name without a word
 * of these scripts. The deadline is looked at between words.
 */
export function scriptSpellings(name: string, most: number, deadline?: Deadline): string[] {
  if (!hasReadings(name)) return [];
  const words = name.split(' ').slice(0, WORDS_MAX);
  const [only = '', second = ''] = words;
  deadline?.check();
  if (words.length === 1) {
    const script = scriptOf(only);
    if (script === 'hangul') return inTurn(hangulName(only), most);
    if (script === 'han') return inTurn(hanName(only), most);
    return combined(words, most, deadline).slice(0, most);
  }
  const areHalves = words.length === 2 && scriptOf(only) === 'han' && scriptOf(second) === 'han';
  const halves = areHalves ? hanHalves(only, second) : [];
  return inTurn([...halves, combined(words, most, deadline)], most);
}
