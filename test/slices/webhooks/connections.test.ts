/** Which connection an attempt went out on, and how many are opened. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endpointTable } from '#slices/webhooks';
import { createCallers } from '../../../src/slices/webhooks/callers.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

let house: WebhookHouse;
let receiver: Receiver;
let addresses: readonly string[];
beforeEach(async () => {
  addresses = ['127.0.0.1'];
  house = await openHouse(makeSqliteHarness, {
    resolve: async () => addresses.map((address) => ({ address, family: 4 })),
    timeoutMs: 3_000,
  });
  receiver = await startReceiver();
});
afterEach(async () => {
  await house.close();
  await receiver.close();
});

const lastAttempt = async () => (await house.deliveries()).at(-1)?.attempts.at(-1);
const callOf = { body: '{}', headers: {} };

test('it is the address of this attempt, not of the connection that was opened last', async () => {
  addresses = ['127.0.0.2'];
  const url = receiver.url.replace('127.0.0.1', 'localhost');
  const callers = createCallers({ ...house, isSandbox: async () => true });
  const { endpoint } = await house.register(url);
  const answers: (() => void)[] = [];
  receiver.reply = (response) => void answers.push(() => response.writeHead(204).end());
  const answered = (count: number) =>
    expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(count);
  const listening = createServer((socket) => socket.end()).listen(0, '127.0.0.2');
  const caller = await callers.callerOf(endpoint);
  // 127.0.0.2 is this machine, too, and nobody listens there at the receiver's port.
  expect(await caller.call(callOf)).toEqual({ fault: 'connect', redirects: 0 });
  addresses = ['127.0.0.1'];
  const first = caller.call(callOf);
  await answered(1);
  addresses = ['127.0.0.2'];
  expect(await caller.call(callOf)).toEqual({ fault: 'connect', redirects: 0 });
  answers[0]?.();
  expect(await first).toMatchObject({ code: 204, peer: { address: '127.0.0.1' } });
  listening.close();
  await callers.close();
});

test('after a redirect it is the address of the last hop', async () => {
  const second = await startReceiver();
  await second.close();
  await house.register(receiver.url);
  receiver.reply = (response) => void response.writeHead(307, { location: second.url }).end();
  await house.tell({ batch_id: 'b' });
  await house.send();
  expect(await lastAttempt()).toMatchObject({ failureReason: 'connect', redirects: 1 });
  expect(await lastAttempt()).not.toHaveProperty('address'); // nothing was connected to
});

test('attempts that begin together share their connections, and none is left open', async () => {
  let open = 0;
  const server = createServer((socket) => {
    open++;
    socket.on('error', () => undefined).on('close', () => open--);
    socket.on('data', () => socket.write('HTTP/1.1 204 No\r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { endpoint } = await house.register(url);
  const callers = createCallers({ ...house, isSandbox: async () => true });
  const both = await Promise.all([callers.callerOf(endpoint), callers.callerOf(endpoint)]);
  expect(both[0]).toBe(both[1]);
  await Promise.all(both.map((caller) => caller.call(callOf)));
  const key = { endpointId: endpoint.endpointId, tenantId: TENANT };
  expect(await house.tables.find(endpointTable, key)).toBeDefined();
  await callers.close();
  await expect.poll(() => open, { timeout: 5_000 }).toBe(0);
  await new Promise((resolve) => server.close(resolve));
});
