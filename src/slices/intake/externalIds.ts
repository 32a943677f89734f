/**
 * Which external_ids a batch has had already: exact, for ten million of them, in bounded memory.
 *
 *   table   [hash u32][place u32 + 1] × slots, open addressing, at most 3/4 taken: 134 MB at
 *           ten million ids, and half as much again while it grows
 *   log     [line u32][id bytes u16][id] …, each at a multiple of 4; its last TAIL_BYTES are in
 *           memory, the rest in a file without a name, which the system removes however the
 *           process ends
 *
 * Two ids with one hash are told apart by their bytes in the log. Of ten million ids some 10,000
 * share another one's hash by chance, and each real duplicate is looked up once, a few microseconds
 * each. A longer hash without the log would need as much memory, and could still, rarely, reject a
 * subject by mistake. Sorted runs would need a pass before the first answer. The hash has a new key
 * each time, so no file can be made to collide in it.
 *
 * Reads and writes of the disk are synchronous: this is for a worker, not for the gateway.
 */
import assert from 'node:assert/strict';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { draftOf, removeAbandonedDrafts } from '#platform/draftFile';
import type { Random } from '#platform/random';
import { EXTERNAL_ID_CHARS_MAX } from './subject.ts';

const TAIL_BYTES = 1024 * 1024;
const HEAD_BYTES = 6;
const UNIT_BYTES = 4;
/**
 * A character takes four bytes at most; the rest is the head and the padding to a multiple of
 * UNIT_BYTES.
 */
const RECORD_BYTES_MAX = HEAD_BYTES + EXTERNAL_ID_CHARS_MAX * 4 + UNIT_BYTES;
const SLOTS_MIN = 1 << 12;

export class ExternalIds {
  readonly #directory: string;
  readonly #key: readonly [number, number];
  #hashes = new Uint32Array(SLOTS_MIN);
  #places = new Uint32Array(SLOTS_MIN);
  #count = 0;
  readonly #tail: Buffer;
  #tailUsed = 0;
  /** Bytes of the log that are in the file. */
  #flushed = 0;
  #file: number | undefined;
  readonly #wanted = Buffer.allocUnsafeSlow(RECORD_BYTES_MAX);
  readonly #found = Buffer.allocUnsafeSlow(RECORD_BYTES_MAX);

  /** `directory` must exist; it is used only once the tail is full. */
  constructor(options: {
    readonly directory: string;
    readonly random: Random;
    readonly tailBytes?: number;
  }) {
    this.#directory = options.directory;
    const key = Buffer.from(options.random.bytes(8));
    this.#key = [key.readInt32LE(0), key.readInt32LE(4)];
    const tailBytes = options.tailBytes ?? TAIL_BYTES;
    assert(tailBytes >= RECORD_BYTES_MAX);
    this.#tail = Buffer.allocUnsafeSlow(tailBytes);
  }

  get count(): number {
    return this.#count;
  }

  /**
   * The line that had the id before. Undefined: the id is new, and belongs to this line from now
   * on.
   */
  add(id: string, line: number): number | undefined {
    const bytes = this.#write(id, line);
    const hash = halfSipHash(this.#key, id);
    const mask = this.#places.length - 1;
    let slot = hash & mask;
    for (;;) {
      const place = this.#places[slot] ?? 0;
      if (place === 0) break;
      if (this.#hashes[slot] === hash) {
        const before = this.#lineOf(place - 1, bytes);
        if (before !== undefined) return before;
      }
      slot = (slot + 1) & mask;
    }
    this.#hashes[slot] = hash;
    this.#places[slot] = this.#append(bytes) + 1;
    this.#count++;
    if (this.#count * 4 > this.#places.length * 3) this.#grow();
    return undefined;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#hashes = new Uint32Array(0);
    this.#places = new Uint32Array(0);
  }

  /** Writes the record of the id that is looked up; answers its length. */
  #write(id: string, line: number): number {
    assert(id.length <= EXTERNAL_ID_CHARS_MAX * 2, 'external_id: too long to be looked up');
    const bytes = this.#wanted.write(id, HEAD_BYTES);
    this.#wanted.writeUInt32LE(line, 0);
    this.#wanted.writeUInt16LE(bytes, 4);
    return HEAD_BYTES + bytes;
  }

  /** The line in the record at this place, if its id is the one that is looked up. */
  #lineOf(place: number, bytes: number): number | undefined {
    const position = place * UNIT_BYTES;
    const record = this.#record(position, bytes);
    const isSame = record.compare(this.#wanted, UNIT_BYTES, bytes, UNIT_BYTES, bytes) === 0;
    return isSame ? record.readUInt32LE(0) : undefined;
  }

  #record(position: number, bytes: number): Buffer {
    if (position >= this.#flushed) return this.#tail.subarray(position - this.#flushed);
    assert(this.#file !== undefined);
    // Records lie next to each other and the tail is flushed whole, so there is enough to read. The
    // end of the file is the exception, and there the ids differ in length anyway.
    this.#found.fill(0, 0, bytes);
    readSync(this.#file, this.#found, 0, bytes, position);
    return this.#found;
  }

  /** Answers its place, in units. */
  #append(bytes: number): number {
    if (this.#tailUsed + bytes + UNIT_BYTES > this.#tail.length) this.#flush();
    const position = this.#flushed + this.#tailUsed;
    this.#wanted.copy(this.#tail, this.#tailUsed, 0, bytes);
    this.#tailUsed += Math.ceil(bytes / UNIT_BYTES) * UNIT_BYTES;
    return position / UNIT_BYTES;
  }

  #flush(): void {
    this.#file ??= openNameless(this.#directory);
    let written = 0;
    while (written < this.#tailUsed) {
      const left = this.#tailUsed - written;
      written += writeSync(this.#file, this.#tail, written, left, this.#flushed + written);
    }
    this.#flushed += this.#tailUsed;
    this.#tailUsed = 0;
  }

  #grow(): void {
    const hashes = this.#hashes;
    const places = this.#places;
    this.#hashes = new Uint32Array(hashes.length * 2);
    this.#places = new Uint32Array(places.length * 2);
    const mask = this.#places.length - 1;
    for (let from = 0; from < places.length; from++) {
      const place = places[from] ?? 0;
      if (place === 0) continue;
      const hash = hashes[from] ?? 0;
      let slot = hash & mask;
      while (this.#places[slot] !== 0) slot = (slot + 1) & mask;
      this.#hashes[slot] = hash;
      this.#places[slot] = place;
    }
  }
}

function openNameless(directory: string): number {
  removeAbandonedDrafts(directory);
  const path = draftOf(join(directory, 'external-ids'), 'tmp');
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

/**
 * HalfSipHash-1-3 (Aumasson and Bernstein's SipHash on 32-bit words; the reference's halfsiphash.c)
 * over pairs of UTF-16 units: 32 bits that cannot be aimed at without the key.
 */
export function halfSipHash([k0, k1]: readonly [number, number], text: string): number {
  let a = k0;
  let b = k1;
  let c = 0x6c796765 ^ k0;
  let d = 0x74656462 ^ k1;
  const pairs = text.length >> 1;
  // The words of the text, the last with its length, then three rounds to finish.
  for (let at = 0; at < pairs + 4; at++) {
    let word = 0;
    if (at < pairs) word = text.charCodeAt(2 * at) | (text.charCodeAt(2 * at + 1) << 16);
    else if (at === pairs) {
      word = (text.length << 24) | (text.length & 1 ? text.charCodeAt(text.length - 1) : 0);
    } else if (at === pairs + 1) c ^= 0xff;
    d ^= word;
    a = (a + b) | 0;
    b = ((b << 5) | (b >>> 27)) ^ a;
    a = (a << 16) | (a >>> 16);
    c = (c + d) | 0;
    d = ((d << 8) | (d >>> 24)) ^ c;
    a = (a + d) | 0;
    d = ((d << 7) | (d >>> 25)) ^ a;
    c = (c + b) | 0;
    b = ((b << 13) | (b >>> 19)) ^ c;
    c = (c << 16) | (c >>> 16);
    a ^= word;
  }
  return (b ^ d) >>> 0;
}
