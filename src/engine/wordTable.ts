/**
 * Words of names as published (what stands between two spaces, in UTF-8) → their folded tokens. A
 * list has thirty times as many words as distinct ones, so a word is folded once; found again it
 * costs a hash of its bytes and no string.
 *
 * Open addressing with linear probing, at most half full. Words of one hash, made on purpose, go to
 * a map after PROBES_MAX of them.
 */
import { foldWord } from './foldName.ts';
import { bytes, grown, words } from './growingArray.ts';
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
  readonly #token = words();
  #count = 0;
  /** Of each word and one more. */
  #starts = new Uint32Array(PLACES_START / 2 + 1);
  #firstTokens = new Uint32Array(PLACES_START / 2 + 1);
  #hashes = new Int32Array(PLACES_START / 2);
  #codePoints = new Uint16Array(PLACES_START / 2);
  /** By the last bits of the hash: number of the word plus 1, 0 where there is none. */
  #places = new Uint32Array(PLACES_START);
  readonly #far = new Map<string, number>();

  constructor(tokens: TokenTable) {
    this.#tokens = tokens;
  }

  /** At least the code points that each word has, by its number, when it is folded. */
  get codePoints(): Uint16Array {
    return this.#codePoints;
  }

  /** Tokens of word i are [firstTokens[i], firstTokens[i + 1]) of `tokens`. */
  get firstTokens(): Uint32Array {
    return this.#firstTokens;
  }

  /** Numbers of tokens; longer than what is in it. */
  get tokens(): Uint32Array {
    return this.#token.room(0);
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
    const from = this.#starts[word] as number;
    if ((this.#starts[word + 1] as number) - from !== end - start) return false;
    const own = this.#bytes.room(0);
    const by = from - start;
    for (let at = start; at < end; at++) if (own[at + by] !== text[at]) return false;
    return true;
  }

  #add(text: Uint8Array, hash: number, place: number): number {
    const word = this.#count;
    if (word === this.#hashes.length) {
      this.#grow();
      return this.find(text, 0, text.length);
    }
    const folded = foldWord(this.#decoder.decode(text));
    this.#bytes.pushAll(text);
    for (const token of folded.tokens) this.#token.push(this.#tokens.intern(token));
    this.#starts[word + 1] = this.#bytes.length;
    this.#firstTokens[word + 1] = this.#token.length;
    this.#hashes[word] = hash;
    this.#codePoints[word] = Math.min(folded.codePointsMax, CODE_POINTS_MAX);
    if (place >= 0) this.#places[place] = word + 1;
    this.#count += 1;
    return word;
  }

  #grow(): void {
    const room = this.#hashes.length * 2;
    const hashes = grown(this.#hashes, new Int32Array(room));
    const places = new Uint32Array(this.#places.length * 2);
    const mask = places.length - 1;
    for (const entry of this.#places) {
      if (entry === 0) continue;
      let place = (hashes[entry - 1] as number) & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = entry;
    }
    this.#hashes = hashes;
    this.#codePoints = grown(this.#codePoints, new Uint16Array(room));
    this.#starts = grown(this.#starts, new Uint32Array(room + 1));
    this.#firstTokens = grown(this.#firstTokens, new Uint32Array(room + 1));
    this.#places = places;
  }
}
