/**
 * Words of a name that folding maps or sets aside: honorifics, titles and legal forms. The words
 * are data (config/tables/nameWords.json); here is only how they are applied, on both sides alike.
 */
import words from '../../config/tables/nameWords.json' with { type: 'json' };

const HONORIFICS: ReadonlySet<string> = new Set(words.honorifics);
const TITLES: ReadonlySet<string> = new Set(words.titles);
const LEGAL_FORMS: ReadonlyMap<string, string> = new Map(Object.entries(words.legalForms));
const LEGAL_FORM_TOKENS_MAX = Math.max(
  ...[...LEGAL_FORMS.keys()].map((phrase) => phrase.split(' ').length),
);
/** Forms of one word: a run of single letters that spells one is that form (L.T.D., C. A.). */
const SHORT_FORMS: ReadonlySet<string> = new Set(
  [...LEGAL_FORMS.values()].filter((form) => !form.includes(' ')),
);
/** Words that a mapped legal form is made of; `de` and lone letters are words of names as well. */
const LEGAL_WORDS: ReadonlySet<string> = new Set(
  [...LEGAL_FORMS.values()]
    .flatMap((form) => form.split(' '))
    .filter((word) => word.length > 1 && word !== 'de'),
);
/** Words of which legal forms are made as they are published, and those that end one. */
const LEGAL_PARTS: ReadonlySet<string> = new Set(
  [...LEGAL_FORMS.keys()].flatMap((phrase) => phrase.split(' ')),
);
const LEGAL_ENDS: ReadonlySet<string> = new Set(
  [...LEGAL_FORMS.keys()].map((phrase) => phrase.slice(phrase.lastIndexOf(' ') + 1)),
);
/** More words at the end of a name than decide which legal form it gets. */
export const NAME_END_WORDS_MAX = 2 * LEGAL_FORM_TOKENS_MAX + 1;
/** Before the name (`OOO X`) only forms that are hardly a given name: Sa, Co and Ao are. */
const LEADING_UNITS_MIN = 3;

/**
 * How single letters at the end are read: a person's initials, or a legal form spelt with dots
 * where they make one. A query that does not say which is read both ways.
 */
export type NameReading = 'person' | 'entity';
const LATIN_LETTERS: ReadonlyMap<string, string> = new Map(Object.entries(words.latinLetters));

/** ASCII for a Latin letter that has no decomposition (ø, ł, ß), else undefined. */
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
  while (TITLES.has(tokens[start] ?? '') && tokens.length - start > 2) start += 1;
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

/** Honorifics go while a token stays, leading titles while two stay, legal forms become short. */
export function mapNameWords(tokens: readonly string[], reading: NameReading): string[] {
  const kept = withoutHonorifics(tokens);
  const spelt = reading === 'person' ? kept : withSpeltForm(kept);
  return withShortLegalForm(withoutTitles(spelt), reading);
}

/** The same of a name that has no honorific and no title in front: only its end changes. */
export function mapNameEnd(tokens: readonly string[], reading: NameReading): string[] {
  return withShortLegalForm(reading === 'person' ? tokens : withSpeltForm(tokens), reading);
}

/** What a word may do in a name, whatever the name, as bits of wordRoles. */
export const WORD_ROLE = {
  honorific: 1,
  title: 2,
  single: 4,
  /** The last word of a legal form. */
  legalEnd: 8,
  /** A single letter or a word of a legal form: a run of such at the end is what is mapped. */
  end: 16,
  /** A word of a mapped legal form. */
  legal: 32,
  /** Long enough to be one in front. */
  leads: 64,
} as const;

/** A name of words without any of these folds to itself. */
export const MAPPED_ROLES =
  WORD_ROLE.honorific | WORD_ROLE.title | WORD_ROLE.single | WORD_ROLE.legalEnd;

/** WORD_ROLE set. */
export function wordRoles(word: string): number {
  const isSingle = word.length === 1;
  return (
    (HONORIFICS.has(word) ? WORD_ROLE.honorific : 0) |
    (TITLES.has(word) ? WORD_ROLE.title : 0) |
    (isSingle ? WORD_ROLE.single : 0) |
    (LEGAL_ENDS.has(word) ? WORD_ROLE.legalEnd : 0) |
    (isSingle || LEGAL_PARTS.has(word) ? WORD_ROLE.end : 0) |
    (LEGAL_WORDS.has(word) ? WORD_ROLE.legal : 0) |
    (word.length >= LEADING_UNITS_MIN ? WORD_ROLE.leads : 0)
  );
}

/**
 * The tokens [start, end) of a folded name that are not its legal form; all where nothing else is
 * there.
 */
export function nameCore(tokens: readonly string[]): { start: number; end: number } {
  const roles = tokens.map(wordRoles);
  const { leads, ends } = legalTokens(roles, tokens.length);
  return { start: leads, end: tokens.length - ends };
}

/** Of `count` tokens with these roles, how many in front and at the end are its legal form. */
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
