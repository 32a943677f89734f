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
function withShortLegalForm(tokens: readonly string[]): string[] {
  const most = Math.min(LEGAL_FORM_TOKENS_MAX, tokens.length - 1);
  for (let count = most; count > 0; count--) {
    const form = LEGAL_FORMS.get(tokens.slice(tokens.length - count).join(' '));
    if (form === undefined) continue;
    const head = tokens.slice(0, tokens.length - count);
    // `X Company Limited`: the form before the last one too, once.
    const shortHead = head.length > 1 ? (LEGAL_FORMS.get(head.at(-1) ?? '') ?? '') : '';
    if (shortHead !== '') head[head.length - 1] = shortHead;
    return [...head, ...form.split(' ')];
  }
  return [...tokens];
}

/** Honorifics go while a token stays, leading titles while two stay, legal forms become short. */
export function mapNameWords(tokens: readonly string[]): string[] {
  return withShortLegalForm(withoutTitles(withoutHonorifics(tokens)));
}
