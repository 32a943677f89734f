/**
 * A folded name prepared to be compared: its words with their weights, its legal forms and numbers
 * set aside. List names and query names are prepared alike.
 */
import { isShortAlone, withShortForms } from './legalPhrases.ts';
import { joinedToken, type NameToken, nameToken } from './nameToken.ts';
import { legalKind, type NameKind, PART, tensOf, unitOf } from './wordFacts.ts';

/** Words of a name that are compared; the rest is left out. */
export const TOKENS_MAX = 16;
/** Letters in a row that a company spells its name with (A.B.C.). */
const SPELT_MIN = 2;

/** A name, ready to be compared with names of its kind. */
export class PreparedName {
  readonly kind: NameKind;
  readonly tokens: readonly NameToken[];
  /** Kinds of its legal forms, a bit each. */
  readonly legal: number;
  /** Words before the comma of a person's published name, which may also stand last; 0: none. */
  readonly comma: number;
  #joined: (NameToken | undefined)[] | undefined;

  constructor(kind: NameKind, tokens: readonly NameToken[], legal: number, comma = 0) {
    this.kind = kind;
    this.tokens = tokens;
    this.legal = legal;
    this.comma = comma;
  }

  /** Its words in twos and threes, as one word each; made when first asked for. */
  joined(from: number, count: 2 | 3): NameToken {
    this.#joined ??= [];
    const place = from * 2 + (count - 2);
    const known = this.#joined[place];
    if (known !== undefined) return known;
    const parts = this.tokens.slice(from, from + count);
    const made = joinedToken(
      parts.map(({ text }) => text),
      this.kind,
    );
    this.#joined[place] = made;
    return made;
  }
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
function withoutRepeats(tokens: readonly NameToken[]): readonly NameToken[] {
  for (let at = 1; at < tokens.length; at++) {
    if (!isFirst(tokens, at)) return tokens.filter((_, place) => isFirst(tokens, place));
  }
  return tokens;
}

function isFirst(tokens: readonly NameToken[], at: number): boolean {
  const token = tokens[at] as NameToken;
  if (token.codes.length < 3 || (token.parts & PART.particle) !== 0) return true;
  for (let before = 0; before < at; before++) {
    if (tokens[before]?.text === token.text) return false;
  }
  return true;
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

/**
 * Prepares the words of a folded name; an empty name has no tokens.
 *
 * @param comma words before the comma of a person's name as published; 0: it has none
 */
export function prepareName(words: readonly string[], kind: NameKind, comma = 0): PreparedName {
  return prepareWords(words, kind, nameToken, comma);
}

/** The same, with words that a caller keeps. */
export function prepareWords(
  words: readonly string[],
  kind: NameKind,
  make: TokenMaker,
  comma = 0,
): PreparedName {
  if (kind === 'person') {
    const tokens = words.slice(0, TOKENS_MAX).map((word) => make(word, kind));
    return preparedPerson(tokens, comma);
  }
  const spelt = withNumbers(withSpeltWords(words));
  const read = kind === 'entity' ? withShortForms(spelt) : spelt;
  return preparedEntity(
    read.map((word) => make(word, kind)),
    kind,
  );
}

/**
 * Whether a word is read by itself in names of companies and vessels, whatever stands beside it: no
 * legal form begins with it, it is no number in words and no letter that may be one of several.
 */
export function isReadAlone(word: string): boolean {
  return word.length > 1 && tensOf(word) === undefined && isShortAlone(word);
}

/** The words of a person's name as they are compared, from all that it has. */
export function wordsOfPerson(tokens: readonly NameToken[]): readonly NameToken[] {
  for (let at = 0; at < tokens.length; at++) {
    const { parts } = tokens[at] as NameToken;
    if ((parts & (PART.title | PART.particle)) === 0) return withoutRepeats(tokens);
  }
  return tokens.map(ordinary);
}

/**
 * Prepares the name of a person from its words, at most TOKENS_MAX.
 *
 * @param comma words before the comma of the name as published; 0: it has none
 */
export function preparedPerson(tokens: readonly NameToken[], comma = 0): PreparedName {
  const read = wordsOfPerson(tokens);
  const before = comma - (read.length < tokens.length ? repeatsIn(tokens, read, comma) : 0);
  return new PreparedName('person', read, 0, before < read.length ? before : 0);
}

/** How many of the first `count` words are not among those that were kept. */
function repeatsIn(
  tokens: readonly NameToken[],
  kept: readonly NameToken[],
  count: number,
): number {
  let place = 0;
  let gone = 0;
  for (let at = 0; at < count; at++) {
    if (tokens[at] === kept[place]) place += 1;
    else gone += 1;
  }
  return gone;
}

/** Prepares any other name from its words as they are read. */
export function preparedEntity(all: readonly NameToken[], kind: NameKind): PreparedName {
  const isForm = (token: NameToken, at: number) => isLegalAt(token, at, all.length);
  const own = kind === 'vessel' ? all : all.filter((token, at) => !isForm(token, at));
  if (own.length === 0 || own.length === all.length) {
    return new PreparedName(kind, all.slice(0, TOKENS_MAX), 0);
  }
  let legal = 0;
  all.forEach((token, at) => {
    if (isForm(token, at)) legal |= 1 << (legalKind(token.text) ?? 0);
  });
  return new PreparedName(kind, own.slice(0, TOKENS_MAX), legal);
}
