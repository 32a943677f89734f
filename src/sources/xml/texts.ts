/**
 * Slices of the document to strings: the five entities and character references resolved, line ends
 * as XML wants them. Short texts are mostly ones that came before (`a.k.a.`, `true`, a country), so
 * the last ones are kept by their bytes and given again: no decoding, and one string in memory.
 */
import { AMPERSAND, HAS_FOLDED, HAS_HIGH, HAS_REFERENCE } from './bytes.ts';
import { XmlFault } from './fault.ts';
import { hashStep } from './nameTable.ts';

const KEPT_BYTES_MAX = 32;
const KEPT_SLOTS = 8_192;
const SEMICOLON = 0x3b;
/** `&#x10FFFF;`, and room for leading zeros, of which XML allows any number. */
const REFERENCE_BYTES_MAX = 32;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
const NUMERIC = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/;

export class Texts {
  readonly #kept: string[] = new Array(KEPT_SLOTS).fill('');
  /** The bytes of each, KEPT_BYTES_MAX apart; their number is the string's length. */
  readonly #bytes = new Uint8Array(KEPT_SLOTS * KEPT_BYTES_MAX);

  /** An element's text or a piece of it. */
  text(buffer: Buffer, start: number, end: number, flags: number): string {
    if (flags === 0) return this.#plain(buffer, start, end);
    if ((flags & HAS_REFERENCE) !== 0) return resolve(buffer, start, end, flags, foldLines);
    return foldLines(decode(buffer, start, end, flags), flags);
  }

  /** An attribute's value: every line end and tab is a space (XML 1.0, 3.3.3). */
  value(buffer: Buffer, start: number, end: number, flags: number): string {
    if (flags === 0) return this.#plain(buffer, start, end);
    if ((flags & HAS_REFERENCE) !== 0) return resolve(buffer, start, end, flags, foldSpaces);
    return foldSpaces(decode(buffer, start, end, flags), flags);
  }

  #plain(buffer: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length > KEPT_BYTES_MAX || length === 0) return buffer.toString('latin1', start, end);
    let hash = length;
    for (let index = start; index < end; index++) hash = hashStep(hash, buffer[index] ?? 0);
    const slot = (hash ^ (hash >>> 13)) & (KEPT_SLOTS - 1);
    const kept = this.#kept[slot] ?? '';
    const bytes = this.#bytes;
    const place = slot * KEPT_BYTES_MAX;
    if (kept.length === length) {
      let index = 0;
      while (index < length && bytes[place + index] === buffer[start + index]) index++;
      if (index === length) return kept;
    }
    for (let index = 0; index < length; index++) bytes[place + index] = buffer[start + index] ?? 0;
    const text = buffer.toString('latin1', start, end);
    this.#kept[slot] = text;
    return text;
  }
}

function decode(buffer: Buffer, start: number, end: number, flags: number): string {
  return (flags & HAS_HIGH) === 0
    ? buffer.toString('latin1', start, end)
    : buffer.toString('utf8', start, end);
}

type Fold = (text: string, flags: number) => string;

const foldLines: Fold = (text, flags) =>
  (flags & HAS_FOLDED) === 0 ? text : text.replace(/\r\n?/g, '\n');
const foldSpaces: Fold = (text, flags) =>
  (flags & HAS_FOLDED) === 0 ? text : text.replace(/\r\n|[\r\n\t]/g, ' ');

function resolve(buffer: Buffer, start: number, end: number, flags: number, fold: Fold): string {
  let text = '';
  let from = start;
  for (let index = start; index < end; index++) {
    if (buffer[index] !== AMPERSAND) continue;
    if (index > from) text += fold(decode(buffer, from, index, flags), flags);
    let close = index + 1;
    const closeMax = Math.min(end, index + REFERENCE_BYTES_MAX);
    while (close < closeMax && buffer[close] !== SEMICOLON) close++;
    if (close === closeMax) throw new XmlFault('a reference without its semicolon', index);
    text += referred(buffer.toString('latin1', index + 1, close), index);
    index = close;
    from = close + 1;
  }
  return from < end ? text + fold(decode(buffer, from, end, flags), flags) : text;
}

function referred(name: string, index: number): string {
  const known = ENTITIES.get(name);
  if (known !== undefined) return known;
  const match = NUMERIC.exec(name);
  if (!match) throw new XmlFault('an entity that XML does not define', index);
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  if (!isCharacter(code)) throw new XmlFault('a reference to no character', index);
  return String.fromCodePoint(code);
}

/** XML 1.0, production 2. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  if (code < 0xd800) return true;
  return (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
