/**
 * XML from bytes to XmlTree, without making a string that no one reads.
 *
 * One step is the text up to the next markup, and that markup. A step whose end is not in the
 * buffer yet is undone, and read again with more bytes. So no half-read state is remembered, and
 * the caller's limit says how long a step may be. The byte after the last one is NUL, on which
 * every loop stops (see bytes.ts); `#end` then distinguishes the end of the buffer from a NUL in
 * the file.
 */
import {
  BANG,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  DASH,
  EQUALS,
  FORBIDDEN,
  flagOf,
  GREATER,
  HAS_FOLDED,
  HAS_HIGH,
  HIGH,
  LESS,
  LINE_FEED,
  NAME_BYTES,
  PLAIN,
  QUESTION,
  SLASH,
  SPACES,
  STOP,
  SUSPECT,
  TEXT_KINDS,
  VALUE_KINDS,
} from './bytes.ts';
import { XmlFault } from './fault.ts';
import { hashStep, holdsAt, isHere, type NameTable, type XmlName } from './nameTable.ts';
import type { TagAttributes } from './tagAttributes.ts';
import type { Texts } from './texts.ts';
import type { XmlTree } from './tree.ts';

/** The end of the current token is not in the buffer. */
const CUT = -1;
const FOUR_SPACES = 0x20202020;
const CDATA = Buffer.from('[CDATA[');
const XML = Buffer.from('xml');
const DECLARATION = new RegExp(
  '^\\s+version\\s*=\\s*(["\'])1\\.\\d+\\1' +
    '(?:\\s+encoding\\s*=\\s*(["\'])(?<encoding>[^"\']*)\\2)?' +
    '(?:\\s+standalone\\s*=\\s*(["\'])(?:yes|no)\\4)?\\s*$',
);

export interface ScannerParts {
  readonly tree: XmlTree;
  readonly names: NameTable;
  readonly attributes: TagAttributes;
  readonly texts: Texts;
}

export class XmlScanner {
  /** Where the current token begins: the place of a fault that names none. */
  at = 0;
  readonly #tree: XmlTree;
  readonly #names: NameTable;
  readonly #attributes: TagAttributes;
  readonly #texts: Texts;
  #buffer: Buffer = Buffer.alloc(1);
  #view: DataView = new DataView(new ArrayBuffer(1));
  #end = 0;
  /** Only here may the XML declaration stand. */
  #isStart = true;
  /** Results of the loops below beside the index that they return. */
  #isBlank = true;
  /** The first byte of the text that is no white space. */
  #textFirst = 0;
  #textFlags = 0;
  #valueFlags = 0;
  #nameEnd = 0;
  /** The element opened last. */
  #last: XmlName | undefined;

  constructor(parts: ScannerParts) {
    this.#tree = parts.tree;
    this.#names = parts.names;
    this.#attributes = parts.attributes;
    this.#texts = parts.texts;
  }

  /** Scans whole steps from `start` to `end`; returns where the first step that is cut begins. */
  scan(buffer: Buffer, start: number, end: number): number {
    if (buffer !== this.#buffer) {
      this.#buffer = buffer;
      this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    }
    this.#texts.begin(buffer, this.#view, end);
    this.#end = end;
    let step = start;
    for (;;) {
      this.at = step;
      const less = this.#text(step);
      if (less === CUT) return step;
      this.at = less;
      const next = this.#markup(step, less);
      if (next === CUT) return step;
      this.#isStart = false;
      step = next;
    }
  }

  /** Checks the rest of the file: only white space may follow the root. */
  finish(start: number, end: number): void {
    this.at = end;
    if (this.#tree.depth > 0) throw new XmlFault('the file breaks off');
    for (let index = start; index < end; index++) {
      if (SPACES[this.#buffer[index] ?? 0] === 1) continue;
      throw new XmlFault('the file breaks off', index);
    }
    if (this.#tree.elements === 0) throw new XmlFault('no element in the file');
  }

  /** To the next `<`. */
  #text(start: number): number {
    const buffer = this.#buffer;
    let index = start;
    // A line's end and its indentation are a quarter of most files.
    if (buffer[index] === LINE_FEED) index++;
    while (this.#view.getInt32(index, true) === FOUR_SPACES) index += 4;
    while (SPACES[buffer[index] ?? 0] === 1) index++;
    this.#textFirst = index;
    this.#isBlank = buffer[index] === LESS;
    this.#textFlags = 0;
    if (this.#isBlank) return index;
    let flags = 0;
    for (;;) {
      const kind = TEXT_KINDS[buffer[index] ?? 0] ?? FORBIDDEN;
      if (kind === STOP) break;
      if (kind !== PLAIN) {
        if (kind === FORBIDDEN) return this.#stop(index);
        if (kind !== SUSPECT) flags |= flagOf(kind);
        else if (isBracketed(buffer, start, index)) throw new XmlFault(']]> in a text', index);
      }
      index++;
    }
    if (this.#tree.depth === 0) throw new XmlFault('text outside the root element', start);
    this.#textFlags = flags;
    return index;
  }

  /** From the `<` at `less`; the text before it begins at `start`. */
  #markup(start: number, less: number): number {
    const byte = this.#buffer[less + 1] ?? 0;
    if (byte === SLASH) return this.#closeTag(start, less);
    if (byte === BANG) return this.#bang(start, less);
    if (byte === QUESTION) return this.#instruction(start, less);
    return this.#openTag(start, less);
  }

  #closeTag(start: number, less: number): number {
    const buffer = this.#buffer;
    const name = this.#tree.innermost();
    const first = less + 2;
    let index = first + (name?.bytes.length ?? 0);
    if (index >= this.#end) return CUT;
    const isMatch = name !== undefined && isHere(this.#view, first, name);
    while (SPACES[buffer[index] ?? 0] === 1) index++;
    if (index === this.#end) return CUT;
    if (!isMatch || buffer[index] !== GREATER) throw new XmlFault('a wrong closing tag');
    const text = this.#tree.hasText ? start : this.#textFirst;
    this.#tree.closeElement(buffer, text, less, this.#textFlags);
    return index + 1;
  }

  #openTag(start: number, less: number): number {
    const buffer = this.#buffer;
    this.#attributes.clear();
    const name = this.#guess(less + 1) ?? this.#name(less + 1);
    if (name === undefined) return CUT;
    const inside = this.#nameEnd + 1;
    const isBare = buffer[this.#nameEnd] === GREATER;
    const behind = isBare ? this.#leaf(name, inside) : CUT;
    if (behind !== CUT) return behind;
    const last = isBare ? this.#nameEnd : this.#attributesFrom(this.#nameEnd);
    if (last === CUT) return CUT;
    const isEmpty = buffer[last] === SLASH;
    if (isEmpty && last + 1 === this.#end) return CUT;
    if (isEmpty && buffer[last + 1] !== GREATER) throw new XmlFault('a malformed tag', last);
    if (!this.#isBlank) this.#tree.append(buffer, start, less, this.#textFlags);
    this.#tree.openElement(name, this.#attributes);
    this.#follow(name);
    if (!isEmpty) return last + 1;
    this.#tree.closeElement(buffer, last, last, 0);
    return last + 2;
  }

  /**
   * Most elements are `<name>plain text</name>`: those are read as one. From behind the opening tag
   * to behind the closing one; CUT where it is anything else, or is not here as a whole.
   */
  #leaf(name: XmlName, start: number): number {
    const buffer = this.#buffer;
    const tree = this.#tree;
    if (!this.#isBlank || tree.hasText || SPACES[buffer[start] ?? 0] === 1) return CUT;
    let index = start;
    while (TEXT_KINDS[buffer[index] ?? 0] === PLAIN) index++;
    const last = index + 2 + name.bytes.length;
    if (index === start || last >= this.#end || SPACES[buffer[index - 1] ?? 0] === 1) return CUT;
    if (buffer[index] !== LESS || buffer[index + 1] !== SLASH || buffer[last] !== GREATER) {
      return CUT;
    }
    if (!isHere(this.#view, index + 2, name)) return CUT;
    if (!tree.leaf(name, this.#attributes, { buffer, start, end: index })) return CUT;
    this.#follow(name);
    return last + 1;
  }

  #follow(name: XmlName): void {
    if (this.#last !== undefined) this.#last.next = name;
    this.#last = name;
  }

  /** Records repeat, so the element that followed the last time mostly follows again. */
  #guess(start: number): XmlName | undefined {
    const name = this.#last?.next;
    if (name === undefined) return undefined;
    const end = start + name.bytes.length;
    if (end >= this.#end || NAME_BYTES[this.#buffer[end] ?? 0] === 1) return undefined;
    if (!isHere(this.#view, start, name)) return undefined;
    this.#nameEnd = end;
    return name;
  }

  /** To the `/` or `>` that ends the tag. */
  #attributesFrom(start: number): number {
    const buffer = this.#buffer;
    let index = start;
    for (;;) {
      const before = index;
      index = this.#skipSpaces(index);
      const byte = buffer[index] ?? 0;
      if (byte === GREATER || byte === SLASH) return index;
      if (index === this.#end) return CUT;
      if (index === before) throw new XmlFault('a malformed tag', index);
      const name = this.#name(index);
      if (name === undefined) return CUT;
      const equals = this.#skipSpaces(this.#nameEnd);
      if (equals === this.#end) return CUT;
      if (buffer[equals] !== EQUALS) throw new XmlFault('an attribute without a value', equals);
      const quote = this.#skipSpaces(equals + 1);
      if (quote === this.#end) return CUT;
      const close = this.#value(quote);
      if (close === CUT) return CUT;
      this.#attributes.add(buffer, name, quote + 1, close, this.#valueFlags);
      index = close + 1;
    }
  }

  /** From the opening quote to the closing one. */
  #value(start: number): number {
    const buffer = this.#buffer;
    const quote = buffer[start] ?? 0;
    if (VALUE_KINDS[quote] !== STOP) throw new XmlFault('an unquoted value', start);
    let flags = 0;
    let index = start + 1;
    for (;;) {
      const byte = buffer[index] ?? 0;
      const kind = VALUE_KINDS[byte] ?? FORBIDDEN;
      if (kind !== PLAIN) {
        if (byte === quote) break;
        if (kind === FORBIDDEN) return this.#stop(index);
        if (kind === SUSPECT) throw new XmlFault('a < in a value', index);
        flags |= flagOf(kind);
      }
      index++;
    }
    this.#valueFlags = flags;
    return index;
  }

  /** Undefined where it reaches the end of the buffer; else `#nameEnd` is set. */
  #name(start: number): XmlName | undefined {
    const buffer = this.#buffer;
    let index = start;
    let hash = 0;
    for (;;) {
      const byte = buffer[index] ?? 0;
      if (NAME_BYTES[byte] === 0) break;
      hash = hashStep(hash, byte);
      index++;
    }
    if (index === this.#end) return undefined;
    if (index === start) throw new XmlFault('a malformed tag', index);
    this.#nameEnd = index;
    return this.#names.find(buffer, start, index, hash);
  }

  #bang(start: number, less: number): number {
    const buffer = this.#buffer;
    const first = less + 2;
    if (first === this.#end) return CUT;
    if (buffer[first] === DASH) {
      if (first + 1 === this.#end) return CUT;
      if (buffer[first + 1] !== DASH) throw new XmlFault('a malformed comment');
      const end = this.#comment(first + 2);
      if (end !== CUT) this.#keepText(start, less);
      return end;
    }
    if (buffer[first] !== BRACKET_OPEN) throw new XmlFault('a DOCTYPE or another declaration');
    const from = first + CDATA.length;
    if (from > this.#end) return CUT;
    if (!holdsAt(buffer, first, from, CDATA)) throw new XmlFault('a malformed CDATA section');
    const end = this.#cdata(from);
    if (end === CUT) return CUT;
    if (this.#tree.depth === 0) throw new XmlFault('text outside the root element');
    this.#keepText(start, less);
    const flags = (this.#valueFlags & HAS_HIGH) | HAS_FOLDED;
    this.#tree.append(buffer, from, end - 3, flags);
    return end;
  }

  /** Behind `-->`. */
  #comment(from: number): number {
    const buffer = this.#buffer;
    for (let index = from; ; index++) {
      const byte = buffer[index] ?? 0;
      if (VALUE_KINDS[byte] === FORBIDDEN) return this.#stop(index);
      if (byte !== DASH || buffer[index + 1] !== DASH) continue;
      if (index + 2 === this.#end) return CUT;
      if (buffer[index + 2] !== GREATER) throw new XmlFault('-- in a comment', index);
      return index + 3;
    }
  }

  /** Place after `]]>`; `#valueFlags` says how the text before is decoded. */
  #cdata(from: number): number {
    const buffer = this.#buffer;
    this.#valueFlags = 0;
    for (let index = from; ; index++) {
      const byte = buffer[index] ?? 0;
      const kind = VALUE_KINDS[byte] ?? FORBIDDEN;
      if (kind === FORBIDDEN) return this.#stop(index);
      if (kind === HIGH) this.#valueFlags |= HAS_HIGH;
      if (byte === GREATER && isBracketed(buffer, from, index)) return index + 1;
    }
  }

  /** Text that a comment or a CDATA section parts from the rest of its element's. */
  #keepText(start: number, less: number): void {
    if (this.#tree.depth === 0) return;
    this.#tree.append(this.#buffer, start, less, this.#textFlags | HAS_FOLDED);
  }

  #instruction(start: number, less: number): number {
    const buffer = this.#buffer;
    const first = less + 2;
    if (first + XML.length >= this.#end) return CUT;
    const isDeclaration =
      holdsAt(buffer, first, first + XML.length, XML) &&
      SPACES[buffer[first + XML.length] ?? 0] === 1;
    if (!isDeclaration || !this.#isStart || start !== less) {
      throw new XmlFault('a processing instruction');
    }
    let index = first;
    while (buffer[index] !== QUESTION) {
      if (VALUE_KINDS[buffer[index] ?? 0] === FORBIDDEN) return this.#stop(index);
      index++;
    }
    if (index + 1 === this.#end) return CUT;
    const match = DECLARATION.exec(buffer.toString('utf8', first + XML.length, index));
    if (!match || buffer[index + 1] !== GREATER) throw new XmlFault('a malformed XML declaration');
    const encoding = match.groups?.encoding;
    if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') {
      throw new XmlFault('a declared encoding other than UTF-8');
    }
    return index + 2;
  }

  #skipSpaces(start: number): number {
    const buffer = this.#buffer;
    let index = start;
    while (SPACES[buffer[index] ?? 0] === 1) index++;
    return index;
  }

  /** A byte that no loop passes: the end of the buffer, or a control character in the file. */
  #stop(index: number): typeof CUT {
    if (index === this.#end) return CUT;
    throw new XmlFault('a character that XML does not allow', index);
  }
}

/** Whether `]]` stands before the index, not before `start`. */
function isBracketed(buffer: Buffer, start: number, index: number): boolean {
  return (
    index - start >= 2 && buffer[index - 1] === BRACKET_CLOSE && buffer[index - 2] === BRACKET_CLOSE
  );
}
