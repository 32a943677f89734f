/**
 * Slices of the document to strings: the five entities and character references resolved, line ends
 * as XML wants them.
 *
 * A call into the decoder costs more than the text itself. So the scanner's buffer is decoded once
 * as a whole, and short texts are copied out of that string; V8 makes a longer part of a string a
 * window on the whole of it, which would keep it all in memory. Of those, many are ones that came
 * before (`United Kingdom`, `Secondary sanctions risk:`): the last ones are kept by their bytes.
 */
import { AMPERSAND, HAS_FOLDED, HAS_HIGH, HAS_REFERENCE } from './bytes.ts';
import { XmlFault } from './fault.ts';

/** Up to here V8 copies a part of a string. */
const COPIED_CHARS_MAX = 12;
const KEPT_BYTES_MAX = 32;
const KEPT_SLOTS = 8_192;
/** The highest bits are the best mixed ones. */
const SLOT_SHIFT = 32 - Math.log2(KEPT_SLOTS);
const GOLDEN = 0x9e3779b1;
const WORDS = KEPT_BYTES_MAX / 4;
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
  /** The bytes of each four at a time, WORDS apart; their number is the string's length. */
  readonly #words = new Int32Array(KEPT_SLOTS * WORDS);
  #view: DataView = new DataView(new ArrayBuffer(1));
  /** The scanner's buffer as Latin-1: a character for each byte. */
  #letters = '';

  /** Before texts of a buffer with new content are asked for. */
  begin(buffer: Buffer, view: DataView, end: number): void {
    this.#view = view;
    this.#letters = buffer.toString('latin1', 0, end);
  }

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

  /** Text of ASCII only. */
  #plain(buffer: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length <= COPIED_CHARS_MAX) return this.#letters.substring(start, end);
    if (length > KEPT_BYTES_MAX) return buffer.toString('latin1', start, end);
    const view = this.#view;
    const last = end - 4;
    let hash = length;
    for (let place = start; place < last; place += 4) {
      hash = Math.imul(hash ^ view.getInt32(place, true), GOLDEN);
    }
    // The last four bytes, some of them for the second time.
    const slot = Math.imul(hash ^ view.getInt32(last, true), GOLDEN) >>> SLOT_SHIFT;
    const kept = this.#kept[slot] ?? '';
    if (kept.length === length && this.#isKept(slot, start, last)) return kept;
    const text = buffer.toString('latin1', start, end);
    this.#kept[slot] = text;
    let word = slot * WORDS;
    for (let place = start; place < last; place += 4) {
      this.#words[word++] = view.getInt32(place, true);
    }
    this.#words[word] = view.getInt32(last, true);
    return text;
  }

  #isKept(slot: number, start: number, last: number): boolean {
    const view = this.#view;
    let word = slot * WORDS;
    for (let place = start; place < last; place += 4) {
      if (view.getInt32(place, true) !== this.#words[word++]) return false;
    }
    return view.getInt32(last, true) === this.#words[word];
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
