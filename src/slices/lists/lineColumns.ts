/**
 * What is computed from each line of a version, kept beside its bundle so that the next version's
 * digests need only what a delta changes (lineTable.ts reads it):
 *
 *   header   'CPLINES1' [lines u32][first byte of the first line in the bundle u32]
 *   leaves   [SHA-256 of the entity's content, 32 bytes] a line
 *   facts    [bytes of the row][bytes of the line][CRC-32 of the line][related], u32 each, a line
 *   rows     JCS([ftm_id, last_seen_at]) and a line feed, a line
 *
 * Little-endian. `content_digest` is the SHA-256 of the leaves, `list_digest` that of the rows.
 */
import { createHash, type Hash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { withRoom } from '#platform/growingBuffer';
import { type EntityLine, hasPaths, writeContent, writeSeen } from './entityLine.ts';

export const LINES_MAGIC = 'CPLINES1';
export const LINES_HEAD_BYTES = 16;
export const LEAF_BYTES = 32;
/** Bytes of four numbers: bytes of the row, bytes of the line, its CRC-32, whether it has paths. */
export const FACTS_BYTES = 16;
/**
 * Lines in the table of a version, some 100 bytes each. A longer list takes gigabytes in any case.
 */
export const LINES_KEPT_MAX = 6_000_000;
const CHUNK_BYTES = 1024 * 1024;

/** The columns of a whole version. */
export interface LineColumns {
  readonly count: number;
  readonly leaves: readonly Uint8Array[];
  readonly facts: readonly Uint8Array[];
  readonly rows: readonly Uint8Array[];
}

export interface LineDigests {
  readonly listDigest: string;
  readonly contentDigest: string;
  readonly entities: number;
  /** Lines with a path to another entity. */
  readonly related: number;
  /** Absent: more than LINES_KEPT_MAX. */
  readonly columns?: LineColumns;
}

/** Takes lines in order. */
export class LineColumnsWriter {
  readonly #leaves = new Column();
  readonly #facts = new Column();
  readonly #rows = new Column();
  #content: Buffer = Buffer.allocUnsafeSlow(4 * 1024);
  #entities = 0;
  #related = 0;

  add(line: EntityLine): void {
    const { bytes } = line;
    const isRelated = hasPaths(line);
    this.#content = withRoom(this.#content, 0, bytes.length);
    const leaf = leafOf(line, this.#content);
    this.#leaves.add(LEAF_BYTES, (target, at) => target.write(leaf, at, 'latin1'));
    const rowBytes = this.#rows.add(bytes.length, (target, at) => writeSeen(line, target, at));
    this.#facts.add(FACTS_BYTES, (target, at) => {
      target.writeUInt32LE(rowBytes, at);
      target.writeUInt32LE(bytes.length, at + 4);
      target.writeUInt32LE(crc32(bytes), at + 8);
      target.writeUInt32LE(Number(isRelated), at + 12);
      return FACTS_BYTES;
    });
    this.#entities++;
    if (isRelated) this.#related++;
    if (this.#entities > LINES_KEPT_MAX) {
      for (const column of [this.#leaves, this.#facts, this.#rows]) column.drop();
    }
  }

  finish(): LineDigests {
    const [leaves, facts, rows] = [this.#leaves, this.#facts, this.#rows].map((one) =>
      one.finish(),
    );
    const columns = {
      count: this.#entities,
      facts: facts?.chunks ?? [],
      leaves: leaves?.chunks ?? [],
      rows: rows?.chunks ?? [],
    };
    return {
      ...(this.#entities <= LINES_KEPT_MAX && { columns }),
      contentDigest: leaves?.digest ?? '',
      entities: this.#entities,
      listDigest: rows?.digest ?? '',
      related: this.#related,
    };
  }
}

/** Digest of the content as text of one character per byte; `scratch` has room for the line. */
export const leafOf = (line: EntityLine, scratch: Buffer): string =>
  hash('sha256', scratch.subarray(0, writeContent(line, scratch, 0)), 'binary');

/** Bytes that grow by chunks, which are hashed as they fill. */
class Column {
  readonly #hash: Hash = createHash('sha256');
  readonly #chunks: Uint8Array[] = [];
  #buffer: Buffer = Buffer.of();
  #used = 0;
  #isKept = true;

  /** `write` writes at most `bytes` at the given place and answers how many it wrote. */
  add(bytes: number, write: (target: Buffer, at: number) => number): number {
    if (this.#used + bytes > this.#buffer.length) this.#settle(bytes);
    const written = write(this.#buffer, this.#used);
    this.#used += written;
    return written;
  }

  drop(): void {
    this.#isKept = false;
    this.#chunks.length = 0;
  }

  finish(): { readonly digest: string; readonly chunks: readonly Uint8Array[] } {
    this.#settle(0);
    return { chunks: this.#chunks, digest: this.#hash.digest('hex') };
  }

  #settle(bytes: number): void {
    const full = this.#buffer.subarray(0, this.#used);
    this.#hash.update(full);
    if (this.#isKept && full.length > 0) this.#chunks.push(full);
    this.#used = 0;
    if (this.#isKept || bytes > this.#buffer.length) {
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes));
    }
  }
}

/** The bytes to store; `firstLineAt` is where the first line begins in the bundle. */
export function* columnBytes(
  { count, facts, leaves, rows }: LineColumns,
  firstLineAt: number,
): Generator<Uint8Array> {
  const head = Buffer.alloc(LINES_HEAD_BYTES);
  head.write(LINES_MAGIC);
  head.writeUInt32LE(count, 8);
  head.writeUInt32LE(firstLineAt, 12);
  yield head;
  for (const column of [leaves, facts, rows]) yield* column;
}
