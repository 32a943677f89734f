/**
 * Secrets at rest: AES-256-GCM (NIST SP 800-38D) under a key that never enters the database. It
 * comes from a file that the operator names, else from one made in the data directory at the first
 * start. A sealed text is bound to its purpose, so that none can be moved to another place.
 *
 *   v1.<key id>.base64url( nonce ‖ ciphertext ‖ tag )
 *
 * A text that need not be secret, but that nobody else may have written, has a tag beside it:
 *
 *   t1.<key id>.base64url( HMAC-SHA-256 )
 *
 * The file holds one key a line, 32 bytes in base64. The first seals; all open. So an operator puts
 * a new key on top, and keeps the old one below for as long as texts under it are stored.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError, fileProblem } from './config.ts';
import { bytesFromBase64, constantTimeEqual, HmacSha256, sha256Hex } from './crypto.ts';
import { ensureKeyFile } from './keyFile.ts';
import type { Random } from './random.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_CHARS = 8;
const ALGORITHM = 'aes-256-gcm';
/** Keys of tags are derived, so that no key serves two algorithms. */
const TAG_PURPOSE = 'secret-box-tag-v1';

export interface SecretBox {
  seal(text: string, purpose: string): string;
  /** Throws SecretUnreadable for another key's, another purpose's or a changed one. */
  open(sealed: string, purpose: string): string;
  /** Proof that this installation wrote the text for this purpose: HMAC-SHA-256 (RFC 2104). */
  tag(text: string, purpose: string): string;
  isTagOf(tag: string, text: string, purpose: string): boolean;
}

/** What is stored was sealed under another key or for another purpose, or was changed. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
  readonly code = 'ERR_SECRET_UNREADABLE';
}

/** @param at `file`: the operator's, must exist (else ConfigError); else `defaultFile`. */
export function ensureSecretBox(at: {
  readonly file?: string;
  readonly defaultFile: string;
  readonly random: Random;
}): SecretBox {
  const { defaultFile, file, random } = at;
  if (file === undefined) {
    ensureKeyFile(
      defaultFile,
      () => `${Buffer.from(random.bytes(KEY_BYTES)).toString('base64')}\n`,
    );
  }
  return secretBox(readKeys(file ?? defaultFile), random);
}

/** @param keys the first seals. */
export function secretBox(keys: readonly Uint8Array[], random: Random): SecretBox {
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const [newest] = keys;
  if (newest === undefined) throw new RangeError('secret box: expected a key');
  const taggers = new Map([...byId].map(([id, key]) => [id, taggerOf(key)]));
  const newestId = keyId(newest);
  const tagUnder = (id: string, text: string, purpose: string): string | undefined => {
    const bytes = taggers.get(id)?.digest(Buffer.from(`${purpose}\0${text}`));
    return bytes && `t1.${id}.${bytes.toString('base64url')}`;
  };
  return {
    isTagOf(tag, text, purpose) {
      const [, id = ''] = tag.split('.');
      const expected = tagUnder(id, text, purpose);
      return expected !== undefined && constantTimeEqual(tag, expected);
    },
    tag: (text, purpose) => tagUnder(newestId, text, purpose) ?? '',
    open(sealed, purpose) {
      const [version, id = '', payload = ''] = sealed.split('.');
      const key = byId.get(id);
      const bytes = Buffer.from(payload, 'base64url');
      if (version !== 'v1' || key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) {
        throw new SecretUnreadable('a secret is sealed under no key of SECRETS_KEY_FILE');
      }
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
        decipher.setAAD(Buffer.from(purpose));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new SecretUnreadable('a secret was changed, or sealed for another place', { cause });
      }
    },
    seal(text, purpose) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, newest, nonce);
      cipher.setAAD(Buffer.from(purpose));
      const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `v1.${keyId(newest)}.${Buffer.concat(sealed).toString('base64url')}`;
    },
  };
}

const taggerOf = (key: Uint8Array): HmacSha256 =>
  new HmacSha256(new HmacSha256(key).digest(Buffer.from(TAG_PURPOSE)));

const keyId = (key: Uint8Array): string => sha256Hex(key).slice(0, KEY_ID_CHARS);

/** A wrong file stops the start as a wrong variable does. The keys are never quoted. */
function readKeys(file: string): readonly Buffer[] {
  const expected = 'SECRETS_KEY_FILE: expected lines of 32 random bytes in base64';
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`${expected}, got ${fileProblem(error)} at ${file}`]);
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const keys = lines.map((line) => bytesFromBase64(line.trim(), KEY_BYTES));
  if (lines.length === 0 || keys.includes(undefined)) {
    throw new ConfigError([`${expected}, got something else at ${file}`]);
  }
  return keys.filter((key) => key !== undefined);
}
