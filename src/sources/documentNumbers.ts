/**
 * Numbers of documents in free text: `A-333602 (Indian) issued on 4 June 1985`, `Mali Passport
 * no.A1037434`, `782633 issued on 31 May 2005. And 540794`. Text in the form of a document's number
 * is one, unless the words before it say that it is a date, or the number of something else. The
 * caller keeps the text beside the numbers.
 */

export interface DocumentNumber {
  readonly number: string;
  /** The type that the words around it state; undefined where they state none. */
  readonly type: string | undefined;
}

const TOKEN = new RegExp(
  // `1 63 08 4 01 001 005E`; `8208 No. 555627`, series and number; any other number
  '(?<![A-Za-z\\d])(?:\\d{1,3}(?: \\d{1,3}[A-Z]?){4,9}(?![A-Za-z\\d])|' +
    '\\d{4} No\\.? ?\\d{6}(?!\\d)|' +
    '(?:[A-Z]{1,3}[ /-])?[A-Z]{0,6}[a-z]?\\d[A-Z\\d]*(?:(?:[./-]|- )[A-Z\\d]+){0,8}' +
    '(?: \\d{2,}(?![\\d/.])){0,8})',
  'g',
);
const DATE = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|^(?:19|20)\d{2}(?:-(?:19|20)\d{2})?$/;
/** Words that the pattern takes for the letters of a series. */
const LABEL = /^(?:NO|NI|ID|UN|US|SSN) /;
/** `No34409/129` */
const GLUED_LABEL = /\b(?:no|nr|number)(?=\d)/gi;
const OWN_LABEL = /\b(?:id|passport|passer) (?:number|no)\b[.:]{0,2} ?(?:N°)?$/i;
const AFTER_DATE_WORD = new RegExp(
  '\\b(?:issued|expire[sd]?|expiration|valid|dated?|until|since|in|on|born|DOB)\\b' +
    '\\W*(?:\\w+\\W+)?$',
  'i',
);
/** Words before the number of an issue, a visa within a passport, a file, a house. */
const AFTER_OTHER_WORD =
  /\b(?:issue|visa|booklet|reference|box|register)\b\W*(?:(?:no|number)\b\W*)?$/i;
/** Characters before a number in which a word such as `issued on` may stand. */
const WORD_CHARS_MAX = 64;
const NUMBERS_MAX = 100;
/**
 * Types in English, Spanish and French. The first that fits counts: a `national passport` is a
 * passport.
 */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/social security|\bSSN\b/i, 'Social security number'],
  [/passe?port|pasaporte/i, 'Passport'],
  [/fiscal code|tax/i, 'Tax number'],
  [/\bidenti|tazkira|national (?:id|no\b|number)|\bNI\b|certificate of/i, 'National ID'],
];
/** Ends the words about a number, outside of parentheses. */
const SEPARATOR = /[.,;]/;

/** Every number of the text, in its order. */
export function documentNumbers(published: string): DocumentNumber[] {
  const text = published.replace(GLUED_LABEL, '$& ');
  const found: { number: string; start: number; end: number }[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const token = match[0].trim().replace(LABEL, '');
    const before = text.slice(Math.max(0, match.index - WORD_CHARS_MAX), match.index);
    if (!isNumber(token, before)) continue;
    const number = token.replace(/ No\.? ?/, ' ').replaceAll('- ', '-');
    found.push({ end: match.index + match[0].length, number, start: match.index });
    if (found.length === NUMBERS_MAX) break;
  }
  let type: string | undefined;
  return found.map(({ end, number }, index) => {
    const from = index === 0 ? 0 : saidUntil(text, found[index - 1]?.end ?? 0, end);
    const next = found[index + 1];
    const to = next === undefined ? text.length : saidUntil(text, end, next.start);
    // `Passport no. A1234 and A5678`
    type = identifierType(text.slice(from, to)) ?? type;
    return { number, type };
  });
}

/** The type that the text itself states; undefined where it states none. */
export const identifierType = (text: string): string | undefined =>
  TYPES.find(([pattern]) => pattern.test(text))?.[1];

function isNumber(token: string, before: string): boolean {
  if (DATE.test(token)) return false;
  if (AFTER_DATE_WORD.test(before) || AFTER_OTHER_WORD.test(before)) return false;
  const digits = token.replace(/\D/g, '').length;
  if (digits > 3 || (digits > 1 && /^[A-Z\d]{7,}$/.test(token))) return true;
  return digits > 2 && (before === '' || OWN_LABEL.test(before));
}

/** End of the words about the number before `from`; `to` at the latest. */
function saidUntil(text: string, from: number, to: number): number {
  let depth = 0;
  for (let index = from; index < to; index++) {
    const char = text[index] ?? '';
    if (char === '(') depth++;
    else if (char === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0 && SEPARATOR.test(char)) return index;
  }
  return to;
}
