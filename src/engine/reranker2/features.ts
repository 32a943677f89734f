/**
 * What an alignment says, as numbers: the terms that the model weighs. Each is at least 0, and each
 * has a direction that it may move the score in, so that no model contradicts what the term means.
 *
 * All numbers are float64 and come from + − × ÷ and comparisons in one fixed order, which IEEE 754
 * fixes to the last bit on every machine; no logarithm or exponential of the host is called.
 */
import type { Aligned, Link } from './alignment.ts';
import { bitsOf, informationOf, linkWeight, weightOf, withRest } from './linkWeights.ts';
import type { NameToken } from './nameToken.ts';
import type { PreparedName } from './preparedName.ts';
import { REASON, SAME } from './tokenSimilarity.ts';
import { ANY_LEGAL_KIND, PART, RARITY_BIT } from './wordFacts.ts';
import type { WordMemo } from './wordMemo.ts';

/** The terms with the sign that their weights may have: 1, -1, or 0 for either. */
export const TERMS = {
  coverage: 1,
  conflict: -1,
  conflictShare: -1,
  extraQuery: -1,
  extraEntry: -1,
  turned: -1,
  initials: -1,
  oneWord: -1,
  largestEdit: -1,
  edits: -1,
  unlike: -1,
  information: 1,
  commonEdit: -1,
  commonest: -1,
  headEdit: -1,
  numberConflict: -1,
  numberMissing: -1,
  legalConflict: -1,
  legalMissing: -1,
  acronym: -1,
  joined: 0,
  shortened: -1,
  nickname: -1,
  nearWords: -1,
  farConflict: -1,
  descriptorLeft: -1,
  shortName: -1,
  vessel: 0,
  gender: -1,
  suffixConflict: -1,
  suffixMissing: -1,
  spaceless: 1,
} as const;

/**
 * Weights that are no lower than this, whatever pairs say: lists are in any order, and two words in
 * another one cost hardly a clean name more (docs/decisions/0049-reranker-2.md). No pairs of the
 * training have a nickname for one person, only for two (0072-lines-of-the-model.md).
 */
export const WEIGHT_LEAST: Readonly<Partial<Record<Term, number>>> = {
  nickname: -1,
  turned: -0.84,
};

/** A term's name. */
export type Term = keyof typeof TERMS;
/** The terms in the order of the numbers. */
export const TERM_NAMES = Object.keys(TERMS) as readonly Term[];
const AT = Object.fromEntries(TERM_NAMES.map((name, at) => [name, at])) as Record<Term, number>;

/** A term among the numbers. */
export function termIn(values: Float64Array, term: Term): number {
  return values[AT[term]] as number;
}

/** Weight from which a word counts as one of the name's own. */
const OWN = 0.3;
const FAR = 350;
const SHORT_NAME = 6;
/** Rarity under which a word is common, in bits below the rarest. */
const COMMON = RARITY_BIT * 12;
/** Edits in all words, and in one, from which a term is 1. */
const EDITS_MAX = 6;
/** The same for one word. */
const EDIT_MAX = 4;

/** The term `edits` of one word with so many. */
export function editsTerm(edits: number): number {
  return Math.min(edits, EDITS_MAX) / EDITS_MAX;
}

/** The term `largestEdit` of a word with so many. */
export function largestEditTerm(edits: number): number {
  return Math.min(edits, EDIT_MAX) / EDIT_MAX;
}
const NO_GENDER = PART.male | PART.female;

/** Sums of one pair, as the features need them. */
class Sums {
  linked = 0;
  alike = 0;
  letters = 0;
  bits = 0;
  own = 0;
}

/** The features of aligned names; an instance is used again for the next pair. */
export class Features {
  readonly values = new Float64Array(TERM_NAMES.length);
  /** Bits of information in the words that both names have. */
  bits = 0;
  /** Every word of both names is in a taken pair of the same word. */
  isSame = false;
  /** The entry was read with the words before its comma at the end: `Nikolai Patrushev`. */
  isTurnedAtComma = false;

  /** The features of names that have nothing in common. */
  clear(): void {
    this.values.fill(0);
    this.bits = 0;
    this.isSame = false;
    this.isTurnedAtComma = false;
  }

  /** Reads what the alignment of these names says. */
  read(query: PreparedName, entry: PreparedName, alignment: Aligned): void {
    this.values.fill(0);
    const sums = new Sums();
    this.isSame = true;
    for (let at = 0; at < alignment.count; at++) {
      this.#readLink(query, entry, alignment.links[at] as Link, sums);
    }
    this.#readRest(query, entry, alignment, sums);
    this.#readOrder(alignment, query, entry);
    this.#readLegal(query, entry);
    this.#readWhole(query, entry, alignment, sums);
    this.bits = sums.bits;
    this.#set('information', informationOf(sums.bits));
  }

  #set(term: Term, value: number): void {
    this.values[AT[term]] = value;
  }

  #raise(term: Term, value: number): void {
    const at = AT[term];
    if (value > (this.values[at] as number)) this.values[at] = value;
  }

  #readLink(query: PreparedName, entry: PreparedName, link: Link, sums: Sums): void {
    const one = query.tokens[link.query] as NameToken;
    const other = entry.tokens[link.entry] as NameToken;
    const weight = linkWeight(query, entry, link);
    const share = link.alike / SAME;
    sums.linked += weight;
    sums.alike += weight * share;
    sums.bits += bitsOf(query, entry, link);
    if (link.reason !== REASON.same) this.isSame = false;
    if (link.reason === REASON.initial) {
      this.values[AT.initials] = (this.values[AT.initials] as number) + weight;
      return;
    }
    if (weight >= OWN) {
      sums.own += 1;
      const isSpelt = link.reason < REASON.initial || link.reason === REASON.joined;
      if (isSpelt) this.#raise('unlike', 1 - share);
    }
    this.#readReason(link.reason);
    if (link.reason <= REASON.transliteration || link.reason === REASON.joined) {
      this.#readEdit(one, other, link);
    }
    if ((one.parts & NO_GENDER) !== 0 && (other.parts & NO_GENDER) !== 0) {
      if (((one.parts ^ other.parts) & NO_GENDER) !== 0) this.#set('gender', 1);
    }
  }

  #readReason(reason: number): void {
    if (reason === REASON.acronym) this.#set('acronym', 1);
    else if (reason === REASON.joined) this.#set('joined', 1);
    else if (reason === REASON.shortened) this.#set('shortened', 1);
    else if (reason === REASON.nickname) this.#set('nickname', 1);
  }

  /** Edits in words that stand for each other; between two common words they weigh more. */
  #readEdit(one: NameToken, other: NameToken, link: Link): void {
    const unlike = 1 - link.alike / SAME;
    const letters = Math.max(
      link.queryCount === 1 ? one.codes.length : 0,
      link.entryCount === 1 ? other.codes.length : 0,
    );
    const edits = unlike * letters;
    this.values[AT.edits] = (this.values[AT.edits] as number) + editsTerm(edits);
    this.#raise('largestEdit', largestEditTerm(edits));
    if (link.alike === SAME || link.reason === REASON.joined) return;
    if (one.codes[0] !== other.codes[0]) this.#set('headEdit', 1);
    const rarity = Math.max(one.rarity, other.rarity);
    if (rarity >= COMMON || ((one.parts | other.parts) & PART.particle) !== 0) return;
    const common = (COMMON - rarity) / COMMON;
    const before = this.values[AT.commonEdit] as number;
    this.values[AT.commonEdit] = Math.min(2, before + common * unlike * 4);
    this.#raise('commonest', common);
  }

  /** Words that are left over on either side. */
  #readRest(query: PreparedName, entry: PreparedName, alignment: Aligned, sums: Sums): void {
    const own = restOf(query, alignment.queryTaken);
    const other = restOf(entry, alignment.entryTaken);
    if (own.words.length > 0 || other.words.length > 0) this.isSame = false;
    const conflict = Math.min(own.weight, other.weight);
    const extraQuery = own.weight - conflict;
    const extraEntry = other.weight - conflict;
    const linked = sums.linked;
    const all = withRest(linked, own.weight, other.weight);
    this.#set('coverage', all > 0 ? sums.alike / all : 0);
    this.#set('conflict', conflict);
    this.#set('conflictShare', conflict / Math.max(0.1, linked + conflict));
    this.#set('extraQuery', extraQuery / Math.max(0.1, own.total));
    this.#set('extraEntry', extraEntry / Math.max(0.1, other.total));
    this.values[AT.initials] = (this.values[AT.initials] as number) / Math.max(0.1, linked);
    const full = Math.max(own.own + sums.own, other.own + sums.own);
    this.#set('oneWord', sums.own <= 1 && full > 1 ? 1 : 0);
    this.#set('numberConflict', own.numbers > 0 && other.numbers > 0 ? 1 : 0);
    this.#set('numberMissing', own.numbers > 0 !== other.numbers > 0 ? 1 : 0);
    this.#set('descriptorLeft', Math.min(1, own.descriptors + other.descriptors));
    this.#readConflict(own.words, other.words, conflict, alignment.memos[query.kind]);
    this.#readSuffixes(query, entry);
  }

  #readConflict(
    own: readonly NameToken[],
    other: readonly NameToken[],
    conflict: number,
    memo: WordMemo,
  ): void {
    if (conflict <= 0) return;
    let near = 0;
    for (const one of own) {
      for (const two of other) {
        if (one.weight < OWN || two.weight < OWN) continue;
        const alike = memo.spelledAlike(one, two);
        if (alike > near) near = alike;
        const isEitherGender = ((one.parts | two.parts) & NO_GENDER) === NO_GENDER;
        if (isEitherGender && (one.parts & two.parts & NO_GENDER) === 0) this.#set('gender', 1);
      }
    }
    this.#set('nearWords', near / SAME);
    this.#set('farConflict', near < FAR ? 1 : 0);
  }

  #readSuffixes(query: PreparedName, entry: PreparedName): void {
    const one = query.tokens.find(({ parts }) => (parts & PART.suffix) !== 0)?.text;
    const other = entry.tokens.find(({ parts }) => (parts & PART.suffix) !== 0)?.text;
    if (one === other) return;
    this.#set(one === undefined || other === undefined ? 'suffixMissing' : 'suffixConflict', 1);
  }

  /** Words in another order; a comma says that the words before it may stand first or last. */
  #readOrder(alignment: Aligned, query: PreparedName, entry: PreparedName): void {
    const written = turnedShare(alignment, query, entry, 0);
    const atComma =
      written > 0 && entry.comma > 0 ? turnedShare(alignment, query, entry, entry.comma) : written;
    this.isTurnedAtComma = atComma < written;
    this.#set('turned', this.isTurnedAtComma ? atComma : written);
  }

  #readLegal(query: PreparedName, entry: PreparedName): void {
    const one = query.legal;
    const other = entry.legal;
    if ((one !== 0) !== (other !== 0)) this.#set('legalMissing', 1);
    if (one === 0 || other === 0 || (one & other) !== 0) return;
    if (((one | other) & (1 << ANY_LEGAL_KIND)) === 0) this.#set('legalConflict', 1);
  }

  #readWhole(query: PreparedName, entry: PreparedName, alignment: Aligned, sums: Sums): void {
    const one = lettersOf(query);
    const other = lettersOf(entry);
    for (let at = 0; at < alignment.count; at++) {
      const link = alignment.links[at] as Link;
      const a = lettersIn(query, link.query, link.queryCount);
      const b = lettersIn(entry, link.entry, link.entryCount);
      const isShort = link.reason === REASON.initial || link.reason === REASON.acronym;
      sums.letters += isShort ? Math.min(a, b) : (link.alike / SAME) * Math.max(a, b);
    }
    this.#set('spaceless', Math.min(1, sums.letters / Math.max(1, one, other)));
    this.#set('shortName', Math.min(one, other) < SHORT_NAME ? 1 : 0);
    this.#set('vessel', query.kind === 'vessel' ? 1 : 0);
  }
}

/** A word's place where the first `comma` words of a name stand last. */
export function placeAt(place: number, comma: number, count: number): number {
  return place < comma ? place + count - comma : place - comma;
}

/** Share of pairs of linked words that stand in another order, the entry turned at `comma`. */
function turnedShare(
  alignment: Aligned,
  query: PreparedName,
  entry: PreparedName,
  comma: number,
): number {
  const count = entry.tokens.length;
  let turned = 0;
  let pairs = 0;
  for (let at = 0; at < alignment.count; at++) {
    const one = alignment.links[at] as Link;
    if (!isOwn(query, entry, one)) continue;
    const place = placeAt(one.entry, comma, count);
    for (let next = at + 1; next < alignment.count; next++) {
      const other = alignment.links[next] as Link;
      if (!isOwn(query, entry, other)) continue;
      pairs += 1;
      if (one.query < other.query !== place < placeAt(other.entry, comma, count)) turned += 1;
    }
  }
  return pairs > 0 ? turned / pairs : 0;
}

interface Rest {
  readonly words: readonly NameToken[];
  /** Weight of the words left over, but for numbers. */
  readonly weight: number;
  /** Weight of all words. */
  readonly total: number;
  readonly own: number;
  readonly numbers: number;
  readonly descriptors: number;
}

function restOf({ tokens }: PreparedName, taken: number): Rest {
  const words: NameToken[] = [];
  let weight = 0;
  let total = 0;
  let own = 0;
  let numbers = 0;
  let descriptors = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as NameToken;
    total += token.weight;
    if (((taken >>> at) & 1) !== 0) continue;
    words.push(token);
    if ((token.parts & PART.number) !== 0) numbers += 1;
    else {
      weight += token.weight;
      if (token.weight >= OWN) own += 1;
    }
    if ((token.parts & PART.descriptor) !== 0) descriptors += token.weight;
  }
  return { descriptors, numbers, own, total, weight, words };
}

function isOwn(query: PreparedName, entry: PreparedName, link: Link): boolean {
  const weight =
    weightOf(query, link.query, link.queryCount) + weightOf(entry, link.entry, link.entryCount);
  return weight >= 2 * OWN;
}

function lettersIn({ tokens }: PreparedName, from: number, count: number): number {
  let letters = 0;
  for (let at = from; at < from + count; at++) {
    const token = tokens[at];
    if (token !== undefined && (token.parts & PART.title) === 0) letters += token.codes.length;
  }
  return letters;
}

function lettersOf(name: PreparedName): number {
  return lettersIn(name, 0, name.tokens.length);
}
