/** SHA-256 of a stream, and its CRC-32 where somebody reads it back at once (hashAside.ts). */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { PieceSink } from './sinkAside.ts';

export interface Sums {
  /** In hex. */
  readonly sha256: string;
  /** Of nothing, unless it was asked for. */
  readonly crc32: number;
}

class Sha256Sink implements PieceSink<Sums> {
  readonly #hash = createHash('sha256');
  readonly #withCrc32: boolean;
  #crc32 = 0;

  constructor(withCrc32: boolean) {
    this.#withCrc32 = withCrc32;
  }

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
    // Of an empty piece it would begin anew.
    if (this.#withCrc32 && piece.length > 0) this.#crc32 = crc32(piece, this.#crc32);
  }

  finish(): Sums {
    return { crc32: this.#crc32, sha256: this.#hash.digest('hex') };
  }
}

export const makeSha256 = (withCrc32: boolean): PieceSink<Sums> => new Sha256Sink(withCrc32);
