/**
 * Words of names as published (what stands between two spaces, in UTF-8) → their folded tokens. A
 * list has thirty times as many words as distinct ones, so a word is folded once; found again it
 * costs a hash of its bytes and no string.
 *
 * Open addressing with linear probing, at most half full. Words of one hash, made on purpose, go to
 * a map after PROBES_MAX of them.
 */
import { foldWord } from './foldName.ts';
import { bytes, words } from './growingArray.ts';
import type { TokenTable } from './tokenTable.ts';

const PLACES_START = 1 << 12;
const PROBES_MAX = 128;
/** Ample: folding of a whole name counts no more than 512. */
const CODE_POINTS_MAX = 0xffff;

/** Words are numbered as they come. */
export class WordTable {
  readonly #tokens: TokenTable;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #bytes = bytes();
  readonly #start = words();
  readonly #token = words();
  readonly #firstToken = words();
  #hashes = new Int32Array(PLACES_START / 2);
  #codePoints = new Uint16Array(PLACES_START / 2);
  /** By the last bits of the hash: number of the word plus 1, 0 where there is none. */
  #places = new Uint32Array(PLACES_START);
  readonly #far = new Map<string, number>();

  constructor(tokens: TokenTable) {
    this.#tokens = tokens;
    this.#start.push(0);
    this.#firstToken.push(0);
  }

  /** At least the code points that each word has, by its number, when it is folded. */
  get codePoints(): Uint16Array {
    return this.#codePoints;
  }

  /** First token of a word; its tokens end where the next word's begin. */
  firstToken(word: number): number {
    return this.#firstToken.at(word);
  }

  /** Number of a word's token by its place. */
  token(place: number): number {
    return this.#token.at(place);
  }

  /** Number of the word `text[start..end)`. */
  find(text: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5 | 0;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (text[at] as number), 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#places.length - 1;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const place = (hash + probe) & mask;
      const word = (this.#places[place] as number) - 1;
      if (word < 0) return this.#add(text.subarray(start, end), hash, place);
      if (this.#hashes[word] === hash && this.#is(word, text, start, end)) return word;
    }
    return this.#findFar(text.subarray(start, end), hash);
  }

  #findFar(text: Uint8Array, hash: number): number {
    const key = this.#decoder.decode(text);
    const known = this.#far.get(key);
    if (known !== undefined) return known;
    const word = this.#add(text, hash, -1);
    this.#far.set(key, word);
    return word;
  }

  #is(word: number, text: Uint8Array, start: number, end: number): boolean {
    const from = this.#start.at(word);
    if (this.#start.at(word + 1) - from !== end - start) return false;
    for (let at = start; at < end; at++) {
      if (this.#bytes.at(from + at - start) !== text[at]) return false;
    }
    return true;
  }

  #add(text: Uint8Array, hash: number, place: number): number {
    const word = this.#start.length - 1;
    if (word === this.#hashes.length) {
      this.#grow();
      return this.find(text, 0, text.length);
    }
    const folded = foldWord(this.#decoder.decode(text));
    this.#bytes.pushAll(text);
    this.#start.push(this.#bytes.length);
    for (const token of folded.tokens) this.#token.push(this.#tokens.intern(token));
    this.#firstToken.push(this.#token.length);
    this.#hashes[word] = hash;
    this.#codePoints[word] = Math.min(folded.codePointsMax, CODE_POINTS_MAX);
    if (place >= 0) this.#places[place] = word + 1;
    return word;
  }

  #grow(): void {
    const hashes = new Int32Array(this.#hashes.length * 2);
    hashes.set(this.#hashes);
    const codePoints = new Uint16Array(hashes.length);
    codePoints.set(this.#codePoints);
    const places = new Uint32Array(this.#places.length * 2);
    const mask = places.length - 1;
    for (const entry of this.#places) {
      if (entry === 0) continue;
      let place = (hashes[entry - 1] as number) & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = entry;
    }
    this.#hashes = hashes;
    this.#codePoints = codePoints;
    this.#places = places;
  }
}
