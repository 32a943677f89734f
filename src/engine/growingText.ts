/** Text in UTF-8, end to end in one array that grows: nothing is made for each text. */
import { GrowingArray } from './growingArray.ts';

/** A short ASCII text is written faster here than by a call of the encoder. */
const SHORT_UNITS = 64;
const UTF8_BYTES_MAX = 3;
const encoder = new TextEncoder();

/** Append-only. */
export class GrowingText extends GrowingArray<Uint8Array<ArrayBuffer>> {
  constructor() {
    super((length) => new Uint8Array(length));
  }

  /** Answers its bytes, as many as its units where all is ASCII; lone surrogates become U+FFFD. */
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
