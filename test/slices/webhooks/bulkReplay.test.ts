/**
 * An order of many replays is work in steps: at half of the tenant's rate, with its place kept, and
 * nothing is sent twice however often its workers die.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Tables } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  changeEndpoint,
  deliveryTable,
  findReplay,
  orderReplay,
  TenantTokens,
  type WebhookDelivery,
} from '#slices/webhooks';
import { createLocalBuckets } from '../../../src/redis/index.ts';
import { onEachStore } from '../../storage/eachStore.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { freeDead, oneStep, replayMany } from './replays.ts';
import { ACTOR, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

let house: WebhookHouse;
let receiver: Receiver;
const orderOf = (endpointId: string, isMissing = false) => ({
  actor: ACTOR,
  endpointId,
  from: 0 as EpochMs,
  isMissing,
  tenantId: TENANT,
  to: (house.clock.now() + 1) as EpochMs,
});

/** Deliveries of the endpoint that have arrived, made by copying one. */
async function arrived(count: number): Promise<string> {
  const { endpoint } = await house.register(receiver.url);
  await house.tell({ batch_id: 'first' });
  await house.send();
  const [first] = await house.deliveries();
  if (first === undefined) throw new Error('no delivery');
  for (let from = 1; from < count; from += 500) {
    const rows = Array.from({ length: Math.min(500, count - from) }, (_, place) => {
      const number = (from + place).toString(16).padStart(12, '0');
      const deliveryId = `${first.deliveryId.slice(0, 24)}${number}`;
      return { ...first, deliveryId, idempotencyKey: `key-${number}` } satisfies WebhookDelivery;
    });
    await house.tables.insertMissing(deliveryTable, rows);
  }
  house.clock.advance(1_000);
  return endpoint.endpointId;
}

async function replays(): Promise<readonly WebhookDelivery[]> {
  const all: WebhookDelivery[] = [];
  for (let after: readonly (string | number | boolean)[] | undefined; ; ) {
    const page = await house.tables.page(deliveryTable, {
      equal: { tenantId: TENANT },
      index: 'key',
      limit: 1_000,
      ...(after !== undefined && { after }),
    });
    all.push(...page.records);
    after = page.next;
    if (after === undefined) return all.filter(({ replayOf }) => replayOf !== undefined);
  }
}

/** Tables of a process that ends with the write behind so many, after it is done or before. */
function dyingAfter(
  tables: Tables,
  { isDone, writes }: { readonly isDone: boolean; readonly writes: number },
): Tables {
  let left = writes;
  const dying =
    <Args extends readonly unknown[], Answer>(write: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      if (left < 0 || (left === 0 && !isDone)) throw new Error('dead');
      const answer = await write(...args);
      if (left-- === 0) throw new Error('dead');
      return answer;
    };
  return {
    ...tables,
    giveBack: dying(tables.giveBack as never) as Tables['giveBack'],
    insertMissing: dying(tables.insertMissing as never) as Tables['insertMissing'],
  };
}

onEachStore((makeHarness) => {
  beforeEach(async () => {
    house = await openHouse(makeHarness);
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await house.close();
    await receiver.close();
  });

  test('keys and bytes are those of before, and an order sends no replay again', async () => {
    const { endpoint } = await house.register(receiver.url);
    for (let number = 0; number < 10; number++) await house.tell({ batch_id: `b-${number}` });
    await house.send();
    const first = receiver.received.splice(0);
    expect(first).toHaveLength(10);
    expect(await replayMany(house, orderOf(endpoint.endpointId))).toMatchObject({ count: 10 });
    await house.send();
    const later = (house.clock.now() + 3_600_000) as EpochMs;
    const again = { ...orderOf(endpoint.endpointId), to: later };
    expect(await replayMany(house, again)).toMatchObject({ count: 10, state: 'completed' });
    const told = (all: typeof first) =>
      all.map(({ body, headers }) => `${headers['x-service-idempotency-key']} ${body}`).toSorted();
    expect(told(receiver.received)).toEqual(told(first));
    const actions = (await house.trail()).map(({ action }) => action);
    expect(actions.filter((action) => action?.startsWith('webhook.replay'))).toEqual([
      'webhook.replayed',
      'webhook.replay.ended',
      'webhook.replayed',
      'webhook.replay.ended',
    ]);
  });

  test('the answer counts what it finds at once, and says where that is not all', async () => {
    const endpointId = await arrived(2_500);
    const order = await orderReplay(house, orderOf(endpointId));
    expect(order).toMatchObject({ count: 2_000, isCounted: false });
    const small = { ...orderOf(endpointId), eventTypes: ['none'] };
    expect(await orderReplay(house, small)).toMatchObject({ count: 0 });
  });

  test('orders of a tenant send at half of its rate together, whoever does them', async () => {
    const endpointId = await arrived(1_500);
    for (const _ of [1, 2]) await orderReplay(house, orderOf(endpointId));
    const buckets = createLocalBuckets(house.clock);
    const limiter = { take: async (...of: Parameters<typeof buckets.take>) => buckets.take(...of) };
    const workers = [1, 2].map(() => new TenantTokens(limiter, house.clock, 'replays'));
    const start = house.clock.now();
    for (let look = 0; house.clock.now() < start + 10_000; look++) {
      const tokens = workers[look % 2];
      if (!(await oneStep(house, { perSecond: 100, ...(tokens && { tokens }) }))) {
        house.clock.advance(50);
      }
    }
    const sent = (await replays()).length;
    expect(sent).toBeLessThanOrEqual(550);
    expect(sent).toBeGreaterThan(400);
  });

  test('20 workers die at any of their writes: nothing is lost, nothing sent twice', async () => {
    const endpointId = await arrived(1_200);
    const { replayJobId } = await orderReplay(house, orderOf(endpointId));
    let asked = 0;
    const tokens = { giveBack: () => {}, take: async () => (asked++ % 2 === 0 ? 20 : 0) };
    for (let kill = 0; kill < 20; kill++) {
      const tables = dyingAfter(house.tables, { isDone: kill % 2 === 0, writes: kill % 5 });
      for (let isAlive = true; isAlive; ) {
        isAlive = await oneStep(house, { holder: `dead-${kill}`, tables, tokens }).catch(
          () => false,
        );
        house.clock.advance(1_100);
      }
      await freeDead(house);
    }
    const place = { replayJobId, tenantId: TENANT };
    expect(await findReplay(house, place)).toMatchObject({ state: 'running' });
    while ((await findReplay(house, place)).state === 'running') {
      if (!(await oneStep(house))) house.clock.advance(250);
    }
    expect(await findReplay(house, place)).toMatchObject({ count: 1_200, examined: 1_200 });
    const sent = await replays();
    expect(sent).toHaveLength(1_200);
    expect(new Set(sent.map(({ replayOf }) => replayOf)).size).toBe(1_200);
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1_200);
  });

  test('what an order of missing events made is counted once by a repeated step', async () => {
    const { endpoint } = await house.register(receiver.url, { isEnabled: false });
    const { endpointId } = endpoint;
    for (let number = 0; number < 30; number++) await house.tell({ batch_id: `b-${number}` });
    const owner = { sandbox: true, tenantId: TENANT };
    await changeEndpoint(house, { actor: ACTOR, endpointId, owner }, { isEnabled: true });
    house.clock.advance(1_000);
    const { replayJobId } = await orderReplay(house, orderOf(endpointId, true));
    const dead = { holder: 'dead', tables: dyingAfter(house.tables, { isDone: true, writes: 0 }) };
    await expect(oneStep(house, dead)).rejects.toThrow('dead');
    await house.send();
    house.clock.advance(1_100);
    await freeDead(house);
    await oneStep(house);
    const place = { replayJobId, tenantId: TENANT };
    expect(await findReplay(house, place)).toMatchObject({ count: 30, state: 'completed' });
    await house.send();
    expect(receiver.received).toHaveLength(30);
  });

  test('an order whose endpoint is disabled ends, and says why', async () => {
    const endpointId = await arrived(300);
    const { replayJobId } = await orderReplay(house, orderOf(endpointId));
    await oneStep(house);
    const owner = { sandbox: true, tenantId: TENANT };
    await changeEndpoint(house, { actor: ACTOR, endpointId, owner }, { isEnabled: false });
    house.clock.advance(1_000);
    await oneStep(house);
    expect(await findReplay(house, { replayJobId, tenantId: TENANT })).toMatchObject({
      count: 100,
      failure: 'endpoint-disabled',
      state: 'failed',
    });
  });
});
