/**
 * Digests, comparison of secrets, and signatures. Evidence and credentials use only this file and
 * ed25519.ts, beside the HMAC of cursors (api/cursor.ts) and the addresses of blobs. An auditor
 * therefore reads few files.
 */
import { hash, timingSafeEqual } from 'node:crypto';

export * from './ed25519.ts';

/** 64 lower-case hex characters. A string is taken as its UTF-8 bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

export function sha256(data: string | Uint8Array): Buffer {
  return hash('sha256', data, 'buffer');
}

/**
 * For secrets and their digests. Compares digests, so the time reveals neither where the two differ
 * nor whether their lengths do.
 */
export function constantTimeEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

/** The bytes, or undefined where `text` is not the one base64 spelling of that many bytes. */
export function bytesFromBase64(text: string, byteCount: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Decoders ignore stray bits and characters; a changed character must be noticed.
  return bytes.length === byteCount && bytes.toString('base64') === text ? bytes : undefined;
}

const HMAC_BLOCK_BYTES = 64;

/**
 * HMAC-SHA-256 (RFC 2104) under one key, for many short messages. Two one-shot hashes take a third
 * of the time of an Hmac object, whose creation costs more than its work.
 */
export class HmacSha256 {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(key: Uint8Array) {
    const block = Buffer.alloc(HMAC_BLOCK_BYTES);
    block.set(key.length > HMAC_BLOCK_BYTES ? sha256(key) : key);
    this.#inner = Buffer.from(block.map((byte) => byte ^ 0x36));
    this.#outer = Buffer.from(block.map((byte) => byte ^ 0x5c));
  }

  /** 32 bytes. */
  digest(message: Uint8Array): Buffer {
    return sha256(Buffer.concat([this.#outer, sha256(Buffer.concat([this.#inner, message]))]));
  }
}
