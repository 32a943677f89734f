/**
 * The digest of a body that streams through (decisions 1.2). For a small body it is that of its
 * canonical form, as for every other JSON. For a large one it is that of its bytes, which the code
 * that stores it has anyway.
 */
import { createHash, type Hash } from 'node:crypto';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { withRoom } from '#platform/growingBuffer';
import { JSON_BODY_BYTES_MAX } from '#platform/limits';
import { parseJsonBody } from './parseRequest.ts';

export class HeardBytes {
  /** Copied into one: short pieces take many times their bytes. */
  #kept: Buffer = Buffer.of();
  #bytes = 0;
  readonly #hash: Hash | undefined;

  /** `hashes`: no other code digests the bytes. */
  constructor({ hashes }: { readonly hashes: boolean }) {
    this.#hash = hashes ? createHash('sha256') : undefined;
  }

  async *through(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.#hash?.update(chunk);
      this.#keep(chunk);
      yield chunk;
    }
  }

  /**
   * To be called once all of it has passed and was found to be JSON. Undefined for a large body
   * that other code digests.
   */
  digest(): string | undefined {
    if (this.#bytes > JSON_BODY_BYTES_MAX) return this.#hash?.digest('hex');
    return sha256Hex(canonicalJson(parseJsonBody(this.#kept.subarray(0, this.#bytes))));
  }

  #keep(chunk: Uint8Array): void {
    const before = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#bytes > JSON_BODY_BYTES_MAX) {
      this.#kept = Buffer.of();
      return;
    }
    this.#kept = withRoom(this.#kept, before, chunk.length);
    this.#kept.set(chunk, before);
  }
}
