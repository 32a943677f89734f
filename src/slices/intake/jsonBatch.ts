/**
 * The body that creates a batch, read as it arrives: subjects one by one, never the whole.
 *
 * The body is one JSON object. Each member, and each element of `subjects`, is found by its
 * brackets and quotes, and then parsed by the strict parser of every other body: what that parser
 * refuses is refused here, at the same offset. So a body may be as large as a file, while memory is
 * bounded by VALUE_BYTES_MAX, the bound of one subject and of one other member.
 */
import { DomainError } from '#core/kernel';
import { withRoom } from '#platform/growingBuffer';
import { loopTurn } from '#platform/loopTurns';
import { parseStrictJson, StrictJsonError, type StrictJsonReason } from '#platform/strictJson';

/** Bytes of one subject, or of one other member: its twelve attributes at their longest fit. */
export const VALUE_BYTES_MAX = 65_536;
export const MEMBERS_MAX = 32;
/** A filter of a query is the deepest; a subject has one level. */
const DEPTH_MAX = 8;
/** Chunks are gathered to this size, so small chunks cost no more. */
const GATHERED_BYTES = 64 * 1024;

const SUBJECTS = 'subjects';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const NEEDS_MORE = -1;

export type JsonBatchPart =
  /** A member other than `subjects`, or `subjects` where it is no array. */
  | { readonly kind: 'member'; readonly name: string; readonly value: unknown }
  /** Elements of `subjects` in order; `first` counts from 0. An empty array comes once, empty. */
  | {
      readonly kind: 'subjects';
      readonly name: string;
      readonly first: number;
      readonly values: readonly unknown[];
    };

/**
 * Parts of the body in order. Throws `json-malformed`, `body-invalid` or `body-too-large`; the body
 * is valid only once the end is reached. `arrays` are the names under which subjects may come.
 */
export async function* readJsonBatch(
  bytes: AsyncIterable<Uint8Array>,
  arrays: readonly string[] = [SUBJECTS],
): AsyncGenerator<JsonBatchPart> {
  const text = new Window(bytes);
  try {
    yield* partsOf(text, arrays);
    await text.end();
  } finally {
    await text.close();
  }
}

async function* partsOf(text: Window, arrays: readonly string[]): AsyncGenerator<JsonBatchPart> {
  const names = new Set<string>();
  await text.begin();
  if ((await text.peek()) !== BRACE_OPEN) await refuseOther(text);
  await text.expect(BRACE_OPEN);
  if (await text.skips(BRACE_CLOSE)) return;
  do {
    const name = await readName(text, names);
    const isArray = arrays.includes(name) && (await text.peek()) === BRACKET_OPEN;
    if (isArray) yield* subjectsOf(text, name);
    else yield { kind: 'member', name, value: await text.value(DEPTH_MAX) };
  } while (await text.skips(COMMA));
  await text.expect(BRACE_CLOSE);
}

/**
 * Refuses a body that is no object, even if the array that it is goes on. Text that is no JSON gets
 * its own error.
 */
async function refuseOther(text: Window): Promise<void> {
  if ((await text.peek()) !== BRACKET_OPEN) {
    await text.value(DEPTH_MAX);
    await text.end();
  }
  const violation = { code: 'type', detail: 'expected an object', pointer: '' };
  throw new DomainError('body-invalid', { detail: violation.detail, violations: [violation] });
}

async function readName(text: Window, names: Set<string>): Promise<string> {
  if ((await text.peek()) !== QUOTE) throw await text.unexpected();
  const at = text.offset;
  const name = await text.value(1);
  if (typeof name !== 'string' || name === '__proto__') throw malformed('forbidden-key', at);
  if (names.has(name)) throw malformed('duplicate-key', at);
  names.add(name);
  if (names.size > MEMBERS_MAX) {
    throw new DomainError('body-invalid', { detail: `expected at most ${MEMBERS_MAX} members` });
  }
  await text.expect(COLON);
  return name;
}

async function* subjectsOf(text: Window, name: string): AsyncGenerator<JsonBatchPart> {
  await text.expect(BRACKET_OPEN);
  let first = 0;
  let values: unknown[] = [];
  if (!(await text.skips(BRACKET_CLOSE))) {
    do {
      // Before waiting for more, the values read so far are passed on.
      if (text.isDry && values.length > 0) {
        yield { first, kind: 'subjects', name, values };
        first += values.length;
        values = [];
      }
      const here = text.valueHere(DEPTH_MAX - 2);
      values.push(here === undefined ? await text.value(DEPTH_MAX - 2) : here);
    } while (text.skipsHere(COMMA) ?? (await text.skips(COMMA)));
    await text.expect(BRACKET_CLOSE);
  }
  yield { first, kind: 'subjects', name, values };
}

/** The part of the body that is in memory. The methods `…Here` never wait. */
class Window {
  readonly #source: AsyncIterator<Uint8Array>;
  /** Used again and again: what is thrown away waits long for its collection. */
  #room: Buffer = Buffer.of();
  /** The part of the room that is filled. */
  #bytes: Buffer = this.#room;
  #at = 0;
  /** Bytes of the body before the window. */
  #before = 0;
  #hasEnded = false;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  get offset(): number {
    return this.#before + this.#at;
  }

  /** Less than the longest value is left, so reading on may have to wait. */
  get isDry(): boolean {
    return !this.#hasEnded && this.#bytes.length - this.#at < VALUE_BYTES_MAX;
  }

  async begin(): Promise<void> {
    await this.#more();
    if (this.#bytes[0] === 0xef && this.#bytes[1] === 0xbb) throw malformed('byte-order-mark', 0);
    if ((await this.peek()) === undefined) throw malformed('empty', this.offset);
  }

  /** Next byte that is no white space; undefined at the end. */
  async peek(): Promise<number | undefined> {
    for (;;) {
      const found = this.#peekHere();
      if (found !== undefined || this.#hasEnded) return found;
      await this.#more();
    }
  }

  async expect(byte: number): Promise<void> {
    if (!(await this.skips(byte))) throw await this.unexpected();
  }

  async skips(byte: number): Promise<boolean> {
    const isThere = (await this.peek()) === byte;
    if (isThere) this.#at++;
    return isThere;
  }

  skipsHere(byte: number): boolean | undefined {
    const found = this.#peekHere();
    if (found === undefined) return undefined;
    if (found === byte) this.#at++;
    return found === byte;
  }

  async value(depthMax: number): Promise<unknown> {
    for (;;) {
      const value = this.valueHere(depthMax);
      if (value !== undefined) return value;
      if (this.#hasEnded) throw malformed('truncated', this.#before + this.#bytes.length);
      await this.#more();
    }
  }

  /** Undefined where the value's end is not in memory yet; JSON knows no undefined. */
  valueHere(depthMax: number): unknown {
    const first = this.#peekHere();
    if (first === undefined) return undefined;
    const end = endOfValue(this.#bytes, this.#at, this.#hasEnded);
    const bytes = (end === NEEDS_MORE ? this.#bytes.length : end) - this.#at;
    if (bytes > VALUE_BYTES_MAX) {
      const detail = `a value at byte ${this.offset} is longer than ${VALUE_BYTES_MAX} bytes`;
      throw new DomainError('body-too-large', { detail });
    }
    if (end === NEEDS_MORE) return undefined;
    const value = this.#parse(end, depthMax);
    this.#at = end;
    return value;
  }

  async end(): Promise<void> {
    if ((await this.peek()) !== undefined) throw malformed('trailing-data', this.offset);
  }

  async unexpected(): Promise<DomainError> {
    const isEnd = (await this.peek()) === undefined;
    return malformed(isEnd ? 'truncated' : 'syntax', this.offset);
  }

  #peekHere(): number | undefined {
    for (; this.#at < this.#bytes.length; this.#at++) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
    }
    return undefined;
  }

  #parse(end: number, depthMax: number): unknown {
    try {
      return parseStrictJson(this.#bytes.subarray(this.#at, end), { depthMax });
    } catch (error) {
      if (!(error instanceof StrictJsonError)) throw error;
      // A comma or bracket where a value should be: only the value is empty here, not the text.
      const reason = error.reason === 'empty' ? 'syntax' : error.reason;
      throw malformed(reason, this.offset + error.offset);
    }
  }

  async #more(): Promise<void> {
    const rest = this.#bytes.subarray(this.#at);
    const full = rest.length + GATHERED_BYTES;
    // Copied at once: held as they came, pieces of one byte would take a hundred times as much.
    let bytes = withRoom(this.#room, 0, full);
    rest.copy(bytes);
    let used = rest.length;
    while (used < full) {
      const next = await this.#source.next();
      if (next.done === true) {
        this.#hasEnded = true;
        break;
      }
      bytes = withRoom(bytes, used, next.value.length);
      bytes.set(next.value, used);
      used += next.value.length;
    }
    this.#before += this.#at;
    this.#room = bytes;
    this.#bytes = bytes.subarray(0, used);
    this.#at = 0;
    // What was gathered is parsed at once, and many bodies come together.
    await loopTurn();
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

/** The end of the value that begins here; the parser finds any fault inside it. */
function endOfValue(bytes: Buffer, start: number, hasEnded: boolean): number {
  const first = bytes[start];
  if (first === QUOTE) return endOfString(bytes, start);
  if (first !== BRACE_OPEN && first !== BRACKET_OPEN) return endOfWord(bytes, start, hasEnded);
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at) - 1;
      if (at < 0) return NEEDS_MORE;
    } else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
      depth++;
    } else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return NEEDS_MORE;
}

function endOfString(bytes: Buffer, openedAt: number): number {
  for (let at = openedAt + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return NEEDS_MORE;
}

/** Numbers and words end where they no longer go on. */
function endOfWord(bytes: Buffer, start: number, hasEnded: boolean): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const isOver = byte <= 0x20 || byte === COMMA || byte === BRACE_CLOSE || byte === BRACKET_CLOSE;
    if (isOver) return at;
  }
  return hasEnded ? bytes.length : NEEDS_MORE;
}

const malformed = (reason: StrictJsonReason, offset: number): DomainError =>
  new DomainError('json-malformed', { detail: `${reason} at byte ${offset}` });
