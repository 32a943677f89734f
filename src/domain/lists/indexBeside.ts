/**
 * The index of a first version, built while its bundle is written, from the very pieces that the
 * bundle is made of: the builder's thread would wait for them otherwise. Whoever takes it holds
 * what was stored to what was given (writeIndex.ts), so that what is screened is what was signed.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ImportPorts } from './importPorts.ts';
import { toIndexEntity } from './indexEntity.ts';
import { sharedBytes } from './versionEntities.ts';
import { linesIn } from './wholeLines.ts';

/**
 * Entities of the largest list that is built like this. A larger one takes as long in its threads
 * as all processors of a small machine have, and its tables beside those of the bundle the memory.
 */
export const BESIDE_ENTITIES_MAX = 100_000;
const PIECES_MAX = 2;

export class IndexBeside {
  readonly #pieces = new PassThrough({ highWaterMark: PIECES_MAX, objectMode: true });
  readonly #built: Promise<SharedArrayBuffer>;

  constructor({ buildSnapshot }: Pick<ImportPorts, 'buildSnapshot'>) {
    // Heard by whoever adds, or takes the index.
    this.#pieces.on('error', () => undefined);
    this.#built = (async () => sharedBytes(await buildSnapshot(this.#batches())))();
    this.#built.catch((error: unknown) => this.#pieces.destroy(asError(error)));
  }

  /** Whole lines, which are not written to again. Rejects with what the building failed with. */
  async add(piece: Uint8Array): Promise<void> {
    if (this.#pieces.errored) throw this.#pieces.errored;
    if (!this.#pieces.write(piece)) await once(this.#pieces, 'drain');
  }

  /** Of all pieces. */
  finish(): Promise<SharedArrayBuffer> {
    this.#pieces.end();
    return this.#built;
  }

  /** Nobody wants it; resolves once nothing of it is left. After `finish` it changes nothing. */
  async abandon(): Promise<void> {
    if (!this.#pieces.writableEnded) this.#pieces.destroy(new Error('the index is not wanted'));
    await this.#built.catch(() => undefined); // what it was abandoned for is told by somebody else
  }

  async *#batches() {
    for await (const piece of this.#pieces as AsyncIterable<Uint8Array>) {
      yield Array.from(linesIn(piece), toIndexEntity);
    }
  }
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
