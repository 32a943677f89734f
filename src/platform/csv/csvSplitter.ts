/**
 * Where the records of a CSV begin and end (RFC 4180), on text that comes in pieces of whole lines.
 *
 * Some forms beyond the RFC are accepted, because people send them and they have one reading only:
 * lines that end in LF, blank lines (no records), a last line without its break, and quotes inside
 * a field that does not begin with one (they stand for themselves).
 *
 * Text with several readings breaks its record: text after a closing quote, a record over
 * RECORD_CHARS_MAX, or one that two stray quotes have made of several (`holdsRows`). The first line
 * of the record is reported as broken, and reading goes on with the line after it. So one stray
 * quote costs one record and hides none of the following. A file that ends inside a quoted field is
 * refused: it looks like one that was cut off, and it is unknown how much is missing.
 *
 * The lines of a record that breaks late are read again. Two bounds keep this from growing: a line
 * that opens quotes inside an open quote also ends a field, and a record has at most FIELDS_MAX of
 * them.
 */
import { isAscii, isUtf8 } from 'node:buffer';

/** UTF-16 units of one row, its line breaks included. */
export const RECORD_CHARS_MAX = 65_536;
/** More fields than any table here has: enough to say that there are too many. */
const FIELDS_MAX = 32;
const COMMA = 0x2c;
const QUOTE = 0x22;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NEEDS_MORE = -1;
const IS_BROKEN = -2;

export type RecordFault = 'quotes-unbalanced' | 'record-too-long';

/** Receives the place of each record in its text; the text itself would have to be copied. */
export interface RecordSink {
  /** Fields of a record, once the header is known. */
  readonly width?: number | undefined;
  /** `end` excludes the line break. `isQuoted`: some field may be quoted. `line` is its first. */
  record(text: string, at: { start: number; end: number; line: number; isQuoted: boolean }): void;
  broken(line: number, fault: RecordFault): void;
  /** The error for a text that cannot be read at all. */
  refuse(detail: string): Error;
  /** Counts so many records without seeing them; false: they must be passed one by one. */
  countUnseen?(records: number): boolean;
}

export class CsvSplitter {
  readonly #sink: RecordSink;
  readonly #at = { start: 0, end: 0, line: 1, isQuoted: false };
  /** Number of the next line. */
  #line = 1;
  /** The start of a record that goes on in the next piece. */
  #carry = '';
  #isFirst = true;

  constructor(sink: RecordSink) {
    this.#sink = sink;
  }

  /** A piece of whole lines (wholeLines.ts). */
  push(piece: Buffer): void {
    const bytes = this.#isFirst ? this.#withoutMark(piece) : piece;
    this.#isFirst = false;
    if (this.#carry === '' && this.#isCounted(bytes)) return;
    // Joined as bytes: V8 may flatten a joined string for every search in it.
    const carried = this.#carry === '' ? bytes : Buffer.concat([Buffer.from(this.#carry), bytes]);
    this.#split(this.#decode(carried), false);
  }

  finish(): void {
    this.#split(this.#carry, true);
  }

  /**
   * Counts lines without quotes as records: eight times as fast where the sink need not see them.
   */
  #isCounted(piece: Buffer): boolean {
    if (this.#sink.countUnseen === undefined || piece.includes(QUOTE)) return false;
    const { lines, longest, records } = countLines(piece);
    if (longest > RECORD_CHARS_MAX || !isUtf8(piece)) return false;
    if (!this.#sink.countUnseen(records)) return false;
    this.#line += lines;
    return true;
  }

  #split(text: string, isLast: boolean): void {
    this.#carry = '';
    let start = 0;
    let quoteAt = positionOf(text, '"', 0);
    while (start < text.length) {
      const lineEnd = positionOf(text, '\n', start);
      // A loop and not an `if`: V8 turns the `if` into a choice between two values, and searches
      // for both in every line, up to the end of the text.
      while (quoteAt < start) quoteAt = positionOf(text, '"', start);
      const isQuoted = quoteAt < lineEnd;
      const end = isQuoted ? endOfRecord(text, start) : lineEnd;
      if (end === NEEDS_MORE && text.length - start <= RECORD_CHARS_MAX) {
        if (isLast) throw this.#unclosed(text, start);
        this.#carry = text.slice(start);
        return;
      }
      const fault = end > lineEnd || end < 0 ? this.#faultOf(text, start, end) : undefined;
      if (fault === undefined && end - start <= RECORD_CHARS_MAX) {
        this.#tell(text, start, end, isQuoted);
        start = end + 1;
      } else {
        this.#sink.broken(this.#line++, fault ?? 'record-too-long');
        start = lineEnd + 1;
      }
    }
  }

  /** The fault of a record whose quotes do not close, or which spans several lines. */
  #faultOf(text: string, start: number, end: number): RecordFault | undefined {
    if (end < 0) return 'quotes-unbalanced';
    if (end - start > RECORD_CHARS_MAX) return 'record-too-long';
    const { width } = this.#sink;
    if (width === undefined) return undefined;
    const at = { end: withoutReturn(text, start, end), isQuoted: true, start };
    const commas = occurrences(text, ',', at);
    // Fewer fields than the header, whichever commas are in quotes: so for a line that is a quote.
    const isNarrow = commas + 1 < width;
    const isBroken = isNarrow || holdsRows(fieldsOf(text, at), commas, width);
    return isBroken ? 'quotes-unbalanced' : undefined;
  }

  /** The error names the line of the quote, which may be after the record's first. */
  #unclosed(text: string, start: number): Error {
    const line = this.#line + linesIn(text, start, openQuoteAt(text, start)) - 1;
    return this.#sink.refuse(
      `line ${line}: expected the quote that opens a field there to be closed; ` +
        'found the end of the file',
    );
  }

  #tell(text: string, start: number, end: number, isQuoted: boolean): void {
    const at = this.#at;
    at.start = start;
    at.end = withoutReturn(text, start, end);
    at.line = this.#line;
    at.isQuoted = isQuoted;
    this.#line += isQuoted ? linesIn(text, start, end) : 1;
    if (at.end > start) this.#sink.record(text, at);
  }

  #decode(piece: Buffer): string {
    if (isAscii(piece)) return piece.toString('latin1');
    if (isUtf8(piece)) return piece.toString('utf8');
    let line = this.#line;
    for (let start = 0; start < piece.length; line++) {
      const newlineAt = piece.indexOf(NEWLINE, start);
      const end = newlineAt === -1 ? piece.length : newlineAt + 1;
      if (!isUtf8(piece.subarray(start, end))) break;
      start = end;
    }
    throw this.#sink.refuse(`encoding: expected UTF-8, found other bytes in line ${line}`);
  }

  /** A byte-order mark of UTF-8 is skipped; other marks show that the text is no UTF-8. */
  #withoutMark(piece: Buffer): Buffer {
    if (piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf) return piece.subarray(3);
    const isUtf16 =
      (piece[0] === 0xff && piece[1] === 0xfe) || (piece[0] === 0xfe && piece[1] === 0xff);
    if (!isUtf16) return piece;
    throw this.#sink.refuse('encoding: expected UTF-8, found UTF-16');
  }
}

/** A blank line is no record; the length is in bytes, which are no fewer than characters. */
function countLines(piece: Buffer): { lines: number; records: number; longest: number } {
  let lines = 0;
  let records = 0;
  let longest = 0;
  for (let start = 0; start < piece.length; ) {
    // A search costs as much as fifty bytes, and blank lines may follow each other for megabytes.
    while (piece[start] === NEWLINE) {
      lines++;
      start++;
    }
    if (start === piece.length) break;
    const newlineAt = piece.indexOf(NEWLINE, start);
    const end = newlineAt === -1 ? piece.length : newlineAt;
    const length = end - start;
    lines++;
    if (length > 1 || (length === 1 && piece[start] !== RETURN)) records++;
    if (length > longest) longest = length;
    start = end + 1;
  }
  return { lines, longest, records };
}

/** Position of the sign, or the end of the text where there is none. */
function positionOf(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from);
  return at === -1 ? text.length : at;
}

/** Position of the line break, or the end of the text, after the record that begins here. */
function endOfRecord(text: string, start: number): number {
  let at = start;
  for (let fields = 1; fields <= FIELDS_MAX; fields++) {
    at = text.charCodeAt(at) === QUOTE ? afterQuoted(text, at) : afterPlain(text, at);
    if (at < 0) return at;
    if (at - start > RECORD_CHARS_MAX) return at;
    const unit = text.charCodeAt(at);
    if (unit !== COMMA) {
      return unit === RETURN && text.charCodeAt(at + 1) === NEWLINE ? at + 1 : at;
    }
    at++;
  }
  return IS_BROKEN;
}

/** Position after the closing quote, which must be a comma, a line break or the end. */
function afterQuoted(text: string, openedAt: number): number {
  let at = openedAt;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return NEEDS_MORE;
    if (text.charCodeAt(at + 1) !== QUOTE) break;
    at++;
  }
  at++;
  const unit = text.charCodeAt(at);
  if (at >= text.length || unit === COMMA || unit === NEWLINE) return at;
  const isEnd = at + 1 >= text.length || text.charCodeAt(at + 1) === NEWLINE;
  return unit === RETURN && isEnd ? at : IS_BROKEN;
}

function afterPlain(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === COMMA || unit === NEWLINE) break;
    at++;
  }
  return at;
}

/** Where the open quoted field begins, for a record that ends inside one. */
function openQuoteAt(text: string, start: number): number {
  for (let at = start; ; ) {
    const isQuoted = text.charCodeAt(at) === QUOTE;
    const after = isQuoted ? afterQuoted(text, at) : afterPlain(text, at);
    if (after < 0 || after >= text.length) return at;
    at = after + 1;
  }
}

/**
 * Whether a record over several lines has taken rows for a part of a field. A stray quote extends
 * to the next quote. If that one stands at the end of a field, all rows between would become one
 * long name, and none of their subjects would be screened. Such a record has the commas of two rows
 * or more, or other fields than the header; a name that is written in two lines has neither.
 */
const holdsRows = (fields: readonly string[], commas: number, width: number): boolean =>
  fields.length !== width || commas >= 2 * (width - 1);

const withoutReturn = (text: string, start: number, end: number): number =>
  end > start && text.charCodeAt(end - 1) === RETURN ? end - 1 : end;

/** In a part of its own: a search in the whole text would go on behind `end` to the next sign. */
function occurrences(
  text: string,
  sign: string,
  { start, end }: { readonly start: number; readonly end: number },
): number {
  const part = text.slice(start, end);
  let count = 0;
  for (let at = part.indexOf(sign); at !== -1; at = part.indexOf(sign, at + 1)) count++;
  return count;
}

const linesIn = (text: string, start: number, end: number): number =>
  1 + occurrences(text, '\n', { end, start });

/** The fields of a complete record. */
export function fieldsOf(
  text: string,
  { start, end, isQuoted }: { start: number; end: number; isQuoted: boolean },
): string[] {
  const fields: string[] = [];
  let from = start;
  if (!isQuoted) {
    for (let at = start; at < end; at++) {
      if (text.charCodeAt(at) !== COMMA) continue;
      fields.push(text.slice(from, at));
      from = at + 1;
    }
    fields.push(text.slice(from, end));
    return fields;
  }
  for (;;) {
    const wasQuoted = text.charCodeAt(from) === QUOTE && from < end;
    const after = Math.min(end, wasQuoted ? afterQuoted(text, from) : afterPlain(text, from));
    fields.push(wasQuoted ? unquoted(text.slice(from + 1, after - 1)) : text.slice(from, after));
    if (after >= end) return fields;
    from = after + 1;
  }
}

const unquoted = (inside: string): string =>
  inside.includes('"') ? inside.replaceAll('""', '"') : inside;
