/**
 * A name as published or typed → the form that is compared (decisions 2.3): NFKC, lower case,
 * accents and punctuation folded, honorifics and legal forms mapped. It is given in its own script
 * and in Latin letters.
 *
 * Hostile input costs no more than honest input: code points are counted and marks capped before
 * anything normalises them, and no regular expression runs. Lone surrogates, bidi controls and
 * zero-width characters vanish, as they would hide a name from the list; so a joined emoji or a
 * bidi override cannot split a token.
 */
import { arabicSpellings, hasArabic, romaniseArabic } from './arabicVariants.ts';
import type { Deadline } from './deadline.ts';
import { NAME_CODE_POINTS_MAX } from './limits.ts';
import { joinNameWords, latinLetter, type NameReading } from './nameWords.ts';
import {
  digitValue,
  isDecoratingMark,
  isWordCharacter,
  romaniseCharacter,
} from './unicodeTables.ts';

/** Latin spellings that an index holds beside an Arabic name. */
export const LIST_SPELLINGS = 4;
/** More combining marks than any script puts on one letter. */
const MARKS_PER_LETTER_MAX = 4;
/** UTF-16 units of a raw name that are read at all. */
const RAW_UNITS_MAX = 16_384;

/** Both forms of one name, as foldName gives them; tokens are separated by single spaces. */
export interface FoldedName {
  /** In the script it came in; Latin letters are already ASCII. */
  readonly native: string;
  /** The romanised form; equal to `native` for Latin names, empty where nothing has a sound. */
  readonly latin: string;
}

/** Characters removed without a gap: Qa'ida is one token. Tatweel only stretches. */
const JOINERS: ReadonlySet<number> = new Set([
  0x27, 0x60, 0xb4, 0x2018, 0x2019, 0x201b, 0x2032, 0x02b9, 0x02bb, 0x02bc, 0x02bd, 0x02be, 0x02bf,
  0x02c8, 0x02ca, 0x02cb, 0x055a, 0x05f3, 0x0640, 0xa78c, 0xff07, 0xad, 0x061c, 0x180e, 0xfeff,
]);

/** The letter for its other code points, within one script. */
const SAME_LETTER: ReadonlyMap<number, string> = new Map([
  [0x0671, 'ا'],
  [0x0649, 'ي'],
  [0x06cc, 'ي'],
  [0x06a9, 'ك'],
  [0x0629, 'ه'],
  [0x06c0, 'ه'],
  [0x06c1, 'ه'],
  [0x06d5, 'ه'],
  [0x06be, 'ه'],
  [0x06c3, 'ه'],
  [0x06ba, 'ن'],
  [0x06d2, 'ي'],
  [0x06cd, 'ي'],
  [0x06aa, 'ك'],
  [0x03c2, 'σ'],
  [0x05da, 'כ'],
  [0x05dd, 'מ'],
  [0x05df, 'נ'],
  [0x05e3, 'פ'],
  [0x05e5, 'צ'],
]);

function isInvisible(codePoint: number): boolean {
  if (JOINERS.has(codePoint)) return true;
  if (codePoint >= 0x200b && codePoint <= 0x200f) return true;
  if (codePoint >= 0x202a && codePoint <= 0x202e) return true;
  if (codePoint >= 0x2060 && codePoint <= 0x206f) return true;
  if (codePoint >= 0xe0000 && codePoint <= 0xe01ef) return true;
  return codePoint >= 0xd800 && codePoint <= 0xdfff;
}

/** Before normalisation: invisible characters out, marks and length capped. */
function capped(raw: string): string {
  let out = '';
  let letters = 0;
  let marks = 0;
  for (let unit = 0; unit < raw.length && unit < RAW_UNITS_MAX; ) {
    const codePoint = raw.codePointAt(unit) ?? 0;
    unit += codePoint > 0xffff ? 2 : 1;
    if (isInvisible(codePoint)) continue;
    if (isDecoratingMark(codePoint)) {
      marks += 1;
      if (marks > MARKS_PER_LETTER_MAX) continue;
    } else {
      marks = 0;
      letters += 1;
      if (letters > NAME_CODE_POINTS_MAX) break;
    }
    out += String.fromCodePoint(codePoint);
  }
  return out;
}

/** Latin letters and digits as ASCII, other scripts folded within themselves; '' separates. */
function foldCharacter(char: string, codePoint: number): string {
  if (codePoint < 0x80) return isWordCharacter(codePoint) ? char : '';
  const digit = digitValue(codePoint);
  if (digit >= 0) return String(digit);
  const latin = latinLetter(char) ?? SAME_LETTER.get(codePoint);
  if (latin !== undefined) return latin;
  if (!isWordCharacter(codePoint)) return '';
  // Latin letters and phonetic signs beyond ASCII that the table can write.
  if (codePoint < 0x0300 || (codePoint >= 0x1d00 && codePoint <= 0x1eff)) {
    return romaniseCharacter(codePoint) ?? char;
  }
  return char;
}

const PART = 0;
const SEPARATES = 1;
const INVISIBLE = 2;
const AMPERSAND = 3;

/** The role of each ASCII character in a name. */
const ASCII_ROLES = Uint8Array.from({ length: 0x80 }, (_, code) => {
  if (isInvisible(code)) return INVISIBLE;
  if (isWordCharacter(code)) return PART;
  return code === 0x26 ? AMPERSAND : SEPARATES;
});

/** As tokenize, for a text that is all ASCII: normalising would not change it. */
function tokenizeAscii(raw: string): string[] {
  const text = raw.toLowerCase();
  const end = Math.min(text.length, RAW_UNITS_MAX);
  const tokens: string[] = [];
  let token = '';
  let start = 0;
  let count = 0;
  let at = 0;
  for (; at < end; at++) {
    const role = ASCII_ROLES[text.charCodeAt(at)];
    if (role !== INVISIBLE) count += 1;
    if (count > NAME_CODE_POINTS_MAX) break;
    if (role === PART) continue;
    token += text.slice(start, at);
    start = at + 1;
    if (role === INVISIBLE) continue;
    if (token !== '') tokens.push(token);
    token = '';
    if (role === AMPERSAND) tokens.push('and');
  }
  token += text.slice(start, at);
  if (token !== '') tokens.push(token);
  return tokens;
}

function normalized(raw: string): string {
  return capped(raw).normalize('NFKC').toLowerCase().normalize('NFD');
}

function tokenize(text: string): string[] {
  const tokens: string[] = [];
  let token = '';
  let count = 0;
  for (const char of text) {
    const codePoint = char.codePointAt(0) ?? 0;
    if (isDecoratingMark(codePoint) || isInvisible(codePoint)) continue;
    count += 1;
    if (count > NAME_CODE_POINTS_MAX) break;
    const folded = foldCharacter(char, codePoint);
    if (folded !== '') {
      token += folded;
      continue;
    }
    if (token !== '') tokens.push(token);
    token = '';
    if (char === '&') tokens.push('and');
  }
  if (token !== '') tokens.push(token);
  return tokens;
}

/** Whether every UTF-16 unit is below 0x80; true for an empty text. */
export function isAscii(text: string): boolean {
  for (let unit = 0; unit < text.length; unit++) if (text.charCodeAt(unit) >= 0x80) return false;
  return true;
}

function tokensOf(raw: string): string[] {
  if (isAscii(raw)) return tokenizeAscii(raw);
  // NFD splits Hangul syllables into jamo; NFC joins them again, as the table has syllables.
  return tokenize(normalized(raw)).map((token) => token.normalize('NFC'));
}

/** The text between two spaces of a name, folded. */
export interface FoldedWord {
  /** `al-Zawahiri` has two tokens, `...` none. */
  readonly tokens: readonly string[];
  /** An upper bound of its code points, as NAME_CODE_POINTS_MAX counts them. */
  readonly codePointsMax: number;
}

/**
 * Folds one word of a name. A space neither joins nor changes its neighbours, so the tokens of a
 * name are those of its words. That holds while the whole name counts: its `codePointsMax` and its
 * spaces together must not exceed NAME_CODE_POINTS_MAX.
 */
export function foldWord(word: string): FoldedWord {
  const codePointsMax = isAscii(word) ? word.length : normalized(word).length;
  return { tokens: tokensOf(word), codePointsMax };
}

function isSyllabic(codePoint: number): boolean {
  return (
    (codePoint >= 0x3400 && codePoint <= 0x9fff) ||
    (codePoint >= 0xac00 && codePoint <= 0xd7a3) ||
    (codePoint >= 0x20000 && codePoint <= 0x3ffff)
  );
}

/**
 * Han and Hangul names of up to four syllables: the family name, then the given name as one token.
 */
function romaniseSyllables(token: string): string[] {
  const syllables = [...token].map((char) => romaniseCharacter(char.codePointAt(0) ?? 0) ?? '');
  const sounding = syllables.filter((syllable) => syllable !== '');
  if (sounding.length < 2 || sounding.length > 4) return sounding;
  return [sounding[0] ?? '', sounding.slice(1).join('')];
}

function romaniseToken(token: string): string[] {
  if (isAscii(token)) return [token];
  const codePoints = [...token].map((char) => char.codePointAt(0) ?? 0);
  if (codePoints.every((codePoint) => codePoint >= 0x0600 && codePoint <= 0x06ff)) {
    return romaniseArabic(token).split(' ');
  }
  if (codePoints.every(isSyllabic)) return romaniseSyllables(token);
  const letters = codePoints.map((codePoint) =>
    codePoint < 0x80 ? String.fromCodePoint(codePoint) : (romaniseCharacter(codePoint) ?? ''),
  );
  return [letters.join('')];
}

/**
 * A folded token in Latin letters, as one token or more (Han and Hangul names); empty where it has
 * no sound.
 */
export function latinTokens(token: string): string[] {
  return romaniseToken(token).filter((latin) => latin !== '');
}

/** Words without a Latin form of their own are romanised; undefined where none is needed. */
function soundsOf(tokens: readonly string[], deadline?: Deadline): string[] | undefined {
  if (tokens.every(isAscii)) return undefined;
  return tokens.flatMap((token) => {
    deadline?.check();
    return latinTokens(token);
  });
}

function foldTokens(
  tokens: readonly string[],
  sounds: readonly string[] | undefined,
  reading: NameReading,
): FoldedName {
  const native = joinNameWords(tokens, reading);
  return { native, latin: sounds === undefined ? native : joinNameWords(sounds, reading) };
}

/** The words of a raw name in Latin letters, before any of them is mapped or set aside. */
export function latinWords(raw: string, deadline?: Deadline): string[] {
  const tokens = tokensOf(raw);
  return soundsOf(tokens, deadline) ?? tokens;
}

/**
 * Folds a raw name of any length. Deterministic, idempotent on its own output, and bounded by
 * NAME_CODE_POINTS_MAX. Both forms are empty where nothing of the name is a word. `reading` tells
 * how single letters at the end are read (nameWords.ts).
 */
export function foldName(raw: string, reading: NameReading = 'entity'): FoldedName {
  const tokens = tokensOf(raw);
  return foldTokens(tokens, soundsOf(tokens), reading);
}

/**
 * Folds a name in one reading or, where its kind is unknown, in both, `entity` first. Without a
 * single letter both readings are the same, and there is one. The deadline is looked at before the
 * name, and while its words are romanised.
 */
export function foldReadings(
  raw: string,
  reading: NameReading | undefined,
  deadline?: Deadline,
): FoldedName[] {
  deadline?.check();
  const tokens = tokensOf(raw);
  const sounds = soundsOf(tokens, deadline);
  const isAmbiguous = reading === undefined && tokens.some((token) => token.length === 1);
  const readings: readonly NameReading[] = isAmbiguous
    ? ['entity', 'person']
    : [reading ?? 'entity'];
  return readings.map((one) => foldTokens(tokens, sounds, one));
}

/**
 * The distinct forms under which a name on a list can be found: its own script, its romanised form
 * and, where it is Arabic, up to LIST_SPELLINGS ways that people write it. No single spelling of a
 * table serves all queries (docs/decisions/0012-arabic-spellings.md).
 */
export function listForms({ native, latin }: FoldedName): string[] {
  const spelt = hasArabic(native) ? arabicSpellings(native, LIST_SPELLINGS) : [];
  return [...new Set([native, latin, ...spelt])].filter((form) => form !== '');
}
