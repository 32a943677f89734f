/**
 * JSON exactly as in RFC 8259, from bytes. Text that two parsers could read differently is refused,
 * because a body that one of them audits and another one executes is a security hole.
 *
 * Refused beyond plain syntax errors: a byte-order mark, invalid UTF-8, lone surrogates and NUL
 * (escaped ones too), duplicate keys, too deep nesting, numbers that a double cannot hold as they
 * are written (past 2^53 − 1 as integers, past 1.8e308), and the key `__proto__`. Other keys of
 * Object.prototype ("constructor") become own properties of plain objects: harmless, and an unknown
 * member to every schema.
 *
 * A parser of our own in one pass: JSON.parse keeps the last duplicate silently and gives no
 * offset. Recursion is bounded by `depthMax`, so 200,000 brackets end at the first one too many.
 */
import assert from 'node:assert/strict';
import { isCanonicalNumber } from './canonicalJson.ts';

export type StrictJsonReason =
  | 'empty'
  | 'byte-order-mark'
  | 'encoding'
  | 'syntax'
  | 'truncated'
  | 'trailing-data'
  | 'duplicate-key'
  | 'forbidden-key'
  | 'depth'
  | 'lone-surrogate'
  | 'nul'
  | 'number-range';

export class StrictJsonError extends Error {
  override readonly name = 'StrictJsonError';
  readonly reason: StrictJsonReason;
  /** In bytes, from 0. */
  readonly offset: number;

  constructor(reason: StrictJsonReason, offset: number) {
    super(`${reason} at byte ${offset}`);
    this.reason = reason;
    this.offset = offset;
  }
}

/** Above this the recursion itself would be at risk. */
const DEPTH_MAX = 1000;

export function parseStrictJson(bytes: Uint8Array, options: { depthMax: number }): unknown {
  assert(options.depthMax >= 1 && options.depthMax <= DEPTH_MAX, `depthMax: 1..${DEPTH_MAX}`);
  if (bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new StrictJsonError('byte-order-mark', 0);
  }
  return new Parser(decode(bytes), options.depthMax).parse();
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder does not say where; only a refusal pays for the search.
    throw new StrictJsonError('encoding', firstInvalidByte(bytes));
  }
}

/** Bisects on "this prefix is still good": with `stream` a character cut at the end is no error. */
function firstInvalidByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (isGoodPrefix(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isGoodPrefix(prefix: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(prefix, { stream: true });
    return true;
  } catch {
    return false;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
/** Characters that a string may contain unescaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be escaped
const PLAIN_RUN = /[^"\\\u0000-\u001f]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const HEX4 = /[0-9a-fA-F]{4}/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Parser {
  readonly #text: string;
  readonly #depthMax: number;
  #at = 0;

  constructor(text: string, depthMax: number) {
    this.#text = text;
    this.#depthMax = depthMax;
  }

  parse(): unknown {
    this.#skipSpace();
    if (this.#at === this.#text.length) throw this.#error('empty');
    const value = this.#value(1);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#error('trailing-data');
    return value;
  }

  /** `depth` counts the containers around this value, itself included. */
  #value(depth: number): unknown {
    const unit = this.#text.charCodeAt(this.#at);
    switch (unit) {
      case QUOTE:
        return this.#string();
      case BRACE_OPEN:
        return this.#object(depth);
      case BRACKET_OPEN:
        return this.#array(depth);
      case 0x74:
        return this.#word('true', true);
      case 0x66:
        return this.#word('false', false);
      case 0x6e:
        return this.#word('null', null);
      default:
        if (unit === MINUS || (unit >= 0x30 && unit <= 0x39)) return this.#number();
        throw this.#unexpected();
    }
  }

  #object(depth: number): Record<string, unknown> {
    if (depth > this.#depthMax) throw this.#error('depth');
    const object: Record<string, unknown> = {};
    this.#at++;
    this.#skipSpace();
    if (this.#take(BRACE_CLOSE)) return object;
    for (;;) {
      const keyAt = this.#at;
      if (this.#text.charCodeAt(keyAt) !== QUOTE) throw this.#unexpected();
      const key = this.#string();
      // An assignment would set the prototype. As an own property it would do so at the next copy.
      if (key === '__proto__') throw this.#error('forbidden-key', keyAt);
      if (Object.hasOwn(object, key)) throw this.#error('duplicate-key', keyAt);
      this.#skipSpace();
      if (!this.#take(COLON)) throw this.#unexpected();
      this.#skipSpace();
      object[key] = this.#value(depth + 1);
      this.#skipSpace();
      if (this.#take(BRACE_CLOSE)) return object;
      if (!this.#take(COMMA)) throw this.#unexpected();
      this.#skipSpace();
    }
  }

  #array(depth: number): unknown[] {
    if (depth > this.#depthMax) throw this.#error('depth');
    const values: unknown[] = [];
    this.#at++;
    this.#skipSpace();
    if (this.#take(BRACKET_CLOSE)) return values;
    for (;;) {
      values.push(this.#value(depth + 1));
      this.#skipSpace();
      if (this.#take(BRACKET_CLOSE)) return values;
      if (!this.#take(COMMA)) throw this.#unexpected();
      this.#skipSpace();
    }
  }

  #string(): string {
    const openedAt = this.#at++;
    let from = this.#at;
    let value = '';
    let isEscaped = false;
    for (;;) {
      PLAIN_RUN.lastIndex = this.#at;
      PLAIN_RUN.test(this.#text);
      this.#at = PLAIN_RUN.lastIndex;
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === QUOTE) break;
      if (unit !== BACKSLASH) throw unit === 0 ? this.#error('nul') : this.#unexpected();
      value += this.#text.slice(from, this.#at) + this.#escape();
      from = this.#at;
      isEscaped = true;
    }
    value += this.#text.slice(from, this.#at++);
    // Unescaped text came through a fatal UTF-8 decoder and cannot hold one.
    if (isEscaped && !value.isWellFormed()) throw this.#error('lone-surrogate', openedAt);
    return value;
  }

  #escape(): string {
    const escapeAt = this.#at;
    const letter = this.#text.charAt(escapeAt + 1);
    const plain = ESCAPES[letter];
    if (plain !== undefined) {
      this.#at += 2;
      return plain;
    }
    if (letter !== 'u') throw this.#unexpected(escapeAt + 1);
    HEX4.lastIndex = escapeAt + 2;
    const digits = HEX4.exec(this.#text)?.[0];
    if (digits === undefined) throw this.#unexpected(escapeAt + 2);
    if (digits === '0000') throw this.#error('nul', escapeAt);
    this.#at += 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const digits = NUMBER.exec(this.#text)?.[0];
    if (digits === undefined) throw this.#unexpected(this.#at + 1);
    const value = Number(digits);
    if (!isCanonicalNumber(value)) throw this.#error('number-range');
    this.#at += digits.length;
    return value;
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#unexpected();
    this.#at += word.length;
    return value;
  }

  #take(unit: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== unit) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }

  #unexpected(at = this.#at): StrictJsonError {
    return this.#error(at >= this.#text.length ? 'truncated' : 'syntax', at);
  }

  #error(reason: StrictJsonReason, at = this.#at): StrictJsonError {
    return new StrictJsonError(reason, Buffer.byteLength(this.#text.slice(0, at)));
  }
}
