/**
 * multipart/form-data (RFC 7578, 2046) as a stream of parts: never more in memory than a chunk.
 *
 * Strict where two readers could read a form differently: only a line break may stand before the
 * first boundary or after the closing one, each part has one Content-Disposition with a name, and a
 * form without its closing boundary was cut off. Why not busboy (hyper-express brings it): it skips
 * a part whose head it cannot read, where we must refuse the form.
 */
import { DomainError } from '#core/kernel';

export const PARTS_MAX = 8;
export const PART_HEAD_BYTES_MAX = 8_192;
/** RFC 2046, 5.1.1. */
export const BOUNDARY_CHARS_MAX = 70;
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]*[0-9A-Za-z'()+_,./:=?-]$/;
const MEDIA_TYPE = /^multipart\/form-data[ \t]*(?:;|$)/i;
const BOUNDARY_PARAMETER = /;[ \t]*boundary=(?:"([^"\\]*)"|([^\s;"]+))/gi;
const LINE_BREAK = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

export interface FormPart {
  readonly name: string;
  /** The name as it was sent: a label, and never a path. */
  readonly fileName: string | undefined;
}

/** Throws `media-type-unsupported` for another type, `multipart-malformed` for a bad boundary. */
export function boundaryOf(contentType: string | undefined): string {
  if (contentType === undefined || !MEDIA_TYPE.test(contentType)) {
    throw new DomainError('media-type-unsupported', { detail: 'expected multipart/form-data' });
  }
  const found = [...contentType.matchAll(BOUNDARY_PARAMETER)];
  const boundary = found[0]?.[1] ?? found[0]?.[2] ?? '';
  const isBoundary = boundary.length <= BOUNDARY_CHARS_MAX && BOUNDARY.test(boundary);
  if (found.length !== 1 || !isBoundary) {
    throw malformed(`expected one boundary of 1 to ${BOUNDARY_CHARS_MAX} characters`);
  }
  return boundary;
}

/** Parts in order: ask for the next one after the body of the one before was read to its end. */
export class MultipartReader {
  readonly #source: AsyncIterator<Uint8Array>;
  /** The line break belongs to it; that of the first one is thought to be there. */
  readonly #delimiter: Buffer;
  #bytes: Buffer = LINE_BREAK;
  #hasEnded = false;
  #parts = 0;

  constructor(bytes: AsyncIterable<Uint8Array>, boundary: string) {
    this.#source = bytes[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** Undefined after the last part, once the closing boundary and the end of the body came. */
  async next(): Promise<FormPart | undefined> {
    if (this.#parts === 0) await this.#first();
    await this.#atLeast(2);
    if (this.#bytes.toString('latin1', 0, 2) === '--') {
      await this.#end();
      return undefined;
    }
    this.#parts++;
    if (this.#parts > PARTS_MAX) {
      throw new DomainError('body-too-large', { detail: `expected at most ${PARTS_MAX} parts` });
    }
    return parseHead(await this.#head());
  }

  /** Bytes of the part that `next` returned last. */
  async *body(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const end = this.#bytes.indexOf(this.#delimiter);
      if (end !== -1) {
        if (end > 0) yield this.#bytes.subarray(0, end);
        this.#bytes = this.#bytes.subarray(end + this.#delimiter.length);
        return;
      }
      // Bytes that may begin a delimiter stay in the buffer.
      const safe = this.#bytes.length - this.#delimiter.length + 1;
      if (safe > 0) {
        const chunk = this.#bytes.subarray(0, safe);
        this.#bytes = this.#bytes.subarray(safe);
        yield chunk;
      }
      await this.#more();
    }
  }

  async #first(): Promise<void> {
    await this.#atLeast(this.#delimiter.length + LINE_BREAK.length);
    const at = this.#bytes.indexOf(this.#delimiter);
    if (at !== 0 && at !== LINE_BREAK.length) throw malformed('expected the boundary first');
    this.#bytes = this.#bytes.subarray(at + this.#delimiter.length);
  }

  async #head(): Promise<string> {
    for (;;) {
      const end = this.#bytes.indexOf(HEAD_END);
      if (end !== -1 && end <= PART_HEAD_BYTES_MAX) {
        const head = this.#bytes.toString('utf8', 0, end);
        this.#bytes = this.#bytes.subarray(end + HEAD_END.length);
        return head;
      }
      if (this.#bytes.length > PART_HEAD_BYTES_MAX) {
        throw malformed(`expected at most ${PART_HEAD_BYTES_MAX} bytes at the head of a part`);
      }
      await this.#more();
    }
  }

  async #end(): Promise<void> {
    this.#bytes = this.#bytes.subarray(2);
    while (!this.#hasEnded && this.#bytes.length <= LINE_BREAK.length) await this.#more(true);
    if (this.#bytes.length > 0 && !this.#bytes.equals(LINE_BREAK)) {
      throw malformed('something follows the closing boundary');
    }
  }

  async #atLeast(bytes: number): Promise<void> {
    while (this.#bytes.length < bytes) await this.#more();
  }

  async #more(mayEnd = false): Promise<void> {
    const next = await this.#source.next();
    if (next.done !== true) {
      this.#bytes =
        this.#bytes.length > 0 ? Buffer.concat([this.#bytes, next.value]) : asBuffer(next.value);
      return;
    }
    this.#hasEnded = true;
    if (!mayEnd) throw malformed('ends without its closing boundary');
  }
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const malformed = (detail: string): DomainError =>
  new DomainError('multipart-malformed', { detail });

/** A quoted string with its escapes: browsers write %22, curl a backslash. */
const PARAMETER = /;[ \t]*(name|filename)=(?:"((?:[^"\\\r\n]|\\["\\])*)"|([^\s;"]+))/gi;
const DISPOSITION = /^form-data[ \t]*(?:;|$)/i;
const ENCODING = /^(?:7bit|8bit|binary)$/i;

function parseHead(head: string): FormPart {
  const lines = head.split('\r\n');
  if (lines[0]?.trim() !== '') throw malformed('expected a line break after the boundary');
  const headers = new Map<string, string>();
  for (const line of lines.slice(1)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 1 || /\s/.test(name) || headers.has(name)) throw malformed('a head is no head');
    headers.set(name, line.slice(colon + 1).trim());
  }
  const encoding = headers.get('content-transfer-encoding') ?? 'binary';
  if (!ENCODING.test(encoding)) throw malformed('expected no Content-Transfer-Encoding');
  return parseDisposition(headers.get('content-disposition') ?? '');
}

function parseDisposition(disposition: string): FormPart {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain] of disposition.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (parameters.has(key)) throw malformed(`a part has two of ${key}`);
    parameters.set(key, unescaped(quoted ?? plain ?? ''));
  }
  const name = parameters.get('name');
  if (!DISPOSITION.test(disposition) || name === undefined || name === '') {
    throw malformed('expected Content-Disposition: form-data with a name');
  }
  return { fileName: parameters.get('filename'), name };
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\(["\\])/g, '$1').replaceAll(/%22/g, '"');
