/**
 * The words of one side of a search, each once, with what a bound reads of them as columns of
 * numbers: names are then rows of places, and comparing two of them touches no object.
 */
import { isAcronym } from './joinedWords.ts';
import type { NameToken } from './nameToken.ts';
import { PART } from './wordFacts.ts';

const WORDS_FIRST = 512;

/** Words by their places; an instance is used again for the next search. */
export class WordColumns {
  readonly words: NameToken[] = [];
  weight = new Float64Array(WORDS_FIRST);
  rarity = new Uint8Array(WORDS_FIRST);
  /** PART bits. */
  parts = new Uint16Array(WORDS_FIRST);
  letters = new Uint8Array(WORDS_FIRST);
  /** The same, but 0 of a title. */
  ownLetters = new Uint8Array(WORDS_FIRST);
  /** Codes of the first and of the last letter, 0 where there is none. */
  first = new Uint8Array(WORDS_FIRST);
  last = new Uint8Array(WORDS_FIRST);
  /** 1: it may be the first letters of other words. */
  acronym = new Uint8Array(WORDS_FIRST);
  readonly #isPerson: boolean;

  constructor(isPerson: boolean) {
    this.#isPerson = isPerson;
  }

  clear(): void {
    this.words.length = 0;
  }

  /** The place of a word, which is added where it is not there yet. */
  add(word: NameToken): number {
    if (this.words[word.place] === word) return word.place;
    const place = this.words.length;
    if (place === this.weight.length) this.#grow();
    word.place = place;
    this.words.push(word);
    const { codes } = word;
    this.weight[place] = word.weight;
    this.rarity[place] = word.rarity;
    this.parts[place] = word.parts;
    this.letters[place] = codes.length;
    this.ownLetters[place] = (word.parts & PART.title) === 0 ? codes.length : 0;
    this.first[place] = codes[0] ?? 0;
    this.last[place] = codes[codes.length - 1] ?? 0;
    this.acronym[place] = isAcronym(word, this.#isPerson) ? 1 : 0;
    return place;
  }

  #grow(): void {
    const size = 2 * this.weight.length;
    const grown = <T extends Float64Array | Uint16Array | Uint8Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.weight = grown(new Float64Array(size), this.weight);
    this.rarity = grown(new Uint8Array(size), this.rarity);
    this.parts = grown(new Uint16Array(size), this.parts);
    this.letters = grown(new Uint8Array(size), this.letters);
    this.ownLetters = grown(new Uint8Array(size), this.ownLetters);
    this.first = grown(new Uint8Array(size), this.first);
    this.last = grown(new Uint8Array(size), this.last);
    this.acronym = grown(new Uint8Array(size), this.acronym);
  }
}

/** A name as the places of its words, `count` of them from `from` on. */
export interface WordRow {
  readonly columns: WordColumns;
  readonly places: Int32Array;
  readonly from: number;
  readonly count: number;
}

/** Names of one side, one row behind the other; an instance is used again for the next search. */
export class WordRows {
  #places = new Int32Array(4_096);
  #starts = new Int32Array(1_024);
  #count = 0;
  #end = 0;

  /** Names so far. */
  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#count = 0;
    this.#end = 0;
  }

  /** Adds a name; its words get places in the columns. */
  add(words: readonly NameToken[], columns: WordColumns): void {
    if (this.#count + 1 >= this.#starts.length) this.#starts = doubled(this.#starts);
    while (this.#end + words.length > this.#places.length) this.#places = doubled(this.#places);
    for (let at = 0; at < words.length; at++) {
      this.#places[this.#end + at] = columns.add(words[at] as NameToken);
    }
    this.#starts[this.#count] = this.#end;
    this.#end += words.length;
    this.#count += 1;
    this.#starts[this.#count] = this.#end;
  }

  /** A name by its number, in the order of `add`. */
  row(name: number, columns: WordColumns): WordRow {
    const from = this.#starts[name] as number;
    const count = (this.#starts[name + 1] as number) - from;
    return { columns, count, from, places: this.#places };
  }
}

function doubled(from: Int32Array): Int32Array<ArrayBuffer> {
  const to = new Int32Array(2 * from.length);
  to.set(from);
  return to;
}
