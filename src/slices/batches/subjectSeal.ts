/**
 * Version 2 of result lines: what came in of a subject stands beside his line, sealed under a key
 * of his alone. Destroying the key erases him, and the line, its leaf and every proof stay.
 *
 * A chunk's keys are leaves of the tree of its data key, one a subject. So the same chunk gives the
 * same bytes, whichever worker screens it. The commitment in the line, salted by the same leaf,
 * binds what is sealed to evidence; nobody can guess it once the leaf is gone.
 */
import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { LeafSeeds } from '#core/blobs';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256 } from '#platform/crypto';
import type { Subject } from '#slices/intake';
import type { SubjectResult } from './resultLine.ts';

/** 2^20 chunks: more than the smallest chunks of the largest batch. */
export const CHUNK_DEPTH = 20;
/** 2^10 subjects of a chunk: more than any has. */
export const SUBJECT_DEPTH = 10;

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The longest subject fits; a longer text would be sealed all the same. */
const SCRATCH_BYTES = 64 * 1024;

/** A line of version 2, as it is parsed. */
export interface SealedResult extends Omit<SubjectResult, 'external_id' | 'salt' | 'subject'> {
  /** SHA-256(salt ‖ JCS(subject)), hex. */
  readonly commitment: string;
  readonly version: 2;
}

/** A line, and beside it ciphertext and tag in base64; the nonce is the commitment's beginning. */
export interface SealedSubject {
  readonly line: SealedResult;
  readonly sealed: string;
}

/** What was sealed, and the salt that its commitment was made with. */
export interface OpenedSubject {
  readonly subject: Subject;
  readonly salt: Buffer;
}

/** Seals the results of one chunk; `root` is the seed of the chunk. */
export class SubjectSealer {
  readonly #leaves: LeafSeeds;
  readonly #scratch = Buffer.alloc(SCRATCH_BYTES);

  constructor(root: Uint8Array) {
    this.#leaves = new LeafSeeds(root, SUBJECT_DEPTH);
  }

  /** @param at place of the subject in the chunk */
  seal(result: SubjectResult & { readonly screening?: unknown }, at: number): SealedSubject {
    const { key, salt } = keysOf(this.#leaves.at(at));
    const salted = this.#salted(salt, canonicalJson(result.subject));
    const commitment = sha256(salted);
    const cipher = createCipheriv(CIPHER, key, commitment.subarray(0, NONCE_BYTES));
    const text = cipher.update(salted.subarray(SALT_BYTES));
    cipher.final(); // a stream cipher: nothing is left
    const sealed = Buffer.concat([text, cipher.getAuthTag()]).toString('base64');
    // Members as canonical JSON has them, so that the line needs no sorting.
    const line: SealedResult = {
      batch_subject_id: result.batch_subject_id,
      commitment: commitment.toString('hex'),
      decision: result.decision,
      hits: result.hits,
      line: result.line,
      ordinal: result.ordinal,
      ...(result.screening !== undefined && { screening: result.screening }),
      ...(result.suppressed !== undefined && { suppressed: result.suppressed }),
      truncated: result.truncated,
      ...(result.unscreened !== undefined && { unscreened: result.unscreened }),
      version: 2,
    };
    return { line, sealed };
  }

  /** Salt and text, in memory that the next subject uses again. */
  #salted(salt: Buffer, text: string): Buffer {
    if (text.length * 3 + SALT_BYTES > SCRATCH_BYTES) {
      return Buffer.concat([salt, Buffer.from(text)]);
    }
    salt.copy(this.#scratch);
    const bytes = this.#scratch.write(text, SALT_BYTES);
    return this.#scratch.subarray(0, SALT_BYTES + bytes);
  }
}

/** Undefined where it is not what this leaf sealed for the line. */
export function openSubject(
  { commitment: committed }: Pick<SealedResult, 'commitment'>,
  sealed: Uint8Array,
  leaf: Uint8Array,
): OpenedSubject | undefined {
  const { key, salt } = keysOf(leaf);
  const commitment = Buffer.from(committed, 'hex');
  const bytes = Buffer.from(Buffer.from(sealed).toString('latin1'), 'base64');
  try {
    const decipher = createDecipheriv(CIPHER, key, commitment.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    if (!sha256(Buffer.concat([salt, text])).equals(commitment)) return undefined;
    return { salt, subject: JSON.parse(text.toString()) as Subject };
  } catch {
    return undefined; // another key, or a changed text: GCM does not tell them apart
  }
}

/** The tree hashes seeds under a domain of its own; leaves are hashed as they are. */
function keysOf(leaf: Uint8Array): { readonly key: Buffer; readonly salt: Buffer } {
  const both = hash('sha512', leaf, 'buffer');
  return {
    key: both.subarray(0, KEY_BYTES),
    salt: both.subarray(KEY_BYTES, KEY_BYTES + SALT_BYTES),
  };
}
