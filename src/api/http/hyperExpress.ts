/**
 * The HTTP port on hyper-express. The default on loopback and behind a proxy; its parser takes some
 * ambiguous framing (docs/decisions/0002-http-adapters.md), so beyond that node:http serves.
 *
 * hyper-express gives the server, TLS and the dispatch; the exchange itself is hyperExchange.ts.
 * The native binary is loaded with the first server that is made, not with this file.
 */
import type {
  HttpRequest as RawRequest,
  HttpResponse as RawResponse,
  us_listen_socket,
} from 'uWebSockets.js';
import { createRequire } from 'node:module';
import type { Request, Response, Server } from 'hyper-express';
import {
  type Framing,
  FramingCheck,
  hasControl,
  isToken,
  parseTarget,
  type Target,
} from './framing.ts';
import { HyperExchange } from './hyperExchange.ts';
import type { HttpServer, HttpServerOptions } from './port.ts';

const require = createRequire(import.meta.url);

type RefusalCode = Parameters<HttpServerOptions['refusal']>[0];
type UWebSockets = typeof import('uWebSockets.js');

/** Throws, with the reason for each candidate, where no binary fits this machine. */
export function loadBinary(): UWebSockets {
  return require('uWebSockets.js') as UWebSockets;
}

export class HyperExpressServer implements HttpServer {
  readonly technology = 'hyper-express';
  readonly #options: HttpServerOptions;
  readonly #exchanges = new Set<HyperExchange>();
  #server: Server | undefined;
  #listenSocket: us_listen_socket | undefined;
  #isClosing = false;
  #closed: Promise<void> | undefined;
  #wakeWhenIdle: (() => void) | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
  }

  async listen(at: { host: string; port: number }): Promise<{ port: number }> {
    const binary = loadBinary();
    const server = this.#createServer();
    this.#server = server;
    // hyper-express binds one host or exclusively, not both; without the flag a second server on
    // the port would silently share it.
    const native = server.uws_instance;
    const listen = native.listen.bind(native);
    Object.assign(native, {
      listen: (host: string, port: number, done: (socket: us_listen_socket | false) => void) =>
        listen(host, port, binary.LIBUS_LISTEN_EXCLUSIVE_PORT, done),
    });
    const socket = await server.listen(at.port, at.host);
    this.#listenSocket = socket;
    return { port: binary.us_socket_local_port(socket) };
  }

  close(graceMs: number): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    const server = this.#server;
    if (server === undefined || this.#listenSocket === undefined) return;
    // Not `shutdown`: it drops requests that still come on open connections, and waits for streams.
    server.close(this.#listenSocket);
    if (this.#exchanges.size > 0) await this.#idleWithin(graceMs);
    for (const exchange of this.#exchanges) exchange.cut();
    // After one turn of the loop the kernel has all that was written.
    await new Promise((resolve) => setImmediate(resolve));
    server.force_close();
  }

  #idleWithin(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#wakeWhenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #createServer(): Server {
    const { tls } = this.#options;
    const { Server: HyperServer } = require('hyper-express') as typeof import('hyper-express');
    const server = new HyperServer({
      // Signals belong to the composition root.
      auto_close: false,
      trust_proxy: false,
      // Limits are the operation's, given to `body`.
      max_body_length: Number.MAX_SAFE_INTEGER,
      ...(tls && { cert_file_name: tls.certFile, key_file_name: tls.keyFile }),
    });
    server.any('/*', (request: Request, response: Response) => {
      this.#onRequest(request, response);
    });
    return server;
  }

  /** Synchronous and inside the native parser: nothing may throw out of it. */
  #onRequest(request: Request, response: Response): void {
    const head = readHead(request.raw as unknown as RawRequest);
    const refusal = this.#refusalOf(head);
    const raw = response.raw as unknown as RawResponse;
    const exchange = new HyperExchange({
      raw,
      method: head.method,
      target: head.target ?? { path: '/', query: '' },
      framing: head.framing ?? { host: '', declaredBytes: 0 },
      headers: head.headers,
      remoteAddress: request.ip,
      bodyIdleTimeoutMs: this.#options.bodyIdleTimeoutMs,
      onDone: (done) => this.#onDone(done),
    });
    this.#exchanges.add(exchange);
    if (refusal !== undefined) {
      exchange.closesConnection = true;
      // In place of hyper-express's own receiver, which would buffer and pause.
      raw.onData(() => undefined);
      void exchange.send(this.#options.refusal(refusal));
      return;
    }
    exchange.closesConnection = this.#isClosing;
    if (head.framing?.declaredBytes !== undefined) {
      void this.#serve(exchange);
      return;
    }
    // The chunk parser takes sizes that it should refuse, so where such a body ends is uncertain.
    // Nothing after it is processed: the answer comes after the parser has read on, and closes.
    exchange.closesConnection = true;
    setImmediate(() => {
      if (!exchange.isOver) void this.#serve(exchange);
    });
  }

  #refusalOf(head: Head): RefusalCode | undefined {
    if (head.bytes > this.#options.headersBytesMax) return 'headers-too-large';
    if (!isToken(head.method) || !head.areValuesClean) return 'framing-ambiguous';
    if (head.framing === undefined || head.target === undefined) return 'framing-ambiguous';
    return undefined;
  }

  async #serve(exchange: HyperExchange): Promise<void> {
    try {
      const reply = await this.#options.handler(exchange);
      if (this.#isClosing) exchange.closesConnection = true;
      await exchange.send(reply);
    } catch {
      // A handler answers its own failures; an error here is a reply that cannot be written.
      await exchange.send(this.#options.refusal('internal'));
    }
  }

  #onDone(exchange: HyperExchange): void {
    this.#exchanges.delete(exchange);
    if (this.#exchanges.size === 0) this.#wakeWhenIdle?.();
  }
}

interface Head {
  readonly method: string;
  readonly headers: Map<string, string>;
  readonly bytes: number;
  /** No control character: the parser lets some through. */
  readonly areValuesClean: boolean;
  readonly framing: Framing | undefined;
  readonly target: Target | undefined;
}

/** Read once, now: the native request is invalid after the callback. */
function readHead(raw: RawRequest): Head {
  const method = raw.getCaseSensitiveMethod();
  const query = raw.getQuery();
  const url = query === undefined ? raw.getUrl() : `${raw.getUrl()}?${query}`;
  const headers = new Map<string, string>();
  const check = new FramingCheck();
  // Method, target, version and the line ends around them.
  let bytes = method.length + url.length + 14;
  let areValuesClean = true;
  raw.forEach((name, value) => {
    check.see(name, value);
    areValuesClean &&= !hasControl(value);
    bytes += name.length + value.length + 4;
    const seen = headers.get(name);
    headers.set(name, seen === undefined ? value : `${seen}, ${value}`);
  });
  // uWebSockets.js answers HTTP/1.0 itself, with 505.
  const framing = check.result(false);
  const target = framing && parseTarget(method, url, framing.host);
  return { method, headers, bytes, areValuesClean, framing, target };
}
