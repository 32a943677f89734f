/** How long the SDK in the browser waits for a service that is busy, and what it sends again. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';

interface Client {
  submit(formId: string, body: object): Promise<object>;
}
// Written for browsers, whose types are not those of tests.
const SDK = new URL('../../../packages/onboarding-sdk/src/client.ts', import.meta.url).href;
const { Client } = (await import(SDK)) as {
  Client: new (token: string, origin: string) => Client;
};

let stop: () => void = () => undefined;
afterEach(() => stop());

async function clientOf(listener: RequestListener): Promise<Client> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return new Client('token', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test('an order that is in progress is sent again under its key', async () => {
  const keys: unknown[] = [];
  const client = await clientOf((request, response) => {
    keys.push(request.headers['idempotency-key']);
    response.setHeader('Content-Type', 'application/json');
    if (keys.length > 1) return void response.end('{"status":"submitted"}');
    response.writeHead(409, { 'Retry-After': '1' });
    response.end('{"code":"idempotency-key-in-progress"}');
  });
  expect(await client.submit('form', {})).toEqual({ status: 'submitted' });
  expect(keys).toEqual([keys[0], keys[0]]);
});

test.each(['86400', '16'])('a customer is not kept waiting for %s s', async (asked) => {
  let count = 0;
  const client = await clientOf((_, response) => {
    count += 1;
    response.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': asked });
    response.end('{"code":"not-ready"}');
  });
  await expect(client.submit('form', {})).rejects.toMatchObject({ code: 'not-ready', status: 503 });
  expect(count).toBe(1);
});

test('another conflict is told at once', async () => {
  let count = 0;
  const client = await clientOf((_, response) => {
    count += 1;
    response.writeHead(409, { 'Content-Type': 'application/json' });
    response.end('{"code":"form-version-archived"}');
  });
  await expect(client.submit('form', {})).rejects.toMatchObject({ code: 'form-version-archived' });
  expect(count).toBe(1);
});
