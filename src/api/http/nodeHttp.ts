/**
 * The HTTP port on node:http. It serves where no uWebSockets.js binary loads, on request, and
 * beyond loopback without a proxy, since its parser refuses ambiguous framing (RFC 9112, 11.2).
 *
 * Refusals that node:http would write as bare text (400, 408, 431) are answered with the gateway's
 * problem documents instead. A refused connection gets only its refusal, and ends.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock } from '#platform/clock';
import { FramingCheck, parseTarget } from './framing.ts';
import { NodeExchange } from './nodeExchange.ts';
import type { HttpReply, HttpServer, HttpServerOptions } from './port.ts';
import { byteLength, isFramingHeader, isStream, statusLine } from './replyBytes.ts';

/** Milliseconds for which a refused client may go on sending before the socket is destroyed. */
const LINGER_MS = 500;

type RefusalCode = Parameters<HttpServerOptions['refusal']>[0];

interface Connection {
  readonly socket: Socket;
  readonly exchanges: Set<NodeExchange>;
  /** Something on it was refused: nothing that follows is processed. */
  isRefused: boolean;
  /** Bytes read when the last request was done: more means that a next one is on its way. */
  bytesReadAtRest: number;
}

export class NodeHttpServer implements HttpServer {
  readonly technology = 'node:http';
  readonly #options: HttpServerOptions;
  readonly #connections = new Map<Socket, Connection>();
  #server: Server | undefined;
  #isClosing = false;
  #closed: Promise<void> | undefined;
  #inFlight = 0;
  #wakeWhenIdle: (() => void) | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
  }

  async listen(at: { host: string; port: number }): Promise<{ port: number }> {
    const server = await this.#createServer();
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...at, exclusive: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return { port: (server.address() as AddressInfo).port };
  }

  close(graceMs: number): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    const server = this.#server;
    this.#isClosing = true;
    if (server === undefined || !server.listening) return;
    // node:http takes a connection for idle whose long answer is not flushed yet, and cuts it.
    server.closeIdleConnections = () => this.#closeIdleConnections();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    if (this.#inFlight > 0) await this.#idleWithin(graceMs);
    for (const { exchanges } of this.#connections.values()) {
      for (const exchange of exchanges) exchange.cut();
    }
    server.closeAllConnections();
    await closed;
  }

  #closeIdleConnections(): void {
    for (const { socket, exchanges, bytesReadAtRest } of this.#connections.values()) {
      if (exchanges.size === 0 && socket.bytesRead === bytesReadAtRest) socket.destroy();
    }
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

  async #createServer(): Promise<Server> {
    const { headersBytesMax, headersTimeoutMs, keepAliveTimeoutMs, tls } = this.#options;
    const options = {
      maxHeaderSize: headersBytesMax,
      headersTimeout: headersTimeoutMs,
      // A body's time is ruled by its progress (bodyIntake.ts), not by its length.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.max(50, Math.min(1_000, headersTimeoutMs / 4)),
      keepAliveTimeout: keepAliveTimeoutMs,
      joinDuplicateHeaders: true,
      // Checked by us: node:http would answer with bare text.
      requireHostHeader: false,
      noDelay: true,
    };
    const server =
      tls === undefined
        ? createServer(options)
        : createTlsServer({
            ...options,
            cert: await readFile(tls.certFile),
            key: await readFile(tls.keyFile),
            minVersion: 'TLSv1.2',
            ALPNProtocols: ['http/1.1'],
          });
    // The size is bounded; a count would silently hide the lines after it from the checks.
    server.maxHeadersCount = 0;
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.#onConnection(socket);
    });
    const onRequest = (request: IncomingMessage, response: ServerResponse) => {
      this.#onRequest(request, response);
    };
    server.on('request', onRequest);
    server.on('checkContinue', (request, response) => {
      response.writeContinue();
      onRequest(request, response);
    });
    // RFC 9110, 10.1.1: an expectation that is not understood may be ignored.
    server.on('checkExpectation', onRequest);
    server.on('connect', (request: IncomingMessage) => this.#onUnserved(request));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      this.#onClientError(error, socket);
    });
    return server;
  }

  #onConnection(socket: Socket): void {
    const connection: Connection = {
      socket,
      exchanges: new Set(),
      isRefused: false,
      bytesReadAtRest: socket.bytesRead,
    };
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      // node:http reports only the current answer, not those that pipelining queued behind it.
      for (const exchange of connection.exchanges) exchange.done();
    });
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined || connection.isRefused) return;
    const check = new FramingCheck();
    const { rawHeaders } = request;
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      check.see(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
    }
    const version = request.httpVersion;
    // The parser also lets 0.9 and 2.0 through, which are other protocols.
    const isHttp1 = version === '1.1' || version === '1.0';
    const framing = isHttp1 ? check.result(version === '1.0') : undefined;
    const target = framing && parseTarget(request.method ?? '', request.url ?? '', framing.host);
    if (framing === undefined || target === undefined) {
      this.#refuse(connection, 'framing-ambiguous');
      return;
    }
    const exchange = new NodeExchange({
      request,
      response,
      target,
      framing,
      bodyIdleTimeoutMs: this.#options.bodyIdleTimeoutMs,
      onDone: (done) => this.#onDone(connection, done),
    });
    connection.exchanges.add(exchange);
    this.#inFlight++;
    exchange.closesConnection = this.#isClosing;
    if (framing.declaredBytes !== undefined) {
      void this.#serve(connection, exchange);
    } else {
      // The parser first reads on to the end of what came: a chunk that makes no sense shows before
      // a handler has run.
      setImmediate(() => void this.#serve(connection, exchange));
    }
  }

  async #serve(connection: Connection, exchange: NodeExchange): Promise<void> {
    if (connection.isRefused) return;
    exchange.isServed = true;
    try {
      const reply = await this.#options.handler(exchange);
      if (this.#isClosing) exchange.closesConnection = true;
      await exchange.send(reply);
    } catch {
      // A handler answers its own failures; an error here is a reply that cannot be written.
      await exchange.send(this.#options.refusal('internal'));
    }
  }

  #onDone(connection: Connection, exchange: NodeExchange): void {
    connection.exchanges.delete(exchange);
    connection.bytesReadAtRest = connection.socket.bytesRead;
    if (exchange.closesConnection && connection.exchanges.size === 0) {
      connection.socket.destroySoon();
    }
    this.#inFlight--;
    if (this.#inFlight === 0) this.#wakeWhenIdle?.();
  }

  /** CONNECT: there is no tunnel here (RFC 9110, 9.3.6); node:http hands over the bare socket. */
  #onUnserved(request: IncomingMessage): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined) request.socket.destroy();
    else this.#refuse(connection, 'framing-ambiguous');
  }

  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (connection.isRefused) return;
    if (error.code === 'HPE_INVALID_EOF_STATE') {
      this.#onTorn(connection);
      return;
    }
    this.#refuse(connection, refusalCode(error.code));
  }

  /** The client has said its last before a request was whole; answers that are due are given. */
  #onTorn(connection: Connection): void {
    connection.isRefused = true;
    const last = [...connection.exchanges].at(-1);
    last?.breakOff('body-aborted');
    if (last === undefined || !last.isServed) connection.socket.destroy();
  }

  /** The last words on a connection; silent where another answer is still to be given on it. */
  #refuse(connection: Connection, code: RefusalCode): void {
    connection.isRefused = true;
    const last = [...connection.exchanges].at(-1);
    if (last !== undefined) {
      last.breakOff('framing-ambiguous');
      // Answers before it are still due, or its own handler runs and says why it failed.
      if (last.isServed || connection.exchanges.size > 1) return;
    }
    const { socket } = connection;
    socket.end(refusalBytes(this.#options.refusal(code)));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }
}

function refusalCode(errorCode: string | undefined): RefusalCode {
  if (errorCode === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (errorCode === 'ERR_HTTP_REQUEST_TIMEOUT') return 'body-timeout';
  return 'framing-ambiguous';
}

/** A whole answer for a socket whose parser has stopped. */
function refusalBytes(reply: HttpReply): Buffer {
  const body = isStream(reply.body) ? '' : reply.body;
  const lines = [`HTTP/1.1 ${statusLine(reply.status)}`];
  for (const [name, value] of reply.headers) {
    if (!isFramingHeader(name)) lines.push(`${name}: ${value}`);
  }
  lines.push(`content-length: ${byteLength(body)}`, 'connection: close');
  lines.push(`date: ${new Date(systemClock.now()).toUTCString()}`, '', '');
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), Buffer.from(body)]);
}
