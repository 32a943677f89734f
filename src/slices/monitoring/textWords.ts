/**
 * Free text of payments as words: what is a date, a number, an amount or a code is taken out, so
 * that names stand alone; numbers that check themselves are kept apart; terms of the table are
 * named. Runs in a thread, since the language model takes 36 MB and a text some 80 µs.
 *
 * wink-nlp splits the text and knows shapes; of persons, companies and ships it knows nothing. What
 * it takes for a date is taken out only where it has a digit: `May`, `March` and `Sun` are names.
 * Where the model cannot be loaded words are split at what is no letter, and nothing is taken out
 * but what has digits: more is compared, never less.
 */
import { isIban } from './messageLegs.ts';
import { BIC } from './shapes.ts';
import { TERMS_AS_OF, TEXT_TERMS } from './textTerms.ts';

/** Words that follow each other, and those of them before which something says: a name. */
export interface WordRun {
  readonly words: readonly string[];
  readonly cued: readonly number[];
}

/** What one text has. */
export interface TextWords {
  readonly runs: readonly WordRun[];
  /** Numbers of ships, BICs and IBANs, each with its own check. */
  readonly numbers: readonly TextNumber[];
  /** Ids of the table's terms, ascending. */
  readonly terms: readonly string[];
}

/** A number that checks itself. */
export interface TextNumber {
  readonly kind: 'imo' | 'bic' | 'iban';
  readonly number: string;
}

/** A word, or what separates words, as a splitter tells it. */
interface Token {
  readonly text: string;
  /** `shape`: a date, a number, an amount, a code. */
  readonly kind: 'word' | 'shape' | 'mark';
}

/** Splits a text and names its terms. */
export interface TextSplitter {
  /** Package and version, as evidence names it. */
  readonly name: string;
  split(text: string): { readonly tokens: readonly Token[]; readonly terms: readonly string[] };
}

/** Characters that are read for shapes and terms; the rest is split as without a model. */
const MODEL_CHARS_MAX = 9_000;
const DIGIT = /\p{N}/u;
/** Ends a run: what stands on both sides is not one name. */
const BREAKS: ReadonlySet<string> = new Set([';', ':', '|', '#', '*', '=', '<', '>', '/', '\n']);
/** Say that a name follows, which may be one word. */
const CUES: ReadonlySet<string> = new Set([
  'mv',
  'mt',
  'ss',
  'vessel',
  'vsl',
  'ship',
  'navire',
  'tanker',
  'imo',
  'safina',
  'ins',
  'acc',
  'int',
]);
const IMO_CUE = 'imo';
const IMO_DIGITS = 7;

/** As evidence names what read a text. */
export const readerName = ({ name }: Pick<TextSplitter, 'name'>): string =>
  `${name}, terms of ${TERMS_AS_OF}`;

/** The text as words. Deterministic; throws nothing. */
export function readTextWords(text: string, splitter: TextSplitter): TextWords {
  const plain = withoutAccents(text);
  const read = splitter.split(plain.slice(0, MODEL_CHARS_MAX));
  const rest = plain.length > MODEL_CHARS_MAX ? plainTokens(plain.slice(MODEL_CHARS_MAX)) : [];
  const tokens = [...read.tokens, ...rest];
  return {
    numbers: numbersOf(plain),
    runs: runsOf(tokens),
    terms: [...new Set(read.terms)].sort(),
  };
}

/** Marks of Latin letters go; other scripts stay as they are. */
export const withoutAccents = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/(\p{Script=Latin})\p{Mn}+/gu, '$1')
    .normalize('NFC');

/** Without a model: words are letters and digits, whatever stands between them separates. */
export const plainSplitter: TextSplitter = {
  name: 'words',
  split: (text) => ({ terms: termsAmong(text), tokens: plainTokens(text) }),
};

const PIECE = /[\p{L}\p{M}\p{N}'’.-]+|[^\s\p{L}\p{M}\p{N}]|\n/gu;

/** Pieces of a text: letters are a word, digits a shape, and all else a mark. */
function plainTokens(text: string): readonly Token[] {
  return [...text.matchAll(PIECE)].map(([piece]) => tokenOf(piece));
}

/** A piece by what it is made of. */
export function tokenOf(text: string): Token {
  if (DIGIT.test(text)) return { kind: 'shape', text };
  return { kind: /\p{L}/u.test(text) ? 'word' : 'mark', text };
}

const spellings = new Map(
  TEXT_TERMS.flatMap(({ id, spellings: all }) => all.map((spelling) => [spelling, id] as const)),
);
const LONGEST = Math.max(...[...spellings.keys()].map((one) => one.split(' ').length));

/** Terms by their words alone. */
function termsAmong(text: string): readonly string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return words.flatMap((_, from) =>
    Array.from({ length: LONGEST }, (__, more) =>
      spellings.get(words.slice(from, from + more + 1).join(' ')),
    ).filter((id) => id !== undefined),
  );
}

function runsOf(tokens: readonly Token[]): readonly WordRun[] {
  const runs: WordRun[] = [];
  let words: string[] = [];
  let cued: number[] = [];
  let isCue = false;
  const end = (): void => {
    if (words.length > 0) runs.push({ cued, words });
    words = [];
    cued = [];
  };
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'word') {
      if (isCue) cued.push(words.length);
      words.push(token.text);
      isCue = isCueAt(tokens, at);
      continue;
    }
    // `IMO 9187629` and a name behind it: the cue holds over a number and over marks.
    if (token.kind === 'shape' || BREAKS.has(token.text)) end();
  }
  end();
  return runs;
}

/** Whether the word here says that a name follows. It may be part of a name all the same. */
function isCueAt(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at]?.text.toLowerCase().replaceAll('.', '') ?? '';
  const before = tokens[at - 1]?.text;
  const after = tokens[at + 1]?.text;
  const isHalf = before === '/' && tokens[at - 2]?.text.toLowerCase() === 'm';
  if (isHalf && (word === 'v' || word === 't')) return true;
  if (!CUES.has(word)) return false;
  // Codes of a message stand between strokes; `INT` and `ACC` alone are ordinary words.
  if (word === 'ins' || word === 'acc' || word === 'int') {
    return before === '/' && after === '/';
  }
  return true;
}

const CODE = /[A-Za-z0-9]+/g;
const IBAN_GROUPS = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g;

function numbersOf(text: string): readonly TextNumber[] {
  const found = new Map<string, TextNumber>();
  const note = (one: TextNumber): void => {
    found.set(`${one.kind} ${one.number}`, one);
  };
  const codes = [...text.matchAll(CODE)].map(([code]) => code);
  for (const [at, code] of codes.entries()) {
    const upper = code.toUpperCase();
    const imo = upper.startsWith('IMO') ? upper.slice(3) : upper;
    const isSaid = imo !== upper || isImoSaid(codes, at);
    if (isSaid && isImoNumber(imo)) note({ kind: 'imo', number: imo });
    if (code === upper && BIC.test(code)) note({ kind: 'bic', number: code });
    if (isIban(upper)) note({ kind: 'iban', number: upper });
  }
  for (const [grouped] of text.toUpperCase().matchAll(IBAN_GROUPS)) {
    const iban = grouped.replaceAll(' ', '');
    if (isIban(iban)) note({ kind: 'iban', number: iban });
  }
  return [...found.values()];
}

/** `IMO 9187629`, `IMO NO 9187629`, `IMO NUMBER 9187629`. */
const isImoSaid = (codes: readonly string[], at: number): boolean =>
  [1, 2].some((back) => codes[at - back]?.toLowerCase() === IMO_CUE);

/** Seven digits, of which the last checks the others. */
export function isImoNumber(text: string): boolean {
  if (!/^\d{7}$/.test(text)) return false;
  const sum = [...text.slice(0, -1)].reduce(
    (all, digit, at) => all + Number(digit) * (IMO_DIGITS - at),
    0,
  );
  return sum % 10 === Number(text.at(-1));
}
