/** Between the store and its server: passes requests on, and breaks those that a test names. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';

export type Fault =
  /** Answered without asking the server. */
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** The connection goes while the request is still coming. */
  | { readonly kind: 'reset-upload' }
  /** The server does it, and the connection goes before its answer. */
  | { readonly kind: 'lose-answer' }
  /** Half of the answer's body, then the connection goes. */
  | { readonly kind: 'cut-answer' }
  /** Half of it, then nothing more. */
  | { readonly kind: 'fall-silent' }
  /** One bit of the answer's body is another. */
  | { readonly kind: 'flip' };

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

export class FaultyProxy {
  readonly seen: Seen[] = [];
  /** Asked for every request; undefined passes it on. */
  faultOf: (seen: Seen) => Fault | undefined = () => undefined;
  readonly #server: Server;
  readonly #target: string;

  constructor(target: string) {
    this.#target = target;
    this.#server = createServer((incoming, outgoing) => {
      // What a test breaks ends in errors here too.
      this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { headers, method = '', url = '' } = incoming;
    const seen = { headers, method, url };
    this.seen.push(seen);
    const fault = this.faultOf(seen);
    if (fault?.kind === 'reset-upload') {
      await once(incoming, 'data');
      incoming.socket.resetAndDestroy();
      return;
    }
    const body: Buffer[] = [];
    for await (const piece of incoming) body.push(piece);
    if (fault?.kind === 'status') {
      outgoing.writeHead(fault.status).end(fault.body ?? '');
      return;
    }
    const { connection: _c, 'transfer-encoding': _t, expect: _e, ...passed } = headers;
    const answer = await request(`${this.#target}${url}`, {
      body: body.length === 0 ? null : Buffer.concat(body),
      headers: passed,
      method: method as 'GET',
    });
    const content = Buffer.from(await answer.body.arrayBuffer());
    if (fault?.kind === 'lose-answer') {
      incoming.socket.resetAndDestroy();
      return;
    }
    const { connection: _d, 'transfer-encoding': _f, ...given } = answer.headers;
    outgoing.writeHead(answer.statusCode, given);
    if (fault?.kind === 'flip')
      content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 1;
    if (fault?.kind !== 'cut-answer' && fault?.kind !== 'fall-silent') {
      outgoing.end(content);
      return;
    }
    const half = content.subarray(0, content.length >> 1);
    await new Promise((resolve) => outgoing.write(half, resolve));
    if (fault.kind === 'cut-answer') incoming.socket.destroySoon();
  }
}
