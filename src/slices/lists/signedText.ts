/**
 * What a bundle's signature covers: the digest of its canonical text as one object, put together
 * from its lines (bundle.ts). A sink, since on a large list it runs beside the writing.
 */
import { createHash, type Hash } from 'node:crypto';
import { withRoom } from '#platform/growingBuffer';
import type { PieceSink } from '#platform/sinkAside';

export const LIST_FORMAT = 'urn:compliance-platform:list-format:v1';
const DOMAIN = 'list-bundle-v1\0';
const LINE_FEED = 0x0a;
const COMMA = 0x2c;

/** The text hashed piece by piece; `tail` are the members after the entities, with their brace. */
export class SignedText implements PieceSink<Uint8Array> {
  readonly #hash: Hash = createHash('sha256').update(
    `{"$schema":${JSON.stringify(LIST_FORMAT)},"entities":[`,
  );
  readonly #tail: string;
  #scratch: Buffer = Buffer.of();
  #isEmpty = true;

  constructor(tail: string) {
    this.#tail = tail;
  }

  /** Adds one entity, without a line feed. */
  addEntity(entity: Uint8Array): void {
    if (!this.#isEmpty) this.#hash.update(',');
    this.#isEmpty = false;
    this.#hash.update(entity);
  }

  /** Adds whole lines. Canonical JSON contains no line feed, so each one ends an entity. */
  add(lines: Uint8Array): void {
    if (lines.length === 0) return;
    const length = lines.length - 1;
    // Used again: a copy of its own for every piece is half a list of garbage.
    this.#scratch = withRoom(this.#scratch, 0, length);
    this.#scratch.set(lines.subarray(0, length));
    const text = this.#scratch.subarray(0, length);
    for (let at = text.indexOf(LINE_FEED); at >= 0; at = text.indexOf(LINE_FEED, at + 1)) {
      text[at] = COMMA;
    }
    this.addEntity(text);
  }

  /** The message to sign. */
  finish(): Uint8Array {
    this.#hash.update(`],${this.#tail}`);
    return Buffer.concat([Buffer.from(DOMAIN), this.#hash.digest()]);
  }
}

export const makeSignedText = (tail: string): PieceSink<Uint8Array> => new SignedText(tail);
