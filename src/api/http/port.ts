/**
 * The HTTP port: what the gateway needs of a server, and all it ever sees of one. Two adapters,
 * `hyperExpress.ts` (default) and `nodeHttp.ts`; the whole HTTP suite runs on both.
 *
 * Routing, limits, problem documents and bodies' meaning are ours, above this port; framing,
 * backpressure and sockets are the adapter's, below it.
 */
export interface HttpRequest {
  readonly method: string;
  /** Path as received, without query; not decoded. */
  readonly path: string;
  /** Query as received, without `?`; empty when there is none. */
  readonly query: string;
  /** Header by lower-case name; several lines of one name joined by `, `. */
  header(name: string): string | undefined;
  /** Address of the peer of the socket; forwarded headers are not read here. */
  readonly remoteAddress: string;
  /** Fires when the client goes away before the answer is sent. */
  readonly signal: AbortSignal;
  /**
   * The whole body. Throws DomainError `body-too-large` as soon as more than `bytesMax` are
   * declared or came, `body-aborted` when the client left, `body-timeout` when it was too slow,
   * `framing-ambiguous` when its chunks make no sense. A body is read once.
   */
  body(bytesMax: number): Promise<Uint8Array>;
  /** In chunks, with backpressure. Ends normally only if the body came whole; else throws. */
  bodyStream(): AsyncIterable<Uint8Array>;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /**
   * A stream is sent chunked, with backpressure; returned when the client leaves. hyper-express
   * sends the end of the head with the first chunk: a stream whose reader waits begins with one.
   */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array | string>;
  /** Length of a stream, where it is known: sent as Content-Length instead of chunks. */
  readonly bodyBytes?: number;
  /** Once it fires, a stream and its connection end, whatever the reader has left unread. */
  readonly cut?: AbortSignal;
}

/** Never rejects: a failure is a reply too. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpReply>;

/** Replies that the adapter must give before a handler can run (400, 408, 413, 431, 503). */
export type HttpRefusal = (
  code: 'framing-ambiguous' | 'headers-too-large' | 'body-timeout' | 'not-ready' | 'internal',
) => HttpReply;

export interface HttpServerOptions {
  readonly handler: HttpHandler;
  readonly refusal: HttpRefusal;
  readonly headersBytesMax: number;
  /** Whole header block must have come by then. */
  readonly headersTimeoutMs: number;
  /** A body must make progress: no byte for this long ends it with `body-timeout`. */
  readonly bodyIdleTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
}

export interface HttpServer {
  readonly technology: 'hyper-express' | 'node:http';
  /** Port 0 takes a free one; the answer says which. A port in use rejects. */
  listen(at: { host: string; port: number }): Promise<{ port: number }>;
  /** Stops accepting at once, lets running requests finish up to `graceMs`, then closes sockets. */
  close(graceMs: number): Promise<void>;
}
