/** Many deliveries again by one order (W12). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { changeEndpoint, replayMany, sendTest } from '#slices/webhooks';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Receiver, replyWith, startReceiver } from './receiver.ts';
import { ACTOR, BATCH_EVENT, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

let house: WebhookHouse;
let receiver: Receiver;
beforeEach(async () => {
  house = await openHouse(makeSqliteHarness);
  receiver = await startReceiver();
});
afterEach(async () => {
  await house.close();
  await receiver.close();
});

const orderOf = (endpointId: string, isMissing: boolean) => ({
  actor: ACTOR,
  endpointId,
  from: 0 as EpochMs,
  isMissing,
  perSecond: 100,
  tenantId: TENANT,
  to: (house.clock.now() + 1) as EpochMs,
});

async function switchTo(endpointId: string, isEnabled: boolean): Promise<void> {
  const owner = { sandbox: true, tenantId: TENANT };
  await changeEndpoint(house, { actor: ACTOR, endpointId, owner }, { isEnabled });
  house.clock.advance(300);
}

test('what came while an endpoint was disabled, or failed, arrives when asked for', async () => {
  const { endpoint } = await house.register(receiver.url);
  const { endpointId } = endpoint;
  await house.tell({ batch_id: 'arrived' });
  await house.send();
  receiver.reply = replyWith(400);
  await house.tell({ batch_id: 'failed' });
  await house.send();
  await switchTo(endpointId, false);
  await house.tell({ batch_id: 'unsent' });
  await house.send();
  expect(receiver.received).toHaveLength(2);
  await switchTo(endpointId, true);
  receiver.reply = replyWith(204);
  house.clock.advance(60_000);
  expect(await replayMany(house, orderOf(endpointId, true))).toMatchObject({ count: 2 });
  house.clock.advance(1_000);
  await house.send();
  const bodies = receiver.received.slice(2).map(({ body }) => JSON.parse(body).data.batch_id);
  expect(bodies.toSorted()).toEqual(['failed', 'unsent']);
});

test('what was missed is sent once, keeps what it tells of, and is no test', async () => {
  const { endpoint } = await house.register(receiver.url);
  const { endpointId } = endpoint;
  const other = await house.register(`${receiver.url}/other`);
  const asked = { actor: ACTOR, requestedBy: ACTOR, tenantId: TENANT };
  const eventType = BATCH_EVENT.name;
  await sendTest(house, { ...asked, endpointId: other.endpoint.endpointId, eventType });
  receiver.reply = replyWith(400);
  await house.tell({ batch_id: 'failed' });
  await house.send();
  await switchTo(endpointId, false);
  await house.tell({ batch_id: 'unsent' });
  await house.send();
  await switchTo(endpointId, true);
  receiver.reply = replyWith(204);
  const order = orderOf(endpointId, true);
  expect(await replayMany(house, order)).toMatchObject({ count: 2 });
  expect(await replayMany(house, order)).toMatchObject({ count: 0 });
  house.clock.advance(1_000);
  await house.send();
  expect(await replayMany(house, order)).toMatchObject({ count: 0 });
  const arrived = (await house.deliveries()).filter(
    (one) => one.endpointId === endpointId && one.status === 'DELIVERED',
  );
  expect(arrived.map(({ about }) => about).toSorted()).toEqual(['failed', 'unsent']);
});

test('deliveries of a time are sent again at half of the rate, keys and bytes alike', async () => {
  const { endpoint } = await house.register(receiver.url);
  for (let number = 0; number < 10; number++) await house.tell({ batch_id: `b-${number}` });
  await house.send();
  const first = receiver.received.splice(0);
  expect(first).toHaveLength(10);
  const order = await replayMany(house, orderOf(endpoint.endpointId, false));
  expect(order.count).toBe(10);
  const start = house.clock.now();
  const dueAt = (await house.deliveries())
    .filter(({ replayOf }) => replayOf !== undefined)
    .map((delivery) => (delivery.dueAt ?? 0) - start);
  expect(dueAt.toSorted((a, b) => a - b)).toEqual([0, 20, 40, 60, 80, 100, 120, 140, 160, 180]);
  await house.send();
  const later = (house.clock.now() + 3_600_000) as EpochMs;
  const again = { ...orderOf(endpoint.endpointId, false), to: later };
  expect((await replayMany(house, again)).count).toBe(10);
  const sorted = (all: typeof first) => all.map(({ body }) => body).toSorted();
  expect(sorted(receiver.received)).toEqual(sorted(first));
});
