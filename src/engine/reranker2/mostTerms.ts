/**
 * The most that two names can say for a match, from their single words alone: a bound under which
 * they need not be aligned, nor the entry's name be prepared. It reads numbers alone
 * (wordColumns.ts) once the words of a search are compared.
 */
import { LINKED_MIN } from './alignment.ts';
import {
  ACRONYM,
  initialsAt,
  JOINED_COST,
  mayBeOne,
  PERSON_ACRONYM,
  SETTLED,
  SETTLED_PARTS,
} from './joinedWords.ts';
import { acronymBits, bitsBy, INITIAL_BITS, informationOf, withRest } from './linkWeights.ts';
import type { NameToken } from './nameToken.ts';
import { TOKENS_MAX } from './preparedName.ts';
import { REASON, SAME } from './tokenSimilarity.ts';
import type { WordRow } from './wordColumns.ts';
import { PART } from './wordFacts.ts';
import { alikeIn, reasonIn, type WordMemo } from './wordMemo.ts';

/** The most that terms which speak for a match can be, and the least of one that speaks against. */
export interface MostTerms {
  coverage: number;
  information: number;
  /** Share of the letters that are alike, whatever the words. */
  spaceless: number;
  /** 1 where words may be written as one. */
  joined: number;
  /** Weight of words on both sides that surely stand for nothing. */
  conflict: number;
  bits: number;
}

/** The least that is surely wrong with one word, where words stand for each other with a flaw. */
export interface LeastFlaws {
  /** Edits; Infinity: none is edited. */
  edits: number;
  nickname: boolean;
  shortened: boolean;
}

const NONE = Number.POSITIVE_INFINITY;
const JOINED = Math.floor(SAME * JOINED_COST);

function noTerms(): MostTerms {
  return { bits: 0, conflict: 0, coverage: 0, information: 0, joined: 0, spaceless: 0 };
}

/** By word of the query, what the best words for it add, none of them spent. */
class Bests {
  readonly terms = noTerms();
  readonly #alike = new Float64Array(TOKENS_MAX);
  readonly #bits = new Float64Array(TOKENS_MAX);
  readonly #letters = new Float64Array(TOKENS_MAX);
  /** Words that may stand for something, a bit each. */
  queryMet = 0;
  entryMet = 0;

  clear(count: number): void {
    this.#alike.fill(0, 0, count);
    this.#bits.fill(0, 0, count);
    this.#letters.fill(0, 0, count);
    this.queryMet = 0;
    this.entryMet = 0;
    this.terms.joined = 0;
  }

  raise(word: number, alike: number, weight: number, bits: number, letters: number): void {
    const share = alike / SAME;
    if (weight * share > (this.#alike[word] as number)) this.#alike[word] = weight * share;
    if (bits > (this.#bits[word] as number)) this.#bits[word] = bits;
    if (letters * share > (this.#letters[word] as number)) this.#letters[word] = letters * share;
  }

  /** Adds up what the words tell together. */
  sum(query: WordRow, entry: WordRow): void {
    const { terms } = this;
    let alike = 0;
    let letters = 0;
    terms.bits = 0;
    for (let at = 0; at < query.count; at++) {
      alike += this.#alike[at] as number;
      letters += this.#letters[at] as number;
      terms.bits += this.#bits[at] as number;
    }
    const queryRest = weightWithout(query, this.queryMet);
    const entryRest = weightWithout(entry, this.entryMet);
    terms.conflict = Math.min(queryRest, entryRest);
    const all = withRest(alike, queryRest, entryRest);
    terms.coverage = all > 0 ? alike / all : 0;
    terms.information = informationOf(terms.bits);
    terms.spaceless = Math.min(1, letters / Math.max(1, lettersOf(query), lettersOf(entry)));
  }
}

/** Reads bounds; an instance is used again for the next pair. */
export class MostReader {
  /** Words that may stand for each other: all, and those alone that cost nothing by it. */
  readonly #all = new Bests();
  readonly #plain = new Bests();
  /** Edits of the word that needs the fewest, and whether one is a nickname or cut short. */
  readonly flaws: LeastFlaws = { edits: NONE, nickname: false, shortened: false };
  /** Likeness of each word's best partner, initials aside. */
  readonly #queryBest = new Int32Array(TOKENS_MAX);
  readonly #entryBest = new Int32Array(TOKENS_MAX);

  /** The most that names can say which were read last, some of their flaws among it. */
  get all(): MostTerms {
    return this.#all.terms;
  }

  /** The same without any of the flaws. */
  get plain(): MostTerms {
    return this.#plain.terms;
  }

  /** Some words stand for each other only with a flaw. */
  get isFlawed(): boolean {
    const { edits, nickname, shortened } = this.flaws;
    return edits !== NONE || nickname || shortened;
  }

  /**
   * Reads the most that names can say; words that might be joined are taken to be. Returns false
   * where no word may stand for another.
   */
  read(query: WordRow, entry: WordRow, memo: WordMemo, isPerson: boolean): boolean {
    this.#all.clear(query.count);
    this.#plain.clear(query.count);
    this.flaws.edits = NONE;
    this.flaws.nickname = false;
    this.flaws.shortened = false;
    this.#meetWords(query, entry, memo);
    this.#meetJoined(query, entry, this.#queryBest, this.#entryBest, false);
    this.#meetJoined(entry, query, this.#entryBest, this.#queryBest, true);
    this.#meetAcronyms(query, entry, isPerson, false);
    this.#meetAcronyms(entry, query, isPerson, true);
    if (this.#all.queryMet === 0) return false;
    this.#all.sum(query, entry);
    if (this.isFlawed) this.#plain.sum(query, entry);
    return true;
  }

  #meetWords(query: WordRow, entry: WordRow, memo: WordMemo): void {
    const { answers } = memo;
    const width = entry.columns.words.length;
    this.#queryBest.fill(0, 0, query.count);
    this.#entryBest.fill(0, 0, entry.count);
    for (let i = 0; i < query.count; i++) {
      const one = query.places[query.from + i] as number;
      const row = one * width;
      for (let j = 0; j < entry.count; j++) {
        const other = entry.places[entry.from + j] as number;
        const answer = answers[row + other] as number;
        const alike = alikeIn(answer);
        if (alike < LINKED_MIN) continue;
        const isInitial = reasonIn(answer) === REASON.initial;
        if (!isInitial) {
          if (alike > (this.#queryBest[i] as number)) this.#queryBest[i] = alike;
          if (alike > (this.#entryBest[j] as number)) this.#entryBest[j] = alike;
        }
        const weight =
          ((query.columns.weight[one] as number) + (entry.columns.weight[other] as number)) / 2;
        const rarity = Math.min(
          query.columns.rarity[one] as number,
          entry.columns.rarity[other] as number,
        );
        const letters = Math.max(
          query.columns.ownLetters[one] as number,
          entry.columns.ownLetters[other] as number,
        );
        const bits = isInitial ? INITIAL_BITS : bitsBy(alike, rarity, weight);
        this.#all.queryMet |= 1 << i;
        this.#all.entryMet |= 1 << j;
        this.#all.raise(i, alike, weight, bits, letters);
        const longest = Math.max(
          query.columns.letters[one] as number,
          entry.columns.letters[other] as number,
        );
        if (this.#isFlaw(alike, reasonIn(answer), longest)) continue;
        this.#plain.queryMet |= 1 << i;
        this.#plain.entryMet |= 1 << j;
        this.#plain.raise(i, alike, weight, bits, letters);
      }
    }
  }

  /** Whether words stand for each other with what a term counts against them by itself. */
  #isFlaw(alike: number, reason: number, letters: number): boolean {
    const { flaws } = this;
    if (reason === REASON.nickname) flaws.nickname = true;
    else if (reason === REASON.shortened) flaws.shortened = true;
    else if (reason > REASON.transliteration || alike === SAME) return false;
    else flaws.edits = Math.min(flaws.edits, (1 - alike / SAME) * letters);
    return true;
  }

  /** Words of `parts` that may be one word of `whole`; `isTurned`: `parts` is the entry. */
  #meetJoined(
    parts: WordRow,
    whole: WordRow,
    best: Int32Array,
    wholeBest: Int32Array,
    isTurned: boolean,
  ): void {
    for (let at = 0; at < whole.count; at++) {
      if ((wholeBest[at] as number) >= SETTLED) continue;
      const place = whole.places[whole.from + at] as number;
      for (let from = 0; from + 1 < parts.count; from++) {
        if (isNumber(parts, from) || isNumber(parts, from + 1)) continue;
        const areSettled =
          (best[from] as number) > SETTLED_PARTS && (best[from + 1] as number) > SETTLED_PARTS;
        if (!areSettled && mayJoin(parts, from, 2, whole, place)) {
          this.#meetOne(parts, from, 2, whole, at, isTurned);
        }
        if (from + 2 >= parts.count || isNumber(parts, from + 2)) continue;
        if (areSettled && (best[from + 2] as number) > SETTLED_PARTS) continue;
        if (mayJoin(parts, from, 3, whole, place)) {
          this.#meetOne(parts, from, 3, whole, at, isTurned);
        }
      }
    }
  }

  #meetOne(
    parts: WordRow,
    from: number,
    count: number,
    whole: WordRow,
    at: number,
    isTurned: boolean,
  ): void {
    this.#all.terms.joined = 1;
    this.#plain.terms.joined = 1;
    this.#meet(whole, at, parts, from, count, JOINED, isTurned);
  }

  /** Words of `short` that are the first letters of a run of words of `long`. */
  #meetAcronyms(short: WordRow, long: WordRow, isPerson: boolean, isTurned: boolean): void {
    if (long.count < 2) return;
    let words: readonly NameToken[] | undefined;
    for (let at = 0; at < short.count; at++) {
      const place = short.places[short.from + at] as number;
      if (short.columns.acronym[place] === 0) continue;
      const letter = short.columns.first[place];
      for (let from = 0; from < long.count; from++) {
        if (long.columns.first[long.places[long.from + from] as number] !== letter) continue;
        words ??= Array.from({ length: long.count }, (_, word) => wordAt(long, word));
        const count = initialsAt(wordAt(short, at), words, from);
        const alike = isPerson ? PERSON_ACRONYM : ACRONYM;
        if (count > 0) this.#meet(short, at, long, from, count, alike, !isTurned, true);
      }
    }
  }

  /** One word stands for several; `isTurned`: those are the entry's. */
  #meet(
    one: WordRow,
    at: number,
    several: WordRow,
    from: number,
    count: number,
    alike: number,
    isTurned: boolean,
    isAcronym = false,
  ): void {
    const place = one.places[one.from + at] as number;
    let weight = one.columns.weight[place] as number;
    let letters = 0;
    for (let part = from; part < from + count; part++) {
      const other = several.places[several.from + part] as number;
      weight += several.columns.weight[other] as number;
      letters += several.columns.ownLetters[other] as number;
    }
    weight /= 2;
    const run = ((1 << count) - 1) << from;
    const told = bitsBy(alike, one.columns.rarity[place] as number, weight);
    const bits = isAcronym ? acronymBits(told, one.columns.letters[place] as number) : told;
    const most = Math.max(letters, one.columns.ownLetters[place] as number);
    for (const bests of [this.#all, this.#plain]) {
      bests.queryMet |= isTurned ? 1 << at : run;
      bests.entryMet |= isTurned ? run : 1 << at;
      bests.raise(isTurned ? at : from, alike, weight, bits, most);
    }
  }
}

function wordAt({ columns, from, places }: WordRow, at: number): NameToken {
  return columns.words[places[from + at] as number] as NameToken;
}

function isNumber({ columns, from, places }: WordRow, at: number): boolean {
  return ((columns.parts[places[from + at] as number] as number) & PART.number) !== 0;
}

/** Whether `count` words of a name from `from` on may be the word at a place of the other side. */
function mayJoin(
  { columns, from: start, places }: WordRow,
  from: number,
  count: number,
  whole: WordRow,
  place: number,
): boolean {
  let letters = 0;
  for (let at = from; at < from + count; at++) {
    letters += columns.letters[places[start + at] as number] as number;
  }
  const first = columns.first[places[start + from] as number] as number;
  const last = columns.last[places[start + from + count - 1] as number] as number;
  const other = whole.columns;
  return mayBeOne(
    count,
    letters,
    first,
    last,
    other.letters[place] as number,
    other.first[place] as number,
    other.last[place] as number,
  );
}

function lettersOf({ columns, count, from, places }: WordRow): number {
  let letters = 0;
  for (let at = from; at < from + count; at++) {
    letters += columns.ownLetters[places[at] as number] as number;
  }
  return letters;
}

/** Weight of the words that are not in the set, but for numbers. */
function weightWithout({ columns, count, from, places }: WordRow, met: number): number {
  let weight = 0;
  for (let at = 0; at < count; at++) {
    const place = places[from + at] as number;
    const isNumber = ((columns.parts[place] as number) & PART.number) !== 0;
    if (((met >>> at) & 1) === 0 && !isNumber) weight += columns.weight[place] as number;
  }
  return weight;
}
