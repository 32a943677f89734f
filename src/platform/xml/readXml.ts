/**
 * XML from strangers, as a stream of elements. UTF-8 only, no DOCTYPE, no processing instruction
 * but the XML declaration, five entities and no others, well-formed to the last byte, and a limit
 * on everything that a file could make grow. Bytes are gathered to pieces of FEED_BYTES, so that a
 * limit is noticed at most one piece late and the smallest chunks cost no more than large ones.
 *
 * A file that breaks off never ends normally: either the root was closed and nothing but white
 * space and comments follows, or this throws XmlDamaged with line, column (both from 1, the column
 * in bytes) and path.
 */
import assert from 'node:assert/strict';
import { isAscii, isUtf8 } from 'node:buffer';
import { wrongByte } from '../wrongByte.ts';
import { LINE_FEED } from './bytes.ts';
import { XmlFault } from './fault.ts';
import { NameTable } from './nameTable.ts';
import { XML_LIMITS, type XmlHandler, type XmlLimits, type XmlOptions } from './ports.ts';
import { XmlScanner } from './scanner.ts';
import { TagAttributes } from './tagAttributes.ts';
import { Texts } from './texts.ts';
import { XmlTree } from './tree.ts';

const FEED_BYTES = 64 * 1024;
/** U+FFFE and U+FFFF: XML 1.0, production 2, leaves them out. */
const NONCHARACTERS = [Buffer.from('\ufffe'), Buffer.from('\uffff')];
/** First byte of U+0080 to U+00BF. */
const CONTROL_LEAD = 0xc2;
const NEXT_LINE = 0x85;
/**
 * U+0080 to U+009F, but the line end U+0085: XML allows them, no text holds them, and a text in
 * UTF-8 that was encoded once more is full of them. A few may be slips of a publisher.
 */
const CONTROLS_MAX = 8;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The document is not well-formed, or goes over a limit. The message names place and fault. */
export class XmlDamaged extends Error {
  override readonly name = 'XmlDamaged';
}

/** Reads the whole document; `handler` may throw to stop it. */
export async function readXml(
  chunks: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
  options: XmlOptions = {},
): Promise<void> {
  const limits = options.limits ?? XML_LIMITS;
  const input = new XmlInput(handler, limits, new XmlRoom(limits));
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += FEED_BYTES) {
      input.feed(chunk.subarray(start, start + FEED_BYTES));
      options.onBytes?.(input.bytes);
    }
  }
  input.finish();
}

/**
 * Documents that are in memory already, one after the other: messages of some kilobytes, for which
 * making room anew would cost more than the reading.
 */
export class XmlReader {
  readonly #limits: XmlLimits;
  readonly #room: XmlRoom;

  constructor(limits: XmlLimits) {
    this.#limits = limits;
    this.#room = new XmlRoom(limits);
  }

  /** Reads the whole document; `handler` may throw to stop it. */
  read(bytes: Uint8Array, handler: XmlHandler): void {
    const input = new XmlInput(handler, this.#limits, this.#room);
    for (let start = 0; start < bytes.length; start += FEED_BYTES) {
      input.feed(bytes.subarray(start, start + FEED_BYTES));
    }
    input.finish();
  }
}

/** What is made once for all documents of a reader. */
class XmlRoom {
  readonly texts = new Texts();
  readonly buffer: Buffer;
  readonly #nameCharsMax: number;
  #names: NameTable;

  constructor({ nameCharsMax, textCharsMax }: XmlLimits) {
    this.#nameCharsMax = nameCharsMax;
    this.#names = new NameTable(nameCharsMax);
    // A character takes four bytes at most; a tag or text longer than these is refused anyway.
    this.buffer = Buffer.allocUnsafeSlow(4 * textCharsMax + 2 * FEED_BYTES + 8);
  }

  /** A document whose names filled the table slows down no other. */
  names(): NameTable {
    if (this.#names.isFull) this.#names = new NameTable(this.#nameCharsMax);
    return this.#names;
  }
}

class XmlInput {
  bytes = 0;
  readonly #limits: XmlLimits;
  readonly #tree: XmlTree;
  readonly #scanner: XmlScanner;
  /** Bytes not scanned yet: the rest of the piece before, then the next one, then a NUL. */
  readonly #buffer: Buffer;
  readonly #restMax: number;
  #length = 0;
  /** Bytes of the buffer that are known to be whole, allowed characters. */
  #checked = 0;
  #isBegun = false;
  #controls = 0;
  #lines = 0;
  /** Column of the buffer's first byte, from the beginning of its line. */
  #column = 0;

  constructor(handler: XmlHandler, limits: XmlLimits, room: XmlRoom) {
    const { buffer, texts } = room;
    this.#limits = limits;
    this.#tree = new XmlTree(handler, limits, texts);
    this.#scanner = new XmlScanner({
      tree: this.#tree,
      names: room.names(),
      attributes: new TagAttributes(texts, limits.attributesMax),
      texts,
    });
    this.#restMax = 4 * limits.textCharsMax;
    this.#buffer = buffer;
  }

  feed(piece: Uint8Array): void {
    assert(piece.length <= FEED_BYTES);
    this.bytes += piece.length;
    if (this.bytes > this.#limits.bytesMax) this.#fail(new XmlFault('more bytes than allowed'));
    this.#buffer.set(piece, this.#length);
    this.#length += piece.length;
    if (this.#length - this.#checked >= FEED_BYTES) this.#guarded(() => this.#scan(false));
  }

  finish(): void {
    this.#guarded(() => {
      this.#scan(true);
      this.#scanner.finish(0, this.#length);
    });
  }

  #scan(isLast: boolean): void {
    const buffer = this.#buffer;
    const whole = isLast ? this.#length : wholeCharacters(buffer, this.#length);
    const fault = this.#check(whole);
    // The text before a wrong character is scanned first, since it gives the path.
    const end = fault?.index ?? whole;
    const behind = buffer[end] ?? 0;
    buffer[end] = 0;
    const done = this.#scanner.scan(buffer, this.#begin(end), end);
    buffer[end] = behind;
    if (fault) throw fault;
    if (end - done > this.#restMax) {
      throw new XmlFault('a text, tag or comment too long', done);
    }
    this.#discard(done);
  }

  /** A byte-order mark is no part of the document. */
  #begin(end: number): number {
    if (this.#isBegun) return 0;
    this.#isBegun = true;
    const mark = BYTE_ORDER_MARK.length;
    return end >= mark && this.#buffer.compare(BYTE_ORDER_MARK, 0, mark, 0, mark) === 0 ? mark : 0;
  }

  /** Checks the bytes that were not checked yet. */
  #check(end: number): XmlFault | undefined {
    const start = this.#checked;
    const fresh = this.#buffer.subarray(start, end);
    this.#checked = end;
    if (isAscii(fresh)) return undefined;
    if (!isUtf8(fresh)) {
      const index = wrongByte(fresh);
      const byte = fresh[index]?.toString(16).toUpperCase();
      return new XmlFault(`bytes that are not UTF-8, from 0x${byte} on`, start + index);
    }
    for (const character of NONCHARACTERS) {
      const index = fresh.indexOf(character);
      if (index >= 0) return new XmlFault('a character that XML does not allow', start + index);
    }
    const control = this.#controlTooMany(fresh);
    if (control < 0) return undefined;
    return new XmlFault('control characters, as of UTF-8 encoded twice', start + control);
  }

  /** Index of the one that is one too many; -1 where there is none. */
  #controlTooMany(fresh: Buffer): number {
    let lead = fresh.indexOf(CONTROL_LEAD);
    for (; lead >= 0; lead = fresh.indexOf(CONTROL_LEAD, lead + 1)) {
      const byte = fresh[lead + 1] ?? 0;
      if (byte >= 0xa0 || byte === NEXT_LINE) continue;
      this.#controls++;
      if (this.#controls > CONTROLS_MAX) return lead;
    }
    return -1;
  }

  #discard(count: number): void {
    const buffer = this.#buffer;
    // A native search, line by line: half of what a loop over the bytes costs.
    let line = buffer.indexOf(LINE_FEED);
    while (line >= 0 && line < count) {
      this.#lines++;
      this.#column = -line - 1;
      line = buffer.indexOf(LINE_FEED, line + 1);
    }
    this.#column += count;
    buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
    this.#checked -= count;
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (error instanceof XmlFault) this.#fail(error);
      throw error;
    }
  }

  #fail(fault: XmlFault): never {
    const path = this.#tree.path() || 'before the root element';
    this.#discard(Math.min(fault.index ?? this.#scanner.at, this.#length));
    const place = `line ${this.#lines + 1}, column ${this.#column + 1}, ${path}`;
    throw new XmlDamaged(`${place}: ${fault.message}`, { cause: fault });
  }
}

/** The length without the character that the end cuts. */
function wholeCharacters(buffer: Buffer, length: number): number {
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = buffer[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const size = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return size > back ? length - back : length;
  }
  return length;
}
