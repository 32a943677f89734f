/**
 * Latin spellings of Arabic names: romaniseArabic gives the commonest one, arabicVariants the ways
 * that people write a name (English, folk French as in Tunisia, academic), best first,
 * deterministic, at most 16.
 *
 * Arabic leaves its short vowels out. A spelling is therefore looked up by token first
 * (config/tables/arabicTokens.json, from Wikidata), then found by what was learnt from names that
 * exist in both scripts (arabicSpelling.ts), then made by ordered letter tables. Input is folded:
 * no marks, hamza carriers plain, ta marbuta as ha.
 */
import letterTable from '../../config/tables/arabicLetters.json' with { type: 'json' };
import tokenTable from '../../config/tables/arabicTokens.json' with { type: 'json' };
import { spellArabic } from './arabicSpelling.ts';
import type { Deadline } from './deadline.ts';
import { RecentMemo } from './recentMemo.ts';

/** Latin variants that one name gets at most. */
export const ARABIC_VARIANTS_MAX = 16;
/** Leading words of a name that are spelt; later words are left out of its spellings. */
export const SPELT_WORDS_MAX = 12;
const CHOICES_MAX = 6;
const SUGGESTIONS_MAX = 4;
/** Words that are kept, up to twice as many; a stranger's words must not fill the memory. */
const CACHED_MAX = 5_000;
const STYLES = [0, 1, 2] as const;
type Style = (typeof STYLES)[number];

type StyledTable = ReadonlyMap<string, readonly string[]>;

/** Folds a table's key: tables are written as people write, but names arrive folded. */
function foldKey(key: string): string {
  return key.replaceAll('ة', 'ه').replaceAll('ى', 'ي').replaceAll('ک', 'ك').replaceAll('ی', 'ي');
}

function folded(entries: readonly (readonly [string, readonly string[]])[]): StyledTable {
  const table = new Map<string, readonly string[]>();
  for (const [key, values] of entries) {
    if (!table.has(foldKey(key))) table.set(foldKey(key), values);
  }
  return table;
}

const WORDS = folded(Object.entries(letterTable.words));
const LETTERS = folded(Object.entries(letterTable.letters));
const LONG_VOWELS: StyledTable = new Map(Object.entries(letterTable.longVowels));
const GLIDES: StyledTable = new Map(Object.entries(letterTable.glides));
const TOKENS = folded(
  Object.entries(tokenTable.tokens).map(([key, joined]) => [key, joined.split(' ')] as const),
);
const ARTICLE = 'ال';
const SERVANT = 'عبد';
const GOD = 'الله';
/** Length of what stands before the stem of `عبدالحليم`. */
const SERVANT_UNITS = SERVANT.length + ARTICLE.length;
const ALEF = 'ا';
const AIN = 'ع';
const HA = 'ه';

interface Sound {
  readonly text: string;
  readonly vowel: boolean;
}

function isVowelCarrier(char: string | undefined): boolean {
  return char !== undefined && LONG_VOWELS.has(char);
}

/** Letters → consonants and long vowels; و and ي are consonants at the start and before alef. */
function sounds(token: string, style: Style): Sound[] {
  const chars = [...token];
  return chars.flatMap((char, at): Sound[] => {
    const next = chars[at + 1];
    if (char === HA && at === chars.length - 1 && at > 1) {
      return [{ text: letterTable.taMarbuta[style] ?? 'a', vowel: true }];
    }
    if (char === AIN) return at === 0 || next === undefined ? [{ text: 'a', vowel: true }] : [];
    const glide = GLIDES.get(char);
    const startsSyllable = at === 0 || next === ALEF || isVowelCarrier(chars[at - 1]);
    if (glide !== undefined && startsSyllable && !(isVowelCarrier(chars[at - 1]) && !next)) {
      return [{ text: glide[style] ?? '', vowel: false }];
    }
    const long = LONG_VOWELS.get(char);
    if (long !== undefined) return [{ text: long[style] ?? '', vowel: true }];
    const text = LETTERS.get(char)?.[style] ?? (char < '\u0080' ? char : '');
    return text === '' ? [] : [{ text, vowel: false }];
  });
}

/**
 * Short vowels by syllable: no word begins or ends with two consonants, none has three in a row.
 */
function vowelled(parts: readonly Sound[], style: Style): string {
  const short = style === 1 ? 'e' : 'a';
  let out = '';
  let run = 0;
  let longBefore = false;
  parts.forEach((part, at) => {
    if (part.vowel) {
      out += out.endsWith(part.text) ? '' : part.text;
      run = 0;
      longBefore = true;
      return;
    }
    const wordStart = at > 0 && run === at;
    const wordEnd = at === parts.length - 1;
    if (run === 1 && wordStart) {
      out += 'a';
      run = 0;
    } else if (run >= 1 && wordEnd) {
      out += longBefore ? 'i' : short;
      run = 0;
    } else if (run >= 2) {
      out += 'a';
      run = 0;
    }
    out += part.text;
    run += 1;
  });
  return out;
}

function made(token: string, style: Style): string {
  return vowelled(sounds(token, style), style);
}

/**
 * Spellings of a word without article, some of them several times or empty: those of the styles
 * where they know the word, then those of Wikidata, then those learnt from names, last those made
 * by the letter tables. Each is made when it is asked for: to learn from names takes a hundred
 * times as long as the rest, and most words of a long name are asked for their first one alone.
 */
function* bareSpellings(token: string): Generator<string> {
  const known = WORDS.get(token) ?? [];
  yield* known;
  const learnt = TOKENS.get(token) ?? [];
  const usual = made(token, 0);
  if (learnt.length > 0) yield* learnt.slice(0, 2);
  else yield usual;
  const suggested = known.length > 0 ? [] : spellArabic(token, SUGGESTIONS_MAX);
  yield* suggested.slice(0, 2);
  yield usual;
  yield* suggested;
  yield* learnt;
  yield made(token, 1);
  yield made(token, 2);
}

const bareMemo = new RecentMemo(CACHED_MAX, (token) => distinct([...bareSpellings(token)]));

function bare(token: string): readonly string[] {
  return bareMemo.get(token);
}

/** The first of `bare(token)`; empty where there is none. */
function firstBare(token: string): string {
  for (const text of bareSpellings(token)) if (text !== '') return text;
  return '';
}

/** With the article as a word of its own, then joined; `ال` may also be part of a foreign name. */
function withArticle(stem: string, whole: string): string[] {
  const stems = bare(stem);
  const first = stems[0] ?? '';
  const assimilated = letterTable.sunLetters.includes(stem[0] ?? '') && first !== '';
  return distinct([
    ...letterTable.article.map((article) => `${article} ${first}`),
    ...(assimilated ? [`e${first[0] ?? ''} ${first}`] : []),
    `${letterTable.article[0]}${first}`,
    spellArabic(whole, 1)[0] ?? '',
    `${letterTable.article[1]}${first}`,
    ...stems.slice(1).map((text) => `${letterTable.article[0]} ${text}`),
  ]);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}

/** `عبد` before a name of God, written apart or together: Abdul Halim, Abdel Halim, Abdulhalim. */
function servantOf(stem: string): string[] {
  const [first = '', second = first] = bare(stem);
  const [english, french, academic] = letterTable.servantOf;
  return distinct([
    `${english} ${first}`,
    `${french} ${first}`,
    `${academic} ${first}`,
    `${english}${first}`,
    `${french}${first}`,
    `${english} ${second}`,
  ]);
}

/** A name before `الله`: Ezatullah, Ezat Ullah, Ezat Allah. */
function ofGod(token: string): string[] {
  const [first = '', second = first] = bare(token);
  const [god, , plain] = letterTable.ofGod;
  return distinct([
    ...letterTable.ofGod.map((ending) => `${first}${ending}`),
    `${second}${god}`,
    `${first} ${god}`,
    `${first} ${plain}`,
  ]);
}

const servantMemo = new RecentMemo(CACHED_MAX, (stem) => servantOf(stem).slice(0, CHOICES_MAX));
const ofGodMemo = new RecentMemo(CACHED_MAX, (token) => ofGod(token).slice(0, CHOICES_MAX));

/** Spellings of each word of a name; two Arabic words that Latin writes as one count as one. */
function choicesOf(tokens: readonly string[], deadline?: Deadline): (readonly string[])[] {
  const choices: (readonly string[])[] = [];
  for (let at = 0; at < tokens.length; at++) {
    deadline?.check();
    const token = tokens[at] ?? '';
    const next = tokens[at + 1] ?? '';
    const isServant = token === SERVANT && next.startsWith(ARTICLE) && next !== GOD;
    if (hasArabic(token) && next === GOD && token !== SERVANT) {
      choices.push(ofGodMemo.get(token));
      at += 1;
    } else if (isServant && next.length > ARTICLE.length + 1) {
      choices.push(servantMemo.get(next.slice(ARTICLE.length)));
      at += 1;
    } else {
      choices.push(wordSpellings(token));
    }
  }
  return choices;
}

/**
 * Whether this word may be written together with its neighbour (`عبد`, `الله`). A name with such a
 * word cannot be spelt word by word.
 */
export function joinsWords(token: string): boolean {
  return token === SERVANT || token === GOD;
}

/**
 * Latin spellings of a folded word that stands by itself, best first, at most 6. A word of another
 * script is its own only spelling; a word without a sound has none.
 */
export function wordSpellings(token: string): readonly string[] {
  return hasArabic(token) ? spellingsMemo.get(token) : [token];
}

/** How one token begins that is no word of the styles: it decides how the rest is spelt. */
function beginningOf(token: string): 'servant' | 'article' | undefined {
  if (!token.startsWith(ARTICLE) && !token.startsWith(SERVANT)) return undefined;
  if (WORDS.has(token)) return undefined;
  if (token.startsWith(SERVANT + ARTICLE) && token.length > 6) return 'servant';
  return token.startsWith(ARTICLE) && token.length > 4 ? 'article' : undefined;
}

/** Spellings of one token, best first. */
function spellings(token: string): readonly string[] {
  const beginning = beginningOf(token);
  if (beginning === 'servant') return servantMemo.get(token.slice(SERVANT_UNITS));
  const found =
    beginning === 'article' ? withArticle(token.slice(ARTICLE.length), token) : bare(token);
  return found.slice(0, CHOICES_MAX);
}

const spellingsMemo = new RecentMemo(CACHED_MAX, spellings);

/** The first of `spellings(token)`, without the others. */
function firstSpelling(token: string): string {
  const beginning = beginningOf(token);
  if (beginning === 'servant') {
    return `${letterTable.servantOf[0]} ${firstBare(token.slice(SERVANT_UNITS))}`;
  }
  if (beginning === 'article') {
    return `${letterTable.article[0]} ${firstBare(token.slice(ARTICLE.length))}`;
  }
  return firstBare(token);
}

const firstMemo = new RecentMemo(CACHED_MAX, firstSpelling);

/** The commonest Latin spelling of one folded Arabic token; empty where it has no sound. */
export function romaniseArabic(token: string): string {
  return firstMemo.get(token);
}

/** Whether a folded name has a letter of the Arabic script. */
export function hasArabic(name: string): boolean {
  for (let unit = 0; unit < name.length; unit++) {
    const code = name.charCodeAt(unit);
    if (code >= 0x0600 && code <= 0x06ff) return true;
  }
  return false;
}

/** Ranks 0..length-1 of a word's spellings. */
interface Ranked {
  readonly length: number;
}

/** Receives one rank per word; returns how many different spellings it has by now. */
type TakeRanks = (ranks: readonly number[]) => number;

/**
 * Calls `take` with rank vectors of the given sum, in lexicographic order, until `most` are found.
 */
function combine(
  choices: readonly Ranked[],
  of: { readonly sum: number; readonly most: number; readonly found: number },
  take: TakeRanks,
): number {
  const ranks: number[] = [];
  let { found } = of;
  const walk = (at: number, left: number): void => {
    if (found >= of.most) return;
    if (at === choices.length) {
      if (left === 0) found = take(ranks);
      return;
    }
    const most = Math.min(left, (choices[at]?.length ?? 1) - 1);
    for (let rank = most; rank >= 0; rank--) {
      ranks[at] = rank;
      walk(at + 1, left - rank);
    }
  };
  walk(0, of.sum);
  return found;
}

/**
 * Spellings of each word of a folded name, best first. Words without a sound are left out, and so
 * are words after SPELT_WORDS_MAX. The deadline is looked at before each word.
 */
export function spellingChoices(
  words: readonly string[],
  deadline?: Deadline,
): (readonly string[])[] {
  return choicesOf(words.slice(0, SPELT_WORDS_MAX), deadline).filter((list) => list.length > 0);
}

/**
 * As spellingChoices, and beside the six of each word all that were learnt for it: for a comparison
 * with one name, which says which of them is meant.
 */
export function arabicChoices(words: readonly string[]): (readonly string[])[] {
  const choices = spellingChoices(words);
  const isWordByWord = choices.length === words.length && !words.some(joinsWords);
  if (!isWordByWord) return choices;
  return choices.map((texts, at) => {
    const word = words[at] ?? '';
    return hasArabic(word) ? distinct([...texts, ...bare(word), ...spellArabic(word, 12)]) : texts;
  });
}

/**
 * Calls `take` with the ranks that make each spelling of a name, best first, until `take` returns
 * `most` or more. Up to two more may come, as the first three are taken without a check.
 */
export function rankSpellings(choices: readonly Ranked[], most: number, take: TakeRanks): void {
  if (choices.length === 0) return;
  let found = 0;
  // One style throughout comes first: people do not change their style inside a name.
  for (const style of STYLES) found = take(choices.map((list) => Math.min(style, list.length - 1)));
  const sumMax = choices.reduce((sum, list) => sum + list.length - 1, 0);
  for (let sum = 1; sum <= sumMax && found < most; sum++) {
    found = combine(choices, { sum, most, found }, take);
  }
}

/**
 * Latin variants of a folded name, at most ARABIC_VARIANTS_MAX, best first. Tokens of other scripts
 * stay as they are.
 */
export function arabicVariants(name: string): string[] {
  return arabicSpellings(name, ARABIC_VARIANTS_MAX);
}

/**
 * Latin variants of a folded name, as arabicVariants gives them, but at most `most`: the first ones
 * of those. The deadline is looked at before each word.
 */
export function arabicSpellings(name: string, most: number, deadline?: Deadline): string[] {
  const choices = spellingChoices(name.split(' '), deadline);
  const out = new Set<string>();
  rankSpellings(choices, most, (ranks) => {
    out.add(ranks.map((rank, word) => choices[word]?.[rank] ?? '').join(' '));
    return out.size;
  });
  return [...out].slice(0, most);
}
