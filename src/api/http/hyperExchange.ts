/**
 * One request and its answer on hyper-express, written through its raw uWebSockets.js response.
 *
 * Why raw: hyper-express ends an aborted body as if it were complete, keeps only the last of
 * repeated headers, throws where a write follows an abort, and buffers before the body is read.
 * Here the body goes to the strict reader, and one flag decides whether the response may be used.
 *
 * uWebSockets.js calls back synchronously from its parser. Nothing may throw into it, and no answer
 * that closes may be given inside such a call: its parser would go on with the bytes after it.
 */
import type { HttpResponse } from 'uWebSockets.js';
import assert from 'node:assert/strict';
import { DomainError } from '#core/kernel';
import { BodyIntake, EMPTY_BODY, emptyBodyStream } from './bodyIntake.ts';
import { type Framing, isFieldValue, isToken, type Target } from './framing.ts';
import { HyperBody } from './hyperBody.ts';
import { peerAddress } from './peerAddress.ts';
import type { HttpReply, HttpRequest } from './port.ts';
import {
  byteLength,
  isBodiless,
  isFramingHeader,
  isStream,
  returnIterator,
  statusLine,
} from './replyBytes.ts';

/** A longer reply is written piece by piece. */
const PIECE_BYTES = 64 * 1024;

export interface HyperExchangeOptions {
  readonly raw: HttpResponse;
  readonly method: string;
  readonly target: Target;
  readonly framing: Framing;
  readonly headers: Map<string, string>;
  /** As hyper-express read it, while that was possible. */
  readonly remoteAddress: string;
  readonly bodyIdleTimeoutMs: number;
  readonly onDone: (exchange: HyperExchange) => void;
}

export class HyperExchange implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The connection ends with this answer. */
  closesConnection = false;
  readonly #raw: HttpResponse;
  readonly #headers: Map<string, string>;
  readonly #remoteAddress: string;
  readonly #isChunked: boolean;
  readonly #source: HyperBody | undefined;
  readonly #intake: BodyIntake | undefined;
  readonly #onDone: (exchange: HyperExchange) => void;
  #abort: AbortController | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  /** The stream's length was promised: only the socket's end says that it is not all. */
  #isSized = false;
  #wakeOnDrain: (() => void) | undefined;
  /** Answered or aborted: the raw response must not be touched again. */
  #isOver = false;
  #hasLeft = false;
  #hasBegun = false;

  constructor(options: HyperExchangeOptions) {
    this.#raw = options.raw;
    this.#headers = options.headers;
    this.#remoteAddress = options.remoteAddress;
    this.#onDone = options.onDone;
    this.method = options.method;
    this.path = options.target.path;
    this.query = options.target.query;
    options.raw.onAborted(() => this.#left());
    const { declaredBytes } = options.framing;
    this.#isChunked = declaredBytes === undefined;
    if (declaredBytes !== 0) {
      this.#source = new HyperBody(options.raw);
      this.#intake = new BodyIntake(this.#source, {
        declaredBytes,
        idleTimeoutMs: options.bodyIdleTimeoutMs,
      });
      this.#source.feed(this.#intake);
    }
  }

  /** Answered, or the client is gone. */
  get isOver(): boolean {
    return this.#isOver;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  get remoteAddress(): string {
    return peerAddress(this.#remoteAddress);
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

  /** Never rejects after the client has left; throws where the reply itself cannot be written. */
  async send(reply: HttpReply): Promise<void> {
    if (this.#isOver || this.#hasBegun) {
      if (isStream(reply.body)) returnIterator(reply.body[Symbol.asyncIterator]());
      return;
    }
    for (const [name, value] of reply.headers) assertHeader(name, value);
    this.#hasBegun = true;
    // A paused socket must flow again before the response is out of reach.
    this.#intake?.discard();
    this.#source?.beginAnswer();
    const { body } = reply;
    if (this.closesConnection) await this.#parserDone();
    if (this.#isOver) {
      if (isStream(body)) returnIterator(body[Symbol.asyncIterator]());
      return;
    }
    if (!isStream(body)) {
      this.#sendWhole(reply, body);
      return;
    }
    const iterator = body[Symbol.asyncIterator]();
    if (this.method === 'HEAD') {
      returnIterator(iterator);
      this.#raw.cork(() => {
        this.#writeHead(reply);
        if (reply.bodyBytes === undefined) this.#endBodiless();
        else this.#raw.endWithoutBody(reply.bodyBytes, this.closesConnection);
      });
      this.#over();
      return;
    }
    const { bodyBytes, cut } = reply;
    cut?.addEventListener('abort', () => this.#cutOff(), { once: true });
    if (bodyBytes === undefined || this.#isChunked) await this.#sendStream(reply, iterator);
    else await this.#sendSized(reply, iterator, bodyBytes);
  }

  /** At the end of the grace: a stream ends as if its source had, anything else is cut off. */
  cut(): void {
    if (this.#isOver) return;
    if (this.#iterator !== undefined) returnIterator(this.#iterator);
    if (this.#iterator === undefined || this.#isSized) this.#raw.close();
    else this.#endStream();
  }

  /** Closing tells `onAborted`, as if the client had left. */
  #cutOff(): void {
    if (!this.#isOver) this.#raw.close();
  }

  /**
   * A promise may settle inside a call of the native parser, and after an answer that closes it
   * would take the bytes behind for a next request. While an answer is due, it ends the connection
   * instead when such bytes come.
   */
  #parserDone(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  #sendWhole(reply: HttpReply, body: string | Uint8Array): void {
    const isSentInPieces =
      body.length > PIECE_BYTES && !this.#isChunked && !this.#mustNotHaveBody(reply);
    if (isSentInPieces) {
      this.#sendPieces(reply, Buffer.from(body));
      return;
    }
    this.#raw.cork(() => {
      this.#writeHead(reply);
      const closes = this.closesConnection;
      if (isBodiless(reply.status)) this.#endBodiless();
      else if (this.method === 'HEAD') this.#raw.endWithoutBody(byteLength(body), closes);
      else this.#raw.end(body, closes);
    });
    this.#over();
  }

  #mustNotHaveBody(reply: HttpReply): boolean {
    return this.method === 'HEAD' || isBodiless(reply.status);
  }

  /**
   * Sends as fast as the socket takes it, so that it counts as running until the kernel has all of
   * it.
   */
  #sendPieces(reply: HttpReply, body: Buffer): void {
    const sendFrom = (offset: number): boolean => {
      if (this.#isOver) return true;
      const [isTaken, isDone] = this.#raw.tryEnd(body.subarray(offset), body.byteLength);
      if (isDone) this.#over();
      return isTaken;
    };
    this.#raw.onWritable(sendFrom);
    this.#raw.cork(() => {
      this.#writeHead(reply);
      if (this.closesConnection) this.#raw.writeHeader('connection', 'close');
      sendFrom(0);
    });
  }

  /** These binaries read an `undefined` length as a length of 2^63: the argument must be absent. */
  #endBodiless(): void {
    if (this.closesConnection) this.#raw.endWithoutBody(0, true);
    else this.#raw.endWithoutBody();
  }

  #writeHead(reply: HttpReply): void {
    this.#raw.writeStatus(statusLine(reply.status));
    for (const [name, value] of reply.headers) {
      if (!isFramingHeader(name)) this.#raw.writeHeader(name, value);
    }
  }

  async #sendStream(reply: HttpReply, iterator: AsyncIterator<Uint8Array | string>): Promise<void> {
    this.#iterator = iterator;
    this.#raw.onWritable(() => {
      this.#wakeOnDrain?.();
      return true;
    });
    this.#raw.cork(() => {
      this.#writeHead(reply);
      if (this.closesConnection) this.#raw.writeHeader('connection', 'close');
    });
    try {
      for (;;) {
        const { done, value } = await iterator.next();
        if (this.#isOver) return;
        if (done) break;
        // A chunk of no bytes would be the last one.
        if (value.length > 0 && !this.#write(value)) await this.#drained();
        if (this.#isOver) return;
      }
      this.#endStream();
    } catch {
      // The source failed in the middle: without its last chunk the answer is visibly incomplete.
      this.#iterator = undefined;
      if (!this.#isOver) this.#raw.close();
    }
  }

  /** With Content-Length. The socket takes a part of a chunk, and asks for the rest of it. */
  async #sendSized(
    reply: HttpReply,
    iterator: AsyncIterator<Uint8Array | string>,
    bodyBytes: number,
  ): Promise<void> {
    this.#iterator = iterator;
    this.#isSized = true;
    let chunk = Buffer.alloc(0);
    let begin = 0;
    const sendFrom = (offset: number): boolean => {
      if (this.#isOver) return true;
      const [isTaken, isDone] = this.#raw.tryEnd(chunk.subarray(offset - begin), bodyBytes);
      if (isDone) this.#over();
      if (isTaken || isDone) this.#wakeOnDrain?.();
      return isTaken;
    };
    this.#raw.onWritable(sendFrom);
    this.#raw.cork(() => {
      this.#writeHead(reply);
      if (this.closesConnection) this.#raw.writeHeader('connection', 'close');
    });
    try {
      for (let bytes = 0; bytes < bodyBytes && !this.#isOver; bytes += chunk.length) {
        const { done, value } = await iterator.next();
        if (this.#isOver) return;
        assert(!done, 'a stream that is shorter than it promised');
        begin = bytes;
        chunk = Buffer.from(value).subarray(0, bodyBytes - bytes);
        if (chunk.length === 0) continue;
        let isTaken = true;
        this.#raw.cork(() => {
          isTaken = sendFrom(begin);
        });
        if (!isTaken && !this.#isOver) await this.#drained();
      }
      returnIterator(iterator);
    } catch {
      if (!this.#isOver) this.#raw.close();
    }
  }

  #write(chunk: string | Uint8Array): boolean {
    let isTaken = true;
    this.#raw.cork(() => {
      isTaken = this.#raw.write(chunk);
    });
    return isTaken;
  }

  #endStream(): void {
    this.#iterator = undefined;
    this.#raw.cork(() => this.#raw.end(undefined, this.closesConnection));
    this.#over();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeOnDrain = () => {
        this.#wakeOnDrain = undefined;
        resolve();
      };
    });
  }

  #left(): void {
    if (this.#isOver) return;
    this.#hasLeft = true;
    this.#over();
    this.#abort?.abort();
    this.#intake?.fail(new DomainError('body-aborted', { detail: 'the client left' }));
    if (this.#iterator !== undefined) returnIterator(this.#iterator);
    this.#wakeOnDrain?.();
  }

  #over(): void {
    this.#isOver = true;
    this.#source?.release();
    this.#onDone(this);
  }
}

/** uWebSockets.js writes a header unchecked: a line break would split the answer. */
function assertHeader(name: string, value: string): void {
  if (isToken(name) && isFieldValue(value)) return;
  throw new TypeError(`response header ${JSON.stringify(name)}: not allowed in HTTP`);
}
