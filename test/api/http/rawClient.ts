/**
 * A TCP client that says exactly the bytes it is given and keeps what comes back, so that a test
 * sees the wire and not what a polite library makes of it.
 */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export class RawClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  received = '';
  isClosed = false;
  readonly #waiters = new Set<() => void>();

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      this.received += chunk;
      this.#wake();
    });
    // A reset is one of the ways in which a server may end a connection.
    socket.on('error', () => this.#wake());
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.isClosed = true;
        this.#wake();
        resolve();
      });
    });
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const client = new RawClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return client;
  }

  write(bytes: string): void {
    this.socket.write(bytes, 'latin1');
  }

  /** Until `holds`, or the server closed; says which. The time is a backstop for what hangs. */
  async until(holds: () => boolean, withinMs = 60_000): Promise<'held' | 'closed' | 'timeout'> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      if (holds()) return 'held';
      if (this.isClosed) return 'closed';
      const left = deadline - performance.now();
      if (left <= 0) return 'timeout';
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiters.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** The next whole answer; throws where none comes. The time is a backstop for what hangs. */
  async answer(withinMs = 60_000): Promise<RawAnswer> {
    let parsed: { answer: RawAnswer; bytes: number } | undefined;
    let bytesWanted = 0;
    const end = await this.until(() => {
      // A look costs what was received, and megabytes come in many pieces.
      if (this.received.length < bytesWanted) return false;
      parsed = parseAnswer(this.received);
      bytesWanted = bytesAnnounced(this.received);
      return parsed !== undefined;
    }, withinMs);
    if (parsed === undefined) {
      const { length } = this.received;
      throw new Error(`no answer: ${end}, got ${length} bytes: ${this.received.slice(0, 1_000)}`);
    }
    this.received = this.received.slice(parsed.bytes);
    return parsed.answer;
  }

  end(): void {
    this.socket.destroy();
  }

  #wake(): void {
    for (const waiter of this.#waiters) waiter();
    this.#waiters.clear();
  }
}

/** Interim answers (1xx) are answers too; a chunked body is joined. */
export function parseAnswer(text: string): { answer: RawAnswer; bytes: number } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const start = end + 4;
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunked = parseChunked(text, start);
    return chunked && { answer: { status, headers, body: chunked.body }, bytes: chunked.end };
  }
  const length = Number(headers.get('content-length') ?? 0);
  if (text.length < start + length) return undefined;
  const body = text.slice(start, start + length);
  return { answer: { status, headers, body }, bytes: start + length };
}

/** Length of the answer that begins here, where its head says it; 0 where it does not. */
function bytesAnnounced(text: string): number {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return 0;
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1];
  return length === undefined ? 0 : end + 4 + Number(length);
}

function parseChunked(text: string, from: number): { body: string; end: number } | undefined {
  let body = '';
  let at = from;
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    at = lineEnd + 2;
    if (text.length < at + size + 2) return undefined;
    body += text.slice(at, at + size);
    at += size + 2;
    if (size === 0) return { body, end: at };
  }
}

/** How many answers stand in what was received; a torn last one does not count. */
export function countAnswers(text: string): number {
  let count = 0;
  let rest = text;
  for (let parsed = parseAnswer(rest); parsed; parsed = parseAnswer(rest)) {
    if (parsed.answer.status >= 200) count++;
    rest = rest.slice(parsed.bytes);
  }
  return count;
}
