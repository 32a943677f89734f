/**
 * One line of a vendor's feed as JSON: a page of records, or a record. Parsed strictly, since a
 * member that stands twice, or half a character, has no one meaning. A page is one line, but its
 * records stand alone: where the line is at fault, each of them is parsed for itself, so that one
 * of them costs no more than itself.
 */
import { parseStrictJson, StrictJsonError, type StrictJsonReason } from '#platform/strictJson';
import { isObject } from '../isObject.ts';

export type Members = Readonly<Record<string, unknown>>;

/** `isCut`: as a line that breaks off would be. */
export type Parsed =
  | { readonly value: Members }
  | { readonly bad: string; readonly isCut: boolean };

export interface VendorLine {
  /** The record, or the members around the records of a page. */
  readonly head: Parsed;
  /** Records of a page. Each is parsed on demand, so a caller that stops early pays for no more. */
  readonly records?: Iterable<Parsed>;
}

const DEPTH_MAX = 64;
const CUT: readonly StrictJsonReason[] = ['empty', 'encoding', 'syntax', 'truncated'];
const REASONS: Readonly<Partial<Record<StrictJsonReason, string>>> = {
  depth: `nested over ${DEPTH_MAX} deep`,
  'duplicate-key': 'a member that stands twice',
  'forbidden-key': 'a member of a forbidden name',
  'lone-surrogate': 'half a character (a lone surrogate)',
  nul: 'the character NUL',
  'number-range': 'a number that no double holds',
};

export function parseLine(line: Buffer): VendorLine {
  const head = parseRecord(line);
  if ('value' in head) {
    const { entities } = head.value;
    return Array.isArray(entities) ? { head, records: recordsOf(entities) } : { head };
  }
  const page = findEntities(line);
  if (!page) return { head };
  const around = Buffer.concat([line.subarray(0, page.start), line.subarray(page.end)]);
  return { head: parseRecord(around), records: recordsIn(line, page.start) };
}

function* recordsOf(values: readonly unknown[]): Generator<Parsed> {
  for (const value of values) yield recordOf(value);
}

function* recordsIn(line: Buffer, start: number): Generator<Parsed> {
  let from = start;
  for (;;) {
    const at = itemEnd(line, from);
    const isLast = line[at] !== COMMA;
    const isEmpty = isLast && from === start && isBlank(line.subarray(from, at));
    if (!isEmpty) yield parseRecord(line.subarray(from, at));
    if (isLast) return;
    from = at + 1;
  }
}

function parseRecord(bytes: Buffer): Parsed {
  try {
    return recordOf(parseStrictJson(bytes, { depthMax: DEPTH_MAX }));
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    return { bad: REASONS[error.reason] ?? 'no JSON object', isCut: CUT.includes(error.reason) };
  }
}

const recordOf = (value: unknown): Parsed =>
  isObject(value) ? { value } : { bad: 'no JSON object', isCut: false };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const ENTITIES = Buffer.from('"entities"');

interface Page {
  /** Start of the text between the brackets. */
  readonly start: number;
  readonly end: number;
}

/** The line's member `entities`; undefined where it has none, or has no end. */
function findEntities(line: Buffer): Page | undefined {
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at] ?? 0;
    if (byte === QUOTE) {
      const end = stringEnd(line, at);
      const isKey = depth === 1 && line.subarray(at, end).equals(ENTITIES);
      const list = isKey ? listAfter(line, end) : -1;
      if (list >= 0) return pageFrom(line, list + 1);
      at = end - 1;
    } else if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte)) depth--;
  }
  return undefined;
}

/** Place of the comma or bracket after an item, or the end of the line. */
function itemEnd(line: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < line.length; at++) {
    const byte = line[at] ?? 0;
    if (byte === QUOTE) at = stringEnd(line, at) - 1;
    else if (OPENING.has(byte)) depth++;
    else if (depth > 0) depth -= Number(CLOSING.has(byte));
    else if (byte === COMMA || CLOSING.has(byte)) return at;
  }
  return line.length;
}

function pageFrom(line: Buffer, start: number): Page | undefined {
  let end = itemEnd(line, start);
  while (line[end] === COMMA) end = itemEnd(line, end + 1);
  return end < line.length ? { end, start } : undefined;
}

const isBlank = (bytes: Buffer): boolean => bytes.every((one) => SPACES.has(one));

/** Behind the closing quote, or the end of the line. */
function stringEnd(line: Buffer, start: number): number {
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === BACKSLASH) at++;
    else if (line[at] === QUOTE) return at + 1;
  }
  return line.length;
}

/** Place of the bracket after the key; -1 where something else follows. */
function listAfter(line: Buffer, end: number): number {
  let at = end;
  let hasColon = false;
  for (; at < line.length; at++) {
    const byte = line[at] ?? 0;
    if (byte === COLON && !hasColon) hasColon = true;
    else if (!SPACES.has(byte)) break;
  }
  return hasColon && line[at] === 0x5b ? at : -1;
}
