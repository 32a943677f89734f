/** SHA-256 of a stream, in hex. */
import { createHash } from 'node:crypto';
import type { PieceSink } from './sinkAside.ts';

class Sha256Sink implements PieceSink<string> {
  readonly #hash = createHash('sha256');

  add(piece: Uint8Array): void {
    this.#hash.update(piece);
  }

  finish(): string {
    return this.#hash.digest('hex');
  }
}

export const makeSha256 = (): PieceSink<string> => new Sha256Sink();
