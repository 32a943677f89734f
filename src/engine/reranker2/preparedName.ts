/**
 * A folded name prepared to be compared: its words with their weights, its legal forms and numbers
 * set aside. List names and query names are prepared alike.
 */
import { withShortForms } from './legalPhrases.ts';
import { joinedToken, type NameToken, nameToken } from './nameToken.ts';
import { legalKind, type NameKind, PART, tensOf, unitOf } from './wordFacts.ts';

/** Words of a name that are compared; the rest is left out. */
export const TOKENS_MAX = 16;
/** Letters in a row that a company spells its name with (A.B.C.). */
const SPELT_MIN = 2;

/** A name, ready to be compared with names of its kind. */
export interface PreparedName {
  readonly kind: NameKind;
  readonly tokens: readonly NameToken[];
  /** Kinds of its legal forms, a bit each. */
  readonly legal: number;
  /** Its words in twos and threes, as one word each; made when first asked for. */
  readonly joined: (from: number, count: 2 | 3) => NameToken;
}

/** Runs of single letters as one word: companies write A.B.C. and ABC. */
function withSpeltWords(words: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < words.length; ) {
    let end = at;
    while (end < words.length && words[end]?.length === 1) end += 1;
    if (end - at >= SPELT_MIN) {
      out.push(words.slice(at, end).join(''));
      at = end;
    } else {
      out.push(words[at] ?? '');
      at += 1;
    }
  }
  return out;
}

/** Forty four as 44. */
function withNumbers(words: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const tens = tensOf(words[at] ?? '');
    const unit = tens === undefined ? undefined : unitOf(words[at + 1] ?? '');
    if (unit !== undefined) at += 1;
    out.push(tens === undefined ? (words[at] ?? '') : String(tens + (unit ?? 0)));
  }
  return out;
}

/** A word that stands twice in a person's name counts once. */
function withoutRepeats(tokens: readonly NameToken[]): NameToken[] {
  return tokens.filter((token, at) => {
    if (token.codes.length < 3 || (token.parts & PART.particle) !== 0) return true;
    return tokens.findIndex(({ text }) => text === token.text) === at;
  });
}

/** Legal forms stand at an end of the name; short ones elsewhere are words. */
function isLegalAt(token: NameToken, at: number, count: number): boolean {
  if ((token.parts & PART.legal) === 0) return false;
  return at < 2 ? token.codes.length > 2 : at >= count - 3 || token.codes.length > 3;
}

/** Where no word is left, legal forms, titles and particles are all that the name has. */
function ordinary(token: NameToken): NameToken {
  return { ...token, parts: token.parts & ~(PART.title | PART.particle | PART.suffix) };
}

/** Words of one kind of name, each made once by whoever holds them. */
export type TokenMaker = (word: string, kind: NameKind) => NameToken;

/** Prepares the words of a folded name; an empty name has no tokens. */
export function prepareName(
  words: readonly string[],
  kind: NameKind,
  make: TokenMaker = nameToken,
): PreparedName {
  return kind === 'person' ? preparedPerson(words, make) : preparedEntity(words, kind, make);
}

function preparedPerson(words: readonly string[], make: TokenMaker): PreparedName {
  const all = words.slice(0, TOKENS_MAX);
  const tokens = all.map((word) => make(word, 'person'));
  const hasOwn = tokens.some(({ parts }) => (parts & (PART.title | PART.particle)) === 0);
  return nameOf('person', hasOwn ? withoutRepeats(tokens) : tokens.map(ordinary), 0);
}

function preparedEntity(words: readonly string[], kind: NameKind, make: TokenMaker): PreparedName {
  const spelt = withNumbers(withSpeltWords(words));
  const read = kind === 'entity' ? withShortForms(spelt) : spelt;
  const all = read.map((word) => make(word, kind));
  const isForm = (token: NameToken, at: number) => isLegalAt(token, at, all.length);
  const own = kind === 'vessel' ? all : all.filter((token, at) => !isForm(token, at));
  if (own.length === 0 || own.length === all.length) {
    return nameOf(kind, all.slice(0, TOKENS_MAX), 0);
  }
  let legal = 0;
  all.forEach((token, at) => {
    if (isForm(token, at)) legal |= 1 << (legalKind(token.text) ?? 0);
  });
  return nameOf(kind, own.slice(0, TOKENS_MAX), legal);
}

function nameOf(kind: NameKind, tokens: readonly NameToken[], legal: number): PreparedName {
  const made: (NameToken | undefined)[] = [];
  const joined = (from: number, count: 2 | 3): NameToken => {
    const place = from * 2 + (count - 2);
    const texts = () => tokens.slice(from, from + count).map(({ text }) => text);
    const token = made[place] ?? joinedToken(texts(), kind);
    made[place] = token;
    return token;
  };
  return { joined, kind, legal, tokens };
}
