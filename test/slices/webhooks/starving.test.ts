/**
 * One tenant whose endpoints hang holds nobody else up (R15). What is decided is counted: how many
 * of whose attempts are under way, and in which look they leave.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import {
  deliveryOf,
  deliveryTable,
  IN_FLIGHT_ENDPOINT_MAX,
  IN_FLIGHT_TENANT_MAX,
  messageOf,
  messageTable,
  sealMessage,
  type WebhookEndpoint,
} from '#slices/webhooks';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { OTHER, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

const WAITING = 10_000;
const ENDPOINTS = 8;

let house: WebhookHouse;
let blackHole: Receiver;
let receiver: Receiver;
beforeEach(async () => {
  house = await openHouse(makeSqliteHarness, { perSecond: 100_000 });
  blackHole = await startReceiver();
  blackHole.reply = () => undefined;
  receiver = await startReceiver();
});
afterEach(async () => {
  await blackHole.close();
  await house.close();
  await receiver.close();
});

async function insert(tenantId: TenantId, endpoints: readonly WebhookEndpoint[], count: number) {
  const at = house.clock.now();
  const messages = Array.from({ length: Math.ceil(count / endpoints.length) }, (_, place) =>
    sealMessage(
      house.secrets,
      messageOf(
        { at, id: `event-${place}`, tenantId },
        { data: {}, eventType: 'aml.batch.completed' },
      ),
    ),
  );
  const deliveries = messages
    .flatMap((message) => endpoints.map((endpoint) => deliveryOf(message, endpoint)))
    .slice(0, count);
  for (let from = 0; from < count; from += 1_000) {
    await house.tables.insertMissing(messageTable, messages.slice(from, from + 1_000));
    await house.tables.insertMissing(deliveryTable, deliveries.slice(from, from + 1_000));
  }
}

test('ten thousand that hang leave the next look to the others', async () => {
  const hanging: WebhookEndpoint[] = [];
  for (let number = 0; number < ENDPOINTS; number++) {
    hanging.push((await house.register(`${blackHole.url}/${number}`)).endpoint);
  }
  const { endpoint } = await house.register(receiver.url, {}, OTHER);
  await insert(TENANT, hanging, WAITING);
  const { dispatcher } = house.worker;
  house.clock.advance(1_000);
  for (let looks = 0; looks < 10; looks++) await dispatcher.look();
  await expect
    .poll(() => blackHole.received.length, { timeout: 20_000 })
    .toBe(IN_FLIGHT_TENANT_MAX);
  await insert(OTHER, [endpoint], 50);
  await dispatcher.look(); // one is enough for as many as an endpoint takes at once
  const taken = () => receiver.received.length;
  await expect.poll(taken, { timeout: 20_000 }).toBe(IN_FLIGHT_ENDPOINT_MAX);
  const delivered = async () =>
    (await house.deliveries(OTHER)).filter(({ status }) => status === 'DELIVERED').length;
  await expect.poll(delivered, { timeout: 20_000 }).toBe(IN_FLIGHT_ENDPOINT_MAX);
  await dispatcher.look();
  await expect.poll(taken, { timeout: 20_000 }).toBe(50);
  expect(blackHole.received).toHaveLength(IN_FLIGHT_TENANT_MAX);
  const byPath = Map.groupBy(blackHole.received, ({ path }) => path);
  for (const calls of byPath.values()) {
    expect(calls.length).toBeLessThanOrEqual(IN_FLIGHT_ENDPOINT_MAX);
  }
});
