/**
 * Words of a name that folding maps or sets aside: honorifics, titles and legal forms. The words
 * are data (config/tables/nameWords.json); this file only applies them, to queries and lists alike.
 */
import words from '../../config/tables/nameWords.json' with { type: 'json' };
import { NAME_CODE_POINTS_MAX } from './limits.ts';

const HONORIFICS: ReadonlySet<string> = new Set(words.honorifics);
const LEADING_TITLES: ReadonlySet<string> = new Set(words.titles);
/** Titles that re-ranker 1.1 sets aside wherever they stand in a person's name. */
export const TITLES: ReadonlySet<string> = new Set(words.titlesAnywhere);
const LEGAL_FORMS: ReadonlyMap<string, string> = new Map(Object.entries(words.legalForms));
const LEGAL_FORM_TOKENS_MAX = Math.max(
  ...[...LEGAL_FORMS.keys()].map((phrase) => phrase.split(' ').length),
);
/** Forms of one word: a run of single letters that spells one is that form (L.T.D., C. A.). */
const SHORT_FORMS: ReadonlySet<string> = new Set(
  [...LEGAL_FORMS.values()].filter((form) => !form.includes(' ')),
);
/** Words of mapped legal forms; `de` and lone letters are left out, as names have them as well. */
const LEGAL_WORDS: ReadonlySet<string> = new Set(
  [...LEGAL_FORMS.values()]
    .flatMap((form) => form.split(' '))
    .filter((word) => word.length > 1 && word !== 'de'),
);
/** Words of legal forms as they are published. */
export const LEGAL_PARTS: ReadonlySet<string> = new Set(
  [...LEGAL_FORMS.keys()].flatMap((phrase) => phrase.split(' ')),
);
/** Words that end one. */
const LEGAL_ENDS: ReadonlySet<string> = new Set(
  [...LEGAL_FORMS.keys()].map((phrase) => phrase.slice(phrase.lastIndexOf(' ') + 1)),
);
/** More words than those at the end of a name that decide its legal form. */
export const NAME_END_WORDS_MAX = 2 * LEGAL_FORM_TOKENS_MAX + 1;
/**
 * Letters that a legal form in front of the name (`OOO X`) has at least: Sa, Co and Ao are also
 * given names.
 */
const LEADING_UNITS_MIN = 3;

/**
 * How single letters at the end of a name are read: as a person's initials, or as a legal form
 * spelt with dots where they make one. A query that does not say which is read both ways.
 */
export type NameReading = 'person' | 'entity';
const LATIN_LETTERS: ReadonlyMap<string, string> = new Map(Object.entries(words.latinLetters));

/** ASCII for one lower-case Latin letter that has no decomposition (ø, ł, ß), else undefined. */
export function latinLetter(char: string): string | undefined {
  return LATIN_LETTERS.get(char);
}

function withoutHonorifics(tokens: readonly string[]): string[] {
  const kept = tokens.filter((token) => !HONORIFICS.has(token));
  return kept.length > 0 ? kept : [...tokens];
}

/** Titles stand before a person's name: `General Electric Ltd` and `Haji Basir` keep theirs. */
function withoutTitles(tokens: readonly string[]): string[] {
  if (LEGAL_FORMS.has(tokens.at(-1) ?? '')) return [...tokens];
  let start = 0;
  while (LEADING_TITLES.has(tokens[start] ?? '') && tokens.length - start > 2) start += 1;
  return tokens.slice(start);
}

/**
 * The longest legal form at the end of the name, as its short form; a name of one form keeps it.
 */
function withShortLegalForm(tokens: readonly string[], reading: NameReading): string[] {
  const canEnd = LEGAL_ENDS.has(tokens.at(-1) ?? '');
  const most = canEnd ? Math.min(LEGAL_FORM_TOKENS_MAX, tokens.length - 1) : 0;
  for (let count = most; count > 0; count--) {
    const form = LEGAL_FORMS.get(tokens.slice(tokens.length - count).join(' '));
    if (form === undefined) continue;
    if (reading === 'person' && count > 1 && tokens.at(-1)?.length === 1) continue;
    const head = tokens.slice(0, tokens.length - count);
    // `X Company Limited`: the form before the last one too, once.
    const shortHead = head.length > 1 ? (LEGAL_FORMS.get(head.at(-1) ?? '') ?? '') : '';
    if (shortHead !== '') head[head.length - 1] = shortHead;
    return [...head, ...form.split(' ')];
  }
  return [...tokens];
}

/** Single letters at the end as the longest legal form of one word that they spell. */
function withSpeltForm(tokens: readonly string[]): string[] {
  let letters = 0;
  while (letters < LEGAL_FORM_TOKENS_MAX && tokens.at(-1 - letters)?.length === 1) letters += 1;
  for (let count = Math.min(letters, tokens.length - 1); count > 1; count--) {
    const spelt = tokens.slice(-count).join('');
    if (SHORT_FORMS.has(spelt)) return [...tokens.slice(0, -count), spelt];
  }
  return [...tokens];
}

/**
 * Maps the words of a tokenised name. Honorifics are dropped while a token stays, leading titles
 * while two stay, and legal forms become short. The input is not changed.
 */
export function mapNameWords(tokens: readonly string[], reading: NameReading): string[] {
  const kept = withoutHonorifics(tokens);
  const spelt = reading === 'person' ? kept : withSpeltForm(kept);
  return withShortLegalForm(withoutTitles(spelt), reading);
}

/**
 * The mapped words as one text, cut to NAME_CODE_POINTS_MAX: one character may fold to several
 * (`&`, `ß`, `щ`), so the cap holds for what folding gives, too.
 */
export function joinNameWords(tokens: readonly string[], reading: NameReading): string {
  const name = mapNameWords(tokens, reading).join(' ');
  if (name.length <= NAME_CODE_POINTS_MAX) return name;
  return [...name].slice(0, NAME_CODE_POINTS_MAX).join('').trimEnd();
}

/**
 * Does what mapNameWords does for a name without honorifics and without a title in front: only its
 * end changes.
 */
export function mapNameEnd(tokens: readonly string[], reading: NameReading): string[] {
  return withShortLegalForm(reading === 'person' ? tokens : withSpeltForm(tokens), reading);
}

/** What a word may do in any name, as bits; wordRoles combines them. */
export const WORD_ROLE = {
  honorific: 1,
  title: 2,
  single: 4,
  /** The last word of a legal form. */
  legalEnd: 8,
  /** A single letter or a word of a legal form; a run of these at the end of a name is mapped. */
  end: 16,
  /** A word of a mapped legal form. */
  legal: 32,
  /** Long enough to be a legal form in front. */
  leads: 64,
} as const;

/** A name whose words have none of these roles folds to itself. */
export const MAPPED_ROLES =
  WORD_ROLE.honorific | WORD_ROLE.title | WORD_ROLE.single | WORD_ROLE.legalEnd;

/** Bits of WORD_ROLE for one folded word. */
export function wordRoles(word: string): number {
  const isSingle = word.length === 1;
  return (
    (HONORIFICS.has(word) ? WORD_ROLE.honorific : 0) |
    (LEADING_TITLES.has(word) ? WORD_ROLE.title : 0) |
    (isSingle ? WORD_ROLE.single : 0) |
    (LEGAL_ENDS.has(word) ? WORD_ROLE.legalEnd : 0) |
    (isSingle || LEGAL_PARTS.has(word) ? WORD_ROLE.end : 0) |
    (LEGAL_WORDS.has(word) ? WORD_ROLE.legal : 0) |
    (word.length >= LEADING_UNITS_MIN ? WORD_ROLE.leads : 0)
  );
}

/**
 * The range [start, end) of a folded name's tokens that is not its legal form; the whole name where
 * there is nothing else.
 */
export function nameCore(tokens: readonly string[]): { start: number; end: number } {
  const roles = tokens.map(wordRoles);
  const { leads, ends } = legalTokens(roles, tokens.length);
  return { start: leads, end: tokens.length - ends };
}

/**
 * How many of the first `count` tokens, given by their roles, are the name's legal form: in front
 * (0 or 1) and at the end. Both are 0 where all tokens are.
 */
export function legalTokens(
  roles: ArrayLike<number>,
  count: number,
): { leads: number; ends: number } {
  let end = count;
  while (end > 0 && ((roles[end - 1] ?? 0) & WORD_ROLE.legal) !== 0) end -= 1;
  if (end === 0) return { leads: 0, ends: 0 };
  const leading = WORD_ROLE.legal | WORD_ROLE.leads;
  const leads = end > 1 && ((roles[0] ?? 0) & leading) === leading;
  return { leads: leads ? 1 : 0, ends: count - end };
}
