/**
 * Phonetic codes of a token: Double Metaphone, primary and alternate, as numbers that compare by
 * value.
 *
 * One-letter tokens are initials and match their letter; tokens with a digit or without a code
 * match by equality (decisions 2.5). A code is hashed to 32 bits. Two codes of one list collide
 * once in millions of names, and then on every host alike.
 */
import { doubleMetaphone } from 'double-metaphone';

/** How a token is compared: by its codes, by its letter, or by equality. */
export const TOKEN_KIND = { coded: 0, initial: 1, literal: 2 } as const;

/** FNV-1a of 32 bits over UTF-16 units: the hash before the first unit. */
export const HASH_START = 0x811c9dc5 | 0;

/** One step of FNV-1a: the hash after one more unit, as an i32. */
export function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** The finished hash as a u32. Never 0, which stands for no code. */
export function hashWord(hash: number): number {
  return hash === 0 ? 1 : hash >>> 0;
}

function hashText(text: string): number {
  let hash = HASH_START;
  for (let at = 0; at < text.length; at++) hash = hashUnit(hash, text.charCodeAt(at));
  return hashWord(hash);
}

/** Kind (TOKEN_KIND) and codes (u32) of one folded token; a code is 0 where there is none. */
export interface TokenSound {
  readonly kind: number;
  readonly primary: number;
  readonly alternate: number;
}

function isLatinWord(token: string): boolean {
  for (let at = 0; at < token.length; at++) {
    const code = token.charCodeAt(at);
    if (code < 0x61 || code > 0x7a) return false;
  }
  return true;
}

/**
 * The sound of a folded token. Only tokens of a-z have codes; one letter is an initial, and any
 * other token is literal.
 */
export function tokenSound(token: string): TokenSound {
  const literal = { kind: TOKEN_KIND.literal, primary: 0, alternate: 0 };
  if (!isLatinWord(token)) return literal;
  if (token.length === 1) return { kind: TOKEN_KIND.initial, primary: 0, alternate: 0 };
  const [primary, alternate] = doubleMetaphone(token);
  if (primary === '' && alternate === '') return literal;
  return {
    kind: TOKEN_KIND.coded,
    primary: primary === '' ? hashText(alternate) : hashText(primary),
    alternate: alternate === '' || alternate === primary ? 0 : hashText(alternate),
  };
}
