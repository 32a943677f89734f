/**
 * The text of an API key: `cp_live_` or `cp_test_`, 43 characters of base62 (32 random bytes) and 6
 * of checksum, 57 in all. Secret scanners can find it: they match the prefix and check the sum.
 *
 * The checksum is CRC-32 (zlib's) of everything before it, in base62. It is no secret and proves
 * nothing; it only lets a mistyped or invented key be refused without a read of the store. The
 * store keeps the SHA-256 of the whole text: 256 bits of entropy need no slow hash.
 */
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { sha256Hex } from '#platform/crypto';
import type { Random } from '#platform/random';

/** What a key is for: `cp_live_` is live, `cp_test_` is the sandbox. */
export type Environment = 'live' | 'sandbox';

const PREFIXES: Readonly<Record<Environment, string>> = { live: 'cp_live_', sandbox: 'cp_test_' };
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** 62^43 > 2^256 > 62^42. */
const SECRET_CHARACTERS = 43;
/** 62^6 > 2^32. */
const CHECKSUM_CHARACTERS = 6;
const PATTERN = /^cp_(live|test)_[0-9A-Za-z]{49}$/;
const RECOGNISABLE_CHARACTERS = 12;

/** A new key in all its forms; only `hash` and `prefix` are stored. */
export interface ApiKeySecret {
  /** The whole key, shown once, to the administrator who made it. */
  readonly text: string;
  readonly hash: string;
  readonly prefix: string;
}

/** A new key of 32 random bytes. `hash` is SHA-256 in hex; `prefix` are the first 12 characters. */
export function generateApiKey(environment: Environment, random: Random): ApiKeySecret {
  const bytes = random.bytes(SECRET_BYTES);
  assert.equal(bytes.length, SECRET_BYTES);
  const secret = toBase62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), SECRET_CHARACTERS);
  const body = PREFIXES[environment] + secret;
  const text = body + checksumOf(body);
  return { text, hash: sha256Hex(text), prefix: text.slice(0, RECOGNISABLE_CHARACTERS) };
}

/**
 * Environment and hash of a key's text. Undefined for a text that `generateApiKey` cannot have
 * written.
 */
export function readApiKey(text: string): { environment: Environment; hash: string } | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const body = text.slice(0, -CHECKSUM_CHARACTERS);
  if (text.slice(-CHECKSUM_CHARACTERS) !== checksumOf(body)) return undefined;
  return { environment: match[1] === 'live' ? 'live' : 'sandbox', hash: sha256Hex(text) };
}

function checksumOf(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECKSUM_CHARACTERS);
}

function toBase62(value: bigint, characters: number): string {
  let rest = value;
  let text = '';
  for (let index = 0; index < characters; index++) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  assert.equal(rest, 0n);
  return text;
}
