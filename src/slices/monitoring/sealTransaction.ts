/**
 * A transaction under a key of its own: a leaf of the tree of its ingest's data key. Destroying the
 * leaf erases what the transaction says, and leaves number, commitment and evidence. The
 * commitment is salted by the same leaf, so that nobody can guess at what was erased.
 */
import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256 } from '#platform/crypto';
import type { Format, Transaction } from './transaction.ts';

/** 2^20 transactions of one ingest: more than any body has. */
export const INGEST_DEPTH = 20;

/** 2^24 transactions of a file: more than it has rows. */
export const FILE_DEPTH = 24;

/** How deep the leaves of an ingest lie. */
export const depthOf = (format: Format): number =>
  format === 'csv_service' ? FILE_DEPTH : INGEST_DEPTH;

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Ciphertext and tag in base64, and what binds them to evidence. */
export interface SealedTransaction {
  readonly commitment: string;
  readonly sealed: string;
}

/** Each leaf seals one transaction, once: so key and nonce are never used twice. */
export function sealTransaction(transaction: Transaction, leaf: Uint8Array): SealedTransaction {
  const { key, salt } = keysOf(leaf);
  const text = Buffer.from(canonicalJson(transaction));
  const commitment = sha256(Buffer.concat([salt, text]));
  const cipher = createCipheriv(CIPHER, key, commitment.subarray(0, NONCE_BYTES));
  const sealed = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return { commitment: commitment.toString('hex'), sealed: sealed.toString('base64') };
}

/** Throws `evidence-altered` where it is not what this leaf sealed for the commitment. */
export function openTransaction(
  { commitment: committed, sealed }: SealedTransaction,
  leaf: Uint8Array,
): Transaction {
  const { key, salt } = keysOf(leaf);
  const commitment = Buffer.from(committed, 'hex');
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(CIPHER, key, commitment.subarray(0, NONCE_BYTES));
  const text = decipher.update(bytes.subarray(0, -TAG_BYTES));
  // The commitment says more than the tag: it is in the chain.
  if (!sha256(Buffer.concat([salt, text])).equals(commitment)) {
    throw new DomainError('evidence-altered', { detail: 'transaction: it is not what was sealed' });
  }
  return JSON.parse(text.toString()) as Transaction;
}

/** The tree hashes seeds under a domain of its own; leaves are hashed as they are. */
function keysOf(leaf: Uint8Array): { readonly key: Buffer; readonly salt: Buffer } {
  const both = hash('sha512', leaf, 'buffer');
  return {
    key: both.subarray(0, KEY_BYTES),
    salt: both.subarray(KEY_BYTES, KEY_BYTES + SALT_BYTES),
  };
}
