/**
 * One request and its answer on node:http. The server (nodeHttp.ts) has checked the framing; this
 * reads the body, gives the handler's reply to the socket once, and notices when the client leaves.
 */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError } from '#core/kernel';
import { BodyIntake, EMPTY_BODY, emptyBodyStream } from './bodyIntake.ts';
import type { Framing, Target } from './framing.ts';
import { peerAddress } from './peerAddress.ts';
import type { HttpReply, HttpRequest } from './port.ts';
import { byteLength, isBodiless, isFramingHeader, isStream, returnIterator } from './replyBytes.ts';

/** Milliseconds for which an unread body may stream after the answer; then the socket ends. */
const DRAIN_MS_MAX = 5_000;
/**
 * node:http reads field values as Latin-1. Characters beyond ASCII are UTF-8, as on hyper-express.
 */
const HIGH_BYTE = /[\x80-\xff]/;

export interface NodeExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  readonly framing: Framing;
  readonly bodyIdleTimeoutMs: number;
  /** Called once, when the answer is out or the client is gone. */
  readonly onDone: (exchange: NodeExchange) => void;
}

export class NodeExchange implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The connection ends with this answer: the server stops, or bytes after it made no sense. */
  closesConnection = false;
  /** The handler was called. */
  isServed = false;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #intake: BodyIntake | undefined;
  readonly #onDone: (exchange: NodeExchange) => void;
  #abort: AbortController | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  /** The stream's length was promised. */
  #isSized = false;
  #wakeOnDrain: (() => void) | undefined;
  /** The answer is out, or can no longer be given. */
  #isOver = false;
  #hasLeft = false;

  constructor(options: NodeExchangeOptions) {
    this.#request = options.request;
    this.#response = options.response;
    this.#onDone = options.onDone;
    this.method = options.request.method ?? '';
    this.path = options.target.path;
    this.query = options.target.query;
    const { declaredBytes } = options.framing;
    if (declaredBytes !== 0) {
      this.#intake = new BodyIntake(this.#bodySource(), {
        declaredBytes,
        idleTimeoutMs: options.bodyIdleTimeoutMs,
      });
    }
    this.#response.once('close', () => this.done());
  }

  header(name: string): string | undefined {
    const { headers } = this.#request;
    // `headers` is a plain object: 'constructor' is no header.
    if (!Object.hasOwn(headers, name)) return undefined;
    const value = headers[name];
    const line = typeof value === 'object' ? value.join(', ') : value;
    if (line === undefined || !HIGH_BYTE.test(line)) return line;
    return Buffer.from(line, 'latin1').toString('utf8');
  }

  get remoteAddress(): string {
    return peerAddress(this.#request.socket.remoteAddress ?? '');
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#hasLeft) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  async body(bytesMax: number): Promise<Uint8Array> {
    return this.#intake?.body(bytesMax) ?? EMPTY_BODY;
  }

  bodyStream(): AsyncIterable<Uint8Array> {
    return this.#intake?.bodyStream() ?? emptyBodyStream();
  }

  /** The parser stopped after this request's head: inside its body, or behind it. */
  breakOff(code: 'framing-ambiguous' | 'body-aborted'): void {
    this.closesConnection = true;
    if (!this.#request.complete) this.#intake?.fail(new DomainError(code));
  }

  /** Never rejects: what cannot be written any more is dropped. */
  async send(reply: HttpReply): Promise<void> {
    if (this.#isOver || this.#response.headersSent) {
      if (isStream(reply.body)) returnIterator(reply.body[Symbol.asyncIterator]());
      return;
    }
    this.#drainUnreadBody();
    const { body, status } = reply;
    if (isStream(body)) {
      this.#response.writeHead(status, this.#headerLines(reply, reply.bodyBytes));
      reply.cut?.addEventListener('abort', () => this.#cutOff(), { once: true });
      await this.#sendStream(body, reply.bodyBytes);
      return;
    }
    const bytes = isBodiless(status) ? undefined : byteLength(body);
    this.#response.writeHead(status, this.#headerLines(reply, bytes));
    // node:http drops the bytes of an answer to HEAD and of a bodiless status by itself.
    this.#response.end(body);
  }

  /** At the end of the grace: a stream ends as if its source had, anything else is cut off. */
  cut(): void {
    if (this.#isOver) return;
    if (this.#iterator === undefined) {
      this.#request.socket.destroy();
      this.done();
      return;
    }
    returnIterator(this.#iterator);
    this.#iterator = undefined;
    // Where a length was promised, only the socket's end says that it is not all.
    if (this.#isSized) this.#request.socket.destroy();
    else this.#response.end();
  }

  /** The socket's end tells `done`, as if the client had left. */
  #cutOff(): void {
    if (!this.#isOver) this.#request.socket.destroy();
  }

  /** The answer is out, or the socket is gone. */
  done(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#response.writableFinished) {
      this.#hasLeft = true;
      this.#abort?.abort();
      this.#intake?.fail(new DomainError('body-aborted', { detail: 'the client left' }));
      if (this.#iterator !== undefined) returnIterator(this.#iterator);
    }
    this.#wakeOnDrain?.();
    this.#onDone(this);
  }

  #headerLines(reply: HttpReply, contentLength: number | undefined): string[] {
    const lines: string[] = [];
    for (const [name, value] of reply.headers) {
      if (!isFramingHeader(name)) lines.push(name, value);
    }
    if (contentLength !== undefined) lines.push('content-length', String(contentLength));
    if (this.closesConnection) lines.push('connection', 'close');
    return lines;
  }

  async #sendStream(
    body: AsyncIterable<Uint8Array | string>,
    bytesExpected: number | undefined,
  ): Promise<void> {
    const iterator = body[Symbol.asyncIterator]();
    if (this.method === 'HEAD') {
      returnIterator(iterator);
      this.#response.end();
      return;
    }
    this.#iterator = iterator;
    this.#isSized = bytesExpected !== undefined;
    // A stream of events may stay silent for long: its reader needs to know that it is open.
    this.#response.flushHeaders();
    let bytes = 0;
    try {
      for (;;) {
        const { done, value } = await iterator.next();
        if (this.#isOver || this.#iterator === undefined) return;
        if (done) break;
        bytes += byteLength(value);
        if (!this.#response.write(value)) await this.#drained();
      }
      this.#iterator = undefined;
      assert(bytesExpected === undefined || bytes === bytesExpected, 'a stream of another length');
      this.#response.end();
    } catch {
      // The source failed in the middle: without its last chunk the answer is visibly incomplete.
      this.#iterator = undefined;
      this.#request.socket.destroy();
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#response.off('drain', wake);
        this.#wakeOnDrain = undefined;
        resolve();
      };
      this.#wakeOnDrain = wake;
      this.#response.once('drain', wake);
    });
  }

  #bodySource() {
    let isAttached = false;
    return {
      pause: () => {
        this.#request.pause();
      },
      resume: () => {
        if (!isAttached) {
          isAttached = true;
          this.#attach();
        }
        this.#request.resume();
      },
    };
  }

  #attach(): void {
    const request = this.#request;
    request.on('data', (chunk: Uint8Array) => this.#intake?.push(chunk));
    request.once('end', () => {
      if (request.complete) this.#intake?.finish();
    });
    const abort = () => {
      if (request.complete && request.readableEnded) return;
      this.#intake?.fail(new DomainError('body-aborted', { detail: 'the client left' }));
    };
    request.once('error', abort);
    request.once('close', abort);
  }

  /** An answer before the body's end: the rest flows past, for a bounded time. */
  #drainUnreadBody(): void {
    if (this.#intake === undefined || this.#request.complete) return;
    this.#intake.discard();
    const { socket } = this.#request;
    if (this.closesConnection) return;
    const timer = setTimeout(() => socket.destroy(), DRAIN_MS_MAX).unref();
    this.#request.once('close', () => clearTimeout(timer));
  }
}
