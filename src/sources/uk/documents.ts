/**
 * Numbers in free text: `(1) A-333602 (Indian) issued on 4 June 1985`, `Mali Passport no.A1037434`.
 * The first thing that looks like a document's number is one; the text stays beside it.
 */
const TOKEN = new RegExp(
  '(?:\\b[A-Z]{1,3}[ -])?(?<![A-Za-z\\d])[A-Z]{0,6}\\d[A-Z\\d]*' +
    '(?:[./-][A-Z\\d]+)*(?: \\d{2,}(?![\\d/.]))*',
  'g',
);
const DATE = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|^(?:19|20)\d{2}$/;
const LABEL = /^(?:NO|NI|ID|UN|US) /;
const AFTER_DATE_WORD =
  /\b(?:issued|expire[sd]?|expiration|valid|dated?|until|since|in|on)\b\W*(?:\w+\W+)?$/i;
/** In front of a number, where a word such as `issued on` may stand. */
const WORD_CHARS_MAX = 64;
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/fiscal code|tax/i, 'Tax number'],
  [/social security/i, 'Social security number'],
  [/passport/i, 'Passport'],
  [/identi|tazkira|national id|\bNI\b|certificate of/i, 'National ID'],
];

export function documentNumber(text: string): string | undefined {
  for (const match of text.matchAll(TOKEN)) {
    const token = match[0].trim().replace(LABEL, '');
    const digits = token.replace(/\D/g, '').length;
    if (digits < 4 || DATE.test(token)) continue;
    const before = text.slice(Math.max(0, match.index - WORD_CHARS_MAX), match.index);
    if (AFTER_DATE_WORD.test(before)) continue;
    return token;
  }
  return undefined;
}

/** What the text itself says that it is; undefined where it does not. */
export const identifierType = (text: string): string | undefined =>
  TYPES.find(([pattern]) => pattern.test(text))?.[1];
