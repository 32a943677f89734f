/**
 * Names of elements and attributes, from bytes to one object each: a document has a few dozen of
 * them and millions of uses, so a name becomes a string once. Strings are internalised, so that
 * comparing them, and looking them up in a connector's maps, is comparing pointers.
 */
import { XmlFault } from './fault.ts';

export interface XmlName {
  readonly bytes: Uint8Array;
  readonly slotHash: number;
  /** The bytes four at a time, for `isHere`; `tailMask` covers those that the last one has. */
  readonly words: Int32Array;
  readonly tailMask: number;
  /** As written, with its prefix. */
  readonly qualified: string;
  readonly prefix: string;
  readonly local: string;
  /** The prefix that an attribute of this name declares; '' for `xmlns` itself. */
  readonly declares: string | undefined;
  /** The meaning of the name under the namespaces numbered `scope`; XmlTree keeps it. */
  scope: number;
  reported: string;
  /** The element that was opened after this one the last time: the scanner's first guess. */
  next: XmlName | undefined;
}

/** Names beyond these are made anew at every use: slower, never larger. */
const NAMES_MAX = 1_000;
const SLOTS = 4_096;
/** XML 1.0 (fifth edition), productions 4 and 4a, without the colon. */
const START =
  'A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D' +
  '\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD' +
  '\\u{10000}-\\u{EFFFF}';
const PART = `[${START}][${START}\\-.0-9\\xB7\\u0300-\\u036F\\u203F-\\u2040]*`;
const NAME = new RegExp(`^${PART}(?::${PART})?$`, 'u');

export class NameTable {
  readonly #charsMax: number;
  readonly #slots: (XmlName | undefined)[] = new Array(SLOTS).fill(undefined);
  #count = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** Whether further names would be made anew at every use. */
  get isFull(): boolean {
    return this.#count >= NAMES_MAX;
  }

  /** `slotHash` is `hashStep` over the bytes from `start` to `end`. */
  find(buffer: Buffer, start: number, end: number, slotHash: number): XmlName {
    let slot = slotHash & (SLOTS - 1);
    for (;;) {
      const name = this.#slots[slot];
      if (name === undefined) break;
      if (name.slotHash === slotHash && holdsAt(buffer, start, end, name.bytes)) return name;
      slot = (slot + 1) & (SLOTS - 1);
    }
    const name = this.#make(buffer, start, end, slotHash);
    if (this.#count < NAMES_MAX) {
      this.#slots[slot] = name;
      this.#count++;
    }
    return name;
  }

  #make(buffer: Buffer, start: number, end: number, slotHash: number): XmlName {
    const written = buffer.toString('utf8', start, end);
    if (written.length > this.#charsMax) throw new XmlFault('a name too long', start);
    if (!NAME.test(written)) throw new XmlFault('a malformed name', start);
    const qualified = internalised(written);
    const colon = qualified.indexOf(':');
    const prefix = colon < 0 ? '' : internalised(qualified.slice(0, colon));
    const local = colon < 0 ? qualified : internalised(qualified.slice(colon + 1));
    const declares = qualified === 'xmlns' ? '' : prefix === 'xmlns' ? local : undefined;
    const bytes = Uint8Array.from(buffer.subarray(start, end));
    return {
      bytes,
      slotHash,
      ...wordsOf(bytes),
      qualified,
      prefix,
      local,
      declares,
      scope: -1,
      reported: local,
      next: undefined,
    };
  }
}

/**
 * Whether the name stands at `start`; the text after it is not compared. Four bytes are compared at
 * a time, so up to three after the name must be readable: `readXml` gives its buffer that slack.
 */
export function isHere(view: DataView, start: number, name: XmlName): boolean {
  const { words } = name;
  const last = words.length - 1;
  let place = start;
  for (let index = 0; index < last; index++) {
    if (view.getInt32(place, true) !== words[index]) return false;
    place += 4;
  }
  return (view.getInt32(place, true) & name.tailMask) === words[last];
}

function wordsOf(bytes: Uint8Array): Pick<XmlName, 'words' | 'tailMask'> {
  const padded = new DataView(new ArrayBuffer(4 * Math.ceil(bytes.length / 4)));
  for (const [index, byte] of bytes.entries()) padded.setUint8(index, byte);
  const count = padded.byteLength / 4;
  const words = Int32Array.from({ length: count }, (_, word) => padded.getInt32(4 * word, true));
  const inTail = bytes.length - 4 * (count - 1);
  return { words, tailMask: inTail === 4 ? -1 : (1 << (8 * inTail)) - 1 };
}

export function hashStep(slotHash: number, byte: number): number {
  return (Math.imul(slotHash, 31) + byte) | 0;
}

/** Whether the buffer has these bytes from `start` to `end`. */
export function holdsAt(buffer: Buffer, start: number, end: number, bytes: Uint8Array): boolean {
  if (end - start !== bytes.length) return false;
  for (let index = 0; index < bytes.length; index++) {
    if (buffer[start + index] !== bytes[index]) return false;
  }
  return true;
}

/** V8 internalises the keys of objects. */
const internalised = (text: string): string => Object.keys({ [text]: 0 })[0] ?? '';
