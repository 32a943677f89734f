/** A customer's system: answers as it is told, and keeps what came. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Called for each request, once its body is there. */
export type Reply = (response: ServerResponse, received: Received) => void;

export const replyWith =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Reply =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  reply: Reply;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const headers = request.headers as Readonly<Record<string, string>>;
      const one = { body, headers, path: request.url ?? '' };
      received.push(one);
      receiver.reply(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
    port,
    received,
    reply: replyWith(204),
    url: `http://127.0.0.1:${port}/hook`,
  };
  return receiver;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
