/**
 * Bytes of a text file that declares no encoding: UTF-8, or the windows-1252 that spreadsheet
 * programs save. ASCII is both; the first byte beyond it decides, and the following ones must
 * agree.
 */
import { TextDecoder } from 'node:util';
import { DomainError } from '#core/kernel';
import { linesBefore, wrongByte } from '#platform/wrongByte';

const CONTROL = /[\u0080-\u009f]|[^\P{Cc}\t\r\n]/u;

/** @param onWindows called with the line of the letter that makes the file one in windows-1252 */
export async function* decodedText(
  chunks: AsyncIterable<Uint8Array>,
  onWindows: (line: number) => void,
): AsyncGenerator<string> {
  const text = new UnknownText(onWindows);
  for await (const chunk of chunks) yield text.decode(chunk);
  yield text.end();
}

class UnknownText {
  #decoder: TextDecoder | undefined;
  #rest: Uint8Array = new Uint8Array();
  #lines = 1;
  #last = '';
  readonly #onWindows: (line: number) => void;

  constructor(onWindows: (line: number) => void) {
    this.#onWindows = onWindows;
  }

  decode(chunk: Uint8Array): string {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = new Uint8Array();
    if (this.#decoder) return this.#take(bytes, this.#decoder, { stream: true });
    const beyond = bytes.findIndex((byte) => byte > 0x7f);
    if (beyond < 0) return this.#take(bytes, new TextDecoder(), {});
    // A sequence of UTF-8 has four bytes at most: with fewer nothing can be said yet.
    if (bytes.length - beyond < 4) {
      this.#rest = Uint8Array.from(bytes.subarray(beyond));
      return this.#take(bytes.subarray(0, beyond), new TextDecoder(), {});
    }
    this.#decoder = this.#choose(bytes.subarray(beyond, beyond + 4), linesBefore(bytes, beyond));
    return this.#take(bytes, this.#decoder, { stream: true });
  }

  end(): string {
    const decoder = this.#decoder ?? this.#choose(this.#rest, 0);
    const text = this.#take(this.#rest, decoder, {});
    if (this.#last !== '\n') this.#fail('cut within a line', 0);
    return text;
  }

  /** @param before line feeds of the piece in front of the start */
  #choose(start: Uint8Array, before: number): TextDecoder {
    const [first = 0] = start;
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(start.subarray(0, length));
      return new TextDecoder('utf-8', { fatal: true });
    } catch {
      // Not UTF-8 at its first letter: it is the other one from here on.
      this.#onWindows(this.#lines + before);
      return new TextDecoder('windows-1252');
    }
  }

  #take(bytes: Uint8Array, decoder: TextDecoder, options: { stream?: boolean }): string {
    let text: string;
    try {
      text = decoder.decode(bytes, options);
    } catch (cause) {
      const what = 'bytes that are not UTF-8, as the file began';
      return this.#fail(what, linesBefore(bytes, wrongByteWithin(bytes)), cause);
    }
    const control = CONTROL.exec(text);
    if (control) {
      const before = text.slice(0, control.index).split('\n').length - 1;
      this.#fail('a character that no text holds', before);
    }
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#lines++;
    if (text !== '') this.#last = text.at(-1) ?? '';
    return text;
  }

  /** @param before line feeds of the piece in front of the place */
  #fail(what: string, before: number, cause?: unknown): never {
    const detail = `line ${this.#lines + before}: ${what}`;
    throw new DomainError('list-damaged', { detail, cause });
  }
}

/** Finds a wrong byte in a piece whose first bytes may end a character of the one before. */
function wrongByteWithin(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => byte < 0x80 || byte > 0xbf);
  const index = start < 0 ? -1 : wrongByte(bytes.subarray(start));
  return index < 0 ? 0 : start + index;
}
