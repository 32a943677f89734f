/**
 * What is known of a version once all its lines were seen: its two digests (versions.ts) and its
 * counts. A sink, since on a large list it runs beside the merge that makes the lines.
 */
import { createHash } from 'node:crypto';
import type { PieceSink } from '#platform/sinkAside';
import { type EntityLine, entityLine, hasPaths, writeContent, writeSeen } from './entityLine.ts';
import { withRoom } from './room.ts';

/** Bytes gathered before they are hashed: a call for every line costs more than the hash. */
const GATHERED_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

export interface ContentFacts {
  readonly listDigest: string;
  readonly contentDigest: string;
  readonly entities: number;
  /** With a path to somebody. */
  readonly related: number;
}

/** Takes pieces of whole lines. */
class ContentDigests implements PieceSink<ContentFacts> {
  readonly #listDigest = new Gathered();
  readonly #contentDigest = new Gathered();
  #entities = 0;
  #related = 0;

  add(piece: Uint8Array): void {
    const lines = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    let start = 0;
    for (let end = lines.indexOf(LINE_FEED); end >= 0; end = lines.indexOf(LINE_FEED, start)) {
      this.#addLine(entityLine(lines.subarray(start, end)));
      start = end + 1;
    }
  }

  #addLine(line: EntityLine): void {
    this.#entities++;
    if (hasPaths(line)) this.#related++;
    this.#listDigest.add(line.bytes.length, (target, at) => writeSeen(line, target, at));
    this.#contentDigest.add(line.bytes.length + 1, (target, at) => {
      const end = writeContent(line, target, at);
      target[at + end] = LINE_FEED;
      return end + 1;
    });
  }

  finish(): ContentFacts {
    return {
      contentDigest: this.#contentDigest.digest(),
      entities: this.#entities,
      listDigest: this.#listDigest.digest(),
      related: this.#related,
    };
  }
}

class Gathered {
  readonly #hash = createHash('sha256');
  #buffer: Buffer = Buffer.allocUnsafeSlow(GATHERED_BYTES);
  #used = 0;

  /** `write` takes at most `bytes` at the place that it is given, and says how many it took. */
  add(bytes: number, write: (target: Buffer, at: number) => number): void {
    if (this.#used + bytes > this.#buffer.length) {
      this.#hash.update(this.#buffer.subarray(0, this.#used));
      this.#used = 0;
      this.#buffer = withRoom(this.#buffer, 0, bytes);
    }
    this.#used += write(this.#buffer, this.#used);
  }

  digest(): string {
    return this.#hash.update(this.#buffer.subarray(0, this.#used)).digest('hex');
  }
}

export const makeContentDigests = (): PieceSink<ContentFacts> => new ContentDigests();
