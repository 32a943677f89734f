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
  const most = Math.min(LEGAL_FORM_TOKENS_MAX, tokens.length - 1);
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

/**
 * The tokens [start, end) of a folded name that are not its legal form; all where nothing else is
 * there.
 */
export function nameCore(tokens: readonly string[]): { start: number; end: number } {
  let end = tokens.length;
  while (end > 0 && LEGAL_WORDS.has(tokens[end - 1] ?? '')) end -= 1;
  if (end === 0) return { start: 0, end: tokens.length };
  const first = tokens[0] ?? '';
  const leads = end > 1 && first.length >= LEADING_UNITS_MIN && LEGAL_WORDS.has(first);
  return { start: leads ? 1 : 0, end };
}
