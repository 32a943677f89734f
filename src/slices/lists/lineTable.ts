/**
 * The table of a whole bundle's lines (lineColumns.ts), read again: where a line stands, whether it
 * is unchanged, and what it gives to the digests. Some 100 bytes a line in memory.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DomainError } from '#core/kernel';
import { withRoom } from '#platform/growingBuffer';
import { entityLine, hasPaths, writeSeen } from './entityLine.ts';
import {
  FACTS_BYTES,
  LEAF_BYTES,
  LINES_HEAD_BYTES,
  LINES_MAGIC,
  type LineDigests,
  leafOf,
} from './lineColumns.ts';

/** Lines that differ from a whole bundle's, by id; undefined: the entity is not listed any more. */
export type LineChanges = ReadonlyMap<string, Buffer | undefined>;

const ROW_HEAD_BYTES = 2;
const QUOTE = 0x22;
const ASCII_MAX = 0x7f;
const BACKSLASH = 0x5c;

export class LineTable {
  readonly count: number;
  readonly #leaves: Buffer;
  readonly #facts: Uint32Array;
  readonly #rows: Buffer;
  /** Starts of rows and of lines, one more than there are. */
  readonly #rowStarts: Uint32Array;
  readonly #lineStarts: Float64Array;

  /** `stored` is verified already. Throws `list-damaged` for another format. */
  constructor(stored: Uint8Array) {
    // Views of four-byte numbers begin at multiples of four.
    const bytes = stored.byteOffset % 4 === 0 ? stored : new Uint8Array(stored);
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const isOurs = all.length >= LINES_HEAD_BYTES && all.toString('latin1', 0, 8) === LINES_MAGIC;
    if (!isOurs) throw damaged('not a table of lines');
    this.count = all.readUInt32LE(8);
    const factsAt = LINES_HEAD_BYTES + this.count * LEAF_BYTES;
    const rowsAt = factsAt + this.count * FACTS_BYTES;
    if (rowsAt > all.length) throw damaged('a table of lines that was cut');
    this.#leaves = all.subarray(LINES_HEAD_BYTES, factsAt);
    this.#facts = new Uint32Array(all.buffer, all.byteOffset + factsAt, this.count * 4);
    this.#rows = all.subarray(rowsAt);
    this.#rowStarts = new Uint32Array(this.count + 1);
    this.#lineStarts = new Float64Array(this.count + 1);
    this.#lineStarts[0] = all.readUInt32LE(12);
    for (let at = 0; at < this.count; at++) {
      this.#rowStarts[at + 1] = (this.#rowStarts[at] ?? 0) + (this.#facts[at * 4] ?? 0);
      const lineBytes = this.#facts[at * 4 + 1] ?? 0;
      this.#lineStarts[at + 1] = (this.#lineStarts[at] ?? 0) + lineBytes + 1;
    }
    if (this.#rowStarts[this.count] !== this.#rows.length) throw damaged('a table of other rows');
  }

  /** Place of the first line, from `start` on, whose id is not before `id`. */
  firstNotBefore(id: string, start = 0): number {
    let [low, high] = [start, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#idAt(middle) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isAt(place: number, id: string): boolean {
    return place < this.count && this.#idAt(place) === id;
  }

  has(id: string): boolean {
    return this.isAt(this.firstNotBefore(id), id);
  }

  /** Place of the line in the bundle, without its line feed. */
  spanOf(place: number): { readonly start: number; readonly bytes: number } {
    return { bytes: this.#facts[place * 4 + 1] ?? 0, start: this.#lineStarts[place] ?? 0 };
  }

  /** Throws `list-damaged` where the line at this place is not what was written there. */
  refuseOther(place: number, line: Buffer): void {
    const leaf = this.#leaves.toString('latin1', place * LEAF_BYTES, (place + 1) * LEAF_BYTES);
    const isSame =
      line.length === this.spanOf(place).bytes &&
      crc32(line) === this.#facts[place * 4 + 2] &&
      leafOf(entityLine(line), Buffer.allocUnsafe(line.length)) === leaf;
    if (!isSame) throw damaged(`line ${place} is not the one that was written`);
  }

  /** Digests and counts of the version that these lines and their changes make. */
  digestsWith(changes: LineChanges): Omit<LineDigests, 'columns'> {
    const content = createHash('sha256');
    const list = createHash('sha256');
    let [at, entities, related] = [0, 0, 0];
    let scratch: Buffer = Buffer.of();
    const takeUpTo = (end: number) => {
      content.update(this.#leaves.subarray(at * LEAF_BYTES, end * LEAF_BYTES));
      list.update(this.#rows.subarray(this.#rowStarts[at], this.#rowStarts[end]));
      entities += end - at;
      for (; at < end; at++) related += this.#facts[at * 4 + 3] ?? 0;
    };
    for (const id of sortedIds(changes)) {
      takeUpTo(this.firstNotBefore(id, at));
      if (this.isAt(at, id)) at++;
      const line = changes.get(id);
      if (line === undefined) continue;
      const own = entityLine(line);
      scratch = withRoom(scratch, 0, line.length);
      content.update(leafOf(own, scratch), 'latin1');
      list.update(scratch.subarray(0, writeSeen(own, scratch, 0)));
      entities++;
      related += Number(hasPaths(own));
    }
    takeUpTo(this.count);
    return {
      contentDigest: content.digest('hex'),
      entities,
      listDigest: list.digest('hex'),
      related,
    };
  }

  #idAt(place: number): string {
    const rows = this.#rows;
    const start = (this.#rowStarts[place] ?? 0) + ROW_HEAD_BYTES;
    let end = start;
    let isPlain = true;
    for (let byte = rows[end] ?? QUOTE; byte !== QUOTE; byte = rows[end] ?? QUOTE) {
      if (byte === BACKSLASH || byte > ASCII_MAX) isPlain = false;
      end += byte === BACKSLASH ? 2 : 1;
    }
    // Read twenty times a search, so plain text is not decoded.
    if (isPlain) return rows.toString('latin1', start, end);
    return JSON.parse(rows.toString('utf8', start - 1, end + 1)) as string;
  }
}

export const sortedIds = (changes: LineChanges): readonly string[] => [...changes.keys()].sort();

const damaged = (what: string) => new DomainError('list-damaged', { detail: `lines: ${what}` });
