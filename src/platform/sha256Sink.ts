/** SHA-256 of a stream, and its seal where the bytes are read back at once (hashAside.ts). */
import { createHash } from 'node:crypto';
import { Seal } from './seal.ts';
import type { PieceSink } from './sinkAside.ts';

export interface Sums {
  /** In hex. */
  readonly sha256: string;
  /** Seal under the given key; absent without a key. */
  readonly seal: string | undefined;
}

class Sha256Sink implements PieceSink<Sums> {
  readonly #hash = createHash('sha256');
  readonly #seal: Seal | undefined;

  constructor(sealKey: Uint8Array | undefined) {
    this.#seal = sealKey && new Seal(sealKey);
  }

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
    this.#seal?.add(piece);
  }

  finish(): Sums {
    return { seal: this.#seal?.finish(), sha256: this.#hash.digest('hex') };
  }
}

export const makeSha256 = (sealKey: Uint8Array | undefined): PieceSink<Sums> =>
  new Sha256Sink(sealKey);
