/** Times of attempts (R10), of waits and of secrets, on a clock that is moved. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chainOf } from '#core/kernel';
import { RETRY_DELAYS_MS, rotateSecret, SECRET_OVERLAP_MS } from '#slices/webhooks';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Receiver, replyWith, startReceiver } from './receiver.ts';
import { ACTOR, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

/** A look of the house takes as long, by its clock. */
const LOOK_MS = 300;
const HOUR_S = 3_600;

let house: WebhookHouse;
let receiver: Receiver;
beforeEach(async () => {
  house = await openHouse(makeSqliteHarness, { timeoutMs: 150 });
  receiver = await startReceiver();
});
afterEach(async () => {
  await house.close();
  await receiver.close();
  expect(house.failures).toEqual([]);
});

const only = async () => {
  const [delivery] = await house.deliveries();
  if (delivery === undefined) throw new Error('there is none');
  return delivery;
};

describe.each([
  ['408', replyWith(408), 'timeout'],
  ['429 without a time', replyWith(429), 'rate-limited'],
  ['429 with a time that is none', replyWith(429, { 'retry-after': 'soon' }), 'rate-limited'],
  ['no answer in time', () => undefined, 'timeout'],
] as const)('%s', (_, reply, reason) => {
  test('is tried at 0, 1, 6, 36, 156, 756, 4,356 and 25,956 s', async () => {
    await house.register(receiver.url);
    receiver.reply = reply;
    await house.tell({ batch_id: 'b-1' });
    const start = house.clock.now() + LOOK_MS;
    for (const waitMs of [0, ...RETRY_DELAYS_MS]) {
      house.clock.advance(Math.max(0, waitMs - LOOK_MS));
      await house.send();
    }
    const { attempts, deliveryAttempt, failureReason, status } = await only();
    expect(attempts.map(({ at }) => (at - start) / 1_000)).toEqual([
      0, 1, 6, 36, 156, 756, 4_356, 25_956,
    ]);
    expect(new Set(attempts.map((one) => one.failureReason))).toEqual(new Set([reason]));
    expect([deliveryAttempt, failureReason, status]).toEqual([8, 'exhausted', 'FAILED']);
  });
});

test('hours of 429 are waited for, and the delivery arrives as its first attempt', async () => {
  await house.register(receiver.url);
  receiver.reply = replyWith(429, { 'retry-after': '1800' });
  await house.tell({ batch_id: 'b-1' });
  await house.send();
  for (let half = 1; half <= 10; half++) {
    house.clock.advance(1_799_000);
    await house.send();
    expect(receiver.received).toHaveLength(half); // not a second too soon
    if (half === 10) receiver.reply = replyWith(204);
    house.clock.advance(1_000);
    await house.send();
  }
  expect(await only()).toMatchObject({
    deliveryAttempt: 1,
    rateLimitWaits: 10,
    status: 'DELIVERED',
  });
  const numbers = receiver.received.map(({ headers }) => headers['x-service-delivery-attempt']);
  expect(new Set(numbers)).toEqual(new Set(['1']));
});

test('a day of 429 is enough', async () => {
  await house.register(receiver.url);
  receiver.reply = replyWith(429, { 'retry-after': String(HOUR_S) });
  await house.tell({ batch_id: 'b-1' });
  await house.send();
  while ((await only()).status === 'RETRYING') {
    house.clock.advance(HOUR_S * 1_000);
    await house.send();
  }
  expect(await only()).toMatchObject({ failureReason: 'rate-limited', status: 'FAILED' });
  const count = receiver.received.length;
  expect(count).toBeGreaterThanOrEqual(23);
  expect(count).toBeLessThanOrEqual(24);
});

test('the former secret signs for 24 hours, and not a second longer', async () => {
  const { endpoint } = await house.register(receiver.url);
  const owner = { sandbox: true, tenantId: TENANT };
  const { endpointId } = endpoint;
  await rotateSecret(house, { actor: ACTOR, endpointId, isRevoking: false, owner });
  const told = (await house.trail()).find(({ action }) => action === 'webhook.secret.rotated');
  const sealed = await house.audit.findBySeq(chainOf(TENANT), told?.seq ?? 0);
  expect(JSON.parse(sealed?.body ?? '{}')).toMatchObject({ severity: 'NOTICE' });
  const rotatedAt = house.clock.now();
  const signatures = async (atMs: number) => {
    house.clock.advance(rotatedAt + atMs - house.clock.now() - 1_000 - LOOK_MS);
    await house.tell({ batch_id: `b-${atMs}` });
    await house.send();
    const { headers } = receiver.received.at(-1) ?? {};
    const standard = headers?.['webhook-signature']?.split(' ') ?? [];
    return [headers?.['x-service-signature']?.match(/v1=/g)?.length, standard.length];
  };
  expect(await signatures(2_000)).toEqual([2, 2]);
  expect(await signatures(SECRET_OVERLAP_MS - 1_000)).toEqual([2, 2]);
  expect(await signatures(SECRET_OVERLAP_MS + 1_000)).toEqual([1, 1]);
  expect((await house.deliveries()).at(-1)).toMatchObject({ secretVersions: [2] });
});

test('a leaked secret ends at once; of two live ones the older does', async () => {
  const { endpoint } = await house.register(receiver.url);
  const owner = { sandbox: true, tenantId: TENANT };
  const { endpointId } = endpoint;
  const rotate = (isRevoking: boolean) =>
    rotateSecret(house, { actor: ACTOR, endpointId, isRevoking, owner });
  const versions = async () => {
    await house.tell({ batch_id: 'b' });
    await house.send();
    return (await house.deliveries()).at(-1)?.secretVersions;
  };
  await rotate(true);
  expect(await versions()).toEqual([2]);
  await rotate(false);
  expect(await versions()).toEqual([3, 2]);
  await rotate(true);
  // The receiver that has switched to the third goes on.
  expect(await versions()).toEqual([4, 3]);
  house.clock.advance(SECRET_OVERLAP_MS);
  expect(await versions()).toEqual([4]);
});
