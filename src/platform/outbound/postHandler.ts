/**
 * One POST of a call, and as much of its answer as is kept. It reads what comes as it comes, and
 * ends the connection where the answer does not end: nothing is unpacked, and nothing is stored
 * that is not kept.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Connection, PeerHandler } from './peer.ts';

/** Milliseconds for the rest of a body once its status is known. */
const BODY_MS_MAX = 2_000;
/** What is read past the kept bytes, so that a connection may be used again. */
const DRAIN_BYTES_MAX = 16 * 1_024;

/** An answer, with its first bytes. */
export interface PostAnswer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export interface PostOptions {
  readonly bodyBytesMax: number;
  /** Answers of which no body is wanted. */
  readonly isHop: (code: number, headers: IncomingHttpHeaders) => boolean;
}

class PostEnded extends Error {
  override readonly name = 'PostEnded';
}

/** Settles once; what the connection does after it is of no use to anybody. */
export class PostHandler implements PeerHandler {
  connectionOf: () => Connection | undefined = () => undefined;
  /** The connection that it went out on; absent: it went out on none. */
  connection: Connection | undefined;
  readonly answered: Promise<PostAnswer>;
  readonly #settle: PromiseWithResolvers<PostAnswer>;
  readonly #options: PostOptions;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #head: Omit<PostAnswer, 'bytes'> | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(options: PostOptions) {
    this.#options = options;
    this.#settle = Promise.withResolvers<PostAnswer>();
    this.answered = this.#settle.promise;
  }

  /** Nothing is waited for any longer. A status that has come stands. */
  giveUp(reason: Error): void {
    if (this.#head === undefined) this.#settle.reject(reason);
    this.#end();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isEnded) controller.abort(new PostEnded());
    else this.connection = this.connectionOf();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    code: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (code < 200) return; // the answer is still to come
    this.#head = { code, headers };
    if (this.#options.isHop(code, headers)) this.#end();
    else this.#timer = setTimeout(() => this.#end(), BODY_MS_MAX);
  }

  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    const { bodyBytesMax } = this.#options;
    // Copied: the piece is a view of all that was read from the socket.
    if (this.#bytes < bodyBytesMax) {
      this.#pieces.push(Buffer.from(piece.subarray(0, bodyBytesMax - this.#bytes)));
    }
    this.#bytes += piece.length;
    if (this.#bytes > DRAIN_BYTES_MAX) this.#end();
  }

  onResponseEnd(): void {
    this.#controller = undefined; // its connection may be another call's by now
    this.#end();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#head === undefined) this.#settle.reject(this.connection?.failure ?? error);
    this.#end();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    if (this.#head !== undefined) {
      this.#settle.resolve({ ...this.#head, bytes: Buffer.concat(this.#pieces) });
    }
    this.#controller?.abort(new PostEnded());
  }
}
