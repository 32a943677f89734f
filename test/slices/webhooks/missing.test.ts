/** Many deliveries again by one order (W12). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { changeEndpoint, sendTest } from '#slices/webhooks';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Receiver, replyWith, startReceiver } from './receiver.ts';
import { replayMany } from './replays.ts';
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
