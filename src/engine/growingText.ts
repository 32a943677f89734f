/** Text in UTF-8, end to end in one growing array; no object is made per text. */
import { GrowingArray } from './growingArray.ts';

/**
 * Texts up to this length are copied here unit by unit: for short ASCII that is faster than a call
 * of the encoder.
 */
const SHORT_UNITS = 64;
const UTF8_BYTES_MAX = 3;
const encoder = new TextEncoder();

/** Append-only UTF-8 bytes of all texts added; the caller keeps where each begins. */
export class GrowingText extends GrowingArray<Uint8Array<ArrayBuffer>> {
  constructor() {
    super((length) => new Uint8Array(length));
  }

  /**
   * Appends a text and returns its length in bytes, which equals its units where all is ASCII. Lone
   * surrogates become U+FFFD.
   */
  add(text: string): number {
    const room = this.room(text.length * UTF8_BYTES_MAX);
    const start = this.length;
    let at = text.length <= SHORT_UNITS ? 0 : text.length + 1;
    while (at < text.length) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) break;
      room[start + at] = unit;
      at += 1;
    }
    const bytes = at === text.length ? at : encoder.encodeInto(text, room.subarray(start)).written;
    this.advance(bytes);
    return bytes;
  }
}
