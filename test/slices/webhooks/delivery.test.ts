/** An event on its way: signed, sent, judged, written with its evidence; and after failures. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { chainOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { secretBox } from '#platform/secretBox';
import {
  changeEndpoint,
  type DeliveriesAsk,
  deliveryOf,
  deliveryTable,
  disableEndpoint,
  disableFailing,
  endpointTable,
  FAILING_MS_MAX,
  keyOfSecret,
  messageOf,
  NOTICE_MS,
  readDeliveries,
  registerEndpoint,
  replayDelivery,
} from '#slices/webhooks';
import { onEachStore } from '../../storage/eachStore.ts';
import { type Receiver, replyWith, startReceiver } from './receiver.ts';
import {
  ACTOR,
  BATCH_EVENT,
  LIST_EVENT,
  OTHER,
  openHouse,
  TENANT,
  type WebhookHouse,
} from './webhookHouse.ts';

onEachStore((makeHarness) => {
  let house: WebhookHouse;
  let receiver: Receiver;
  beforeEach(async () => {
    house = await openHouse(makeHarness);
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await house.close();
    await receiver.close();
    expect(house.failures).toEqual([]);
  });

  test('an event is delivered with both signatures over the bytes that arrive', async () => {
    const { endpoint, secret } = await house.register(receiver.url);
    await house.tell({ batch_id: 'b-1', hits_total: 3 });
    await house.send();
    const [received] = receiver.received;
    if (received === undefined) throw new Error('nothing came');
    const { body, headers } = received;
    expect(JSON.parse(body)).toMatchObject({
      data: { batch_id: 'b-1', hits_total: 3 },
      event: 'aml.batch.completed',
    });
    const key = keyOfSecret(secret);
    const t = headers['x-service-timestamp'];
    const hex = createHmac('sha256', key).update(`${t}.${body}`).digest('hex');
    expect(headers['x-service-signature']).toBe(`t=${t},v1=${hex}`);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const base64 = createHmac('sha256', key).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${base64}`);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-delivery-attempt': '1',
      'x-service-event-id': headers['webhook-id'],
      'x-service-event-type': 'aml.batch.completed',
      'x-service-idempotency-key': `${headers['webhook-id']}:${endpoint.endpointId}`,
      'x-service-tenant-id': TENANT,
    });
    const [delivery] = await house.deliveries();
    expect(delivery).toMatchObject({
      about: 'b-1',
      attempts: [{ address: '127.0.0.1', attempt: 1, responseCode: 204 }],
      deliveryAttempt: 1,
      lastResponseCode: 204,
      signature: hex,
      status: 'DELIVERED',
    });
    const [attempts] = (await house.trail()).filter(({ action }) => action === 'webhook.attempts');
    const sealed = await house.audit.findBySeq(chainOf(TENANT), attempts?.seq ?? 0);
    expect(JSON.parse(sealed?.body ?? '{}')).toMatchObject({
      attempts: [
        {
          attempt: 1,
          delivery_id: delivery?.deliveryId,
          endpoint_id: endpoint.endpointId,
          event_id: headers['webhook-id'],
          failure_reason: null,
          response_code: 204,
          secret_versions: [1],
          status: 'DELIVERED',
        },
      ],
    });
  });

  test('an event that is handed on twice is one delivery', async () => {
    await house.register(receiver.url);
    for (const _ of [1, 2]) {
      const { clock } = house;
      clock.advance(-1_000);
      await house.tell({ batch_id: 'b-1' }, undefined, { id: 'the-same' });
    }
    await house.send();
    await house.send();
    expect(receiver.received).toHaveLength(1);
    expect(await house.deliveries()).toHaveLength(1);
  });

  test('eight attempts at 0, 1, 6, 36, 156, 756, 4,356 and 25,956 s, and it failed', async () => {
    await house.register(receiver.url);
    receiver.reply = replyWith(503);
    await house.tell({ batch_id: 'b-1' });
    const start = house.clock.now() + 300;
    const waits = [0, 1, 5, 30, 120, 600, 3_600, 21_600];
    for (const [place, seconds] of waits.entries()) {
      // Each look takes 300 ms of it: nothing is due a moment before.
      if (place > 0) {
        house.clock.advance(seconds * 1_000 - 601);
        await house.send();
        expect(receiver.received).toHaveLength(place);
        house.clock.advance(1);
      }
      await house.send();
      expect(receiver.received).toHaveLength(place + 1);
    }
    const [delivery] = await house.deliveries();
    expect(delivery?.attempts.map(({ at }) => (at - start) / 1_000)).toEqual([
      0, 1, 6, 36, 156, 756, 4_356, 25_956,
    ]);
    expect(delivery).toMatchObject({
      deliveryAttempt: 8,
      failureReason: 'exhausted',
      status: 'FAILED',
    });
    house.clock.advance(24 * 3_600_000);
    await house.send();
    const attempts = receiver.received.map(({ headers }) => headers['x-service-delivery-attempt']);
    expect(attempts).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  test('a 410 ends the delivery and disables the endpoint; what waits for it fails', async () => {
    await house.register(receiver.url);
    receiver.reply = replyWith(410, {}, 'gone');
    await house.tell({ batch_id: 'b-1' });
    await house.send();
    const [delivery] = await house.deliveries();
    expect(delivery).toMatchObject({ failureReason: 'http-4xx', lastResponseBody: 'gone' });
    expect(await house.tell({ batch_id: 'b-2' })).toBe(0);
    expect((await house.trail()).map(({ action }) => action)).toContain('webhook.endpoint.changed');
  });

  test('two tenants never see each other’s events, and both hear of a list', async () => {
    const other = await startReceiver();
    await house.register(receiver.url);
    await house.register(other.url, {}, OTHER);
    await house.tell({ batch_id: 'b-1' });
    await house.tell({ source_id: 'DEMO' }, LIST_EVENT);
    await house.send();
    await other.close();
    const eventsOf = ({ received }: Receiver) =>
      received.map(({ headers }) => headers['x-service-event-type']).sort();
    expect(eventsOf(receiver)).toEqual(['aml.batch.completed', 'sanctions.list.updated']);
    expect(eventsOf(other)).toEqual(['sanctions.list.updated']);
    expect(other.received[0]?.headers['x-service-tenant-id']).toBe(OTHER);
    expect(await house.deliveries(OTHER)).toHaveLength(1);
  });

  test('pages by any filter meet each delivery once, latest first', async () => {
    const { endpoint } = await house.register(receiver.url);
    for (let number = 0; number < 5; number++) await house.tell({ batch_id: `b-${number}` });
    await house.send();
    const latestFirst = (await house.deliveries()).map(({ deliveryId }) => deliveryId).toReversed();
    const { endpointId } = endpoint;
    const filters = [
      {},
      { status: 'DELIVERED' },
      { endpointId },
      { endpointId, status: 'DELIVERED' },
    ];
    for (const filter of filters as Partial<DeliveriesAsk>[]) {
      const met: string[] = [];
      for (let after: string | undefined; ; ) {
        const ask = {
          ...filter,
          limit: 2,
          tenantId: TENANT,
          ...(after !== undefined && { after }),
        };
        const { deliveries, next } = await readDeliveries(house, ask);
        met.push(...deliveries.map(({ deliveryId }) => deliveryId));
        after = next;
        if (after === undefined) break;
      }
      expect(met).toEqual(latestFirst);
    }
  });

  test('where two filters meet, each two hundred that are looked at are asked for', async () => {
    const { endpoint } = await house.register(receiver.url);
    const rows = Array.from({ length: 450 }, (_, number) => {
      const source = { at: (house.clock.now() + number) as EpochMs, id: 'x', tenantId: TENANT };
      return deliveryOf(messageOf(source, { data: {}, eventType: BATCH_EVENT.name }), endpoint);
    });
    await house.tables.insertMissing(deliveryTable, rows);
    const ask = { endpointId: endpoint.endpointId, limit: 10, tenantId: TENANT };
    const seen = { ...ask, status: 'FAILED' } as const;
    const looks: string[] = [];
    const mayReadOn = async () => looks.push('look') < 2;
    const short = await readDeliveries(house, { ...seen, mayReadOn });
    expect([short.deliveries, looks.length]).toEqual([[], 2]);
    expect(short.next).toBe(rows.map(({ deliveryId }) => deliveryId).toSorted()[50]);
    const rest = await readDeliveries(house, { ...seen, after: short.next ?? '', mayReadOn });
    expect(rest).toEqual({ deliveries: [] });
    expect((await readDeliveries(house, { ...ask, mayReadOn })).deliveries).toHaveLength(10);
    expect(looks).toHaveLength(2);
  });

  test('the rows of a worker that died are sent by another one', async () => {
    await house.register(receiver.url);
    await house.tell({ batch_id: 'b-1' });
    const [waiting] = await house.deliveries();
    const lane = [TENANT, waiting?.endpointId ?? ''];
    const now = house.clock.now();
    const dead = { holder: 'dead', lane, limit: 10, now };
    expect(await house.tables.lease(deliveryTable, dead)).toHaveLength(1);
    await house.send();
    expect(receiver.received).toHaveLength(1);
    expect(await house.deliveries()).toMatchObject([{ status: 'DELIVERED' }]);
  });

  test('an endpoint that is enabled again has 120 hours anew', async () => {
    const { endpoint } = await house.register(receiver.url);
    const { endpointId } = endpoint;
    receiver.reply = replyWith(404);
    const fail = async (): Promise<void> => {
      await house.tell({ batch_id: 'b-1' });
      await house.send();
    };
    await fail();
    const key = { endpointId, tenantId: TENANT };
    const isFailing = async (from: number) => {
      const stored = await house.tables.find(endpointTable, key);
      expect(stored?.failingSince).toBeGreaterThanOrEqual(from);
    };
    await vi.waitFor(() => isFailing(0), { timeout: 5_000 });
    house.clock.advance(FAILING_MS_MAX);
    for (let times = 0; times < 2; times++) await fail();
    expect(await disableFailing(house)).toBe(0); // told a day before, however late that is
    await fail();
    house.clock.advance(NOTICE_MS);
    expect(await disableFailing(house)).toBe(1);
    const owner = { sandbox: true, tenantId: TENANT };
    await changeEndpoint(house, { actor: ACTOR, endpointId, owner }, { isEnabled: true });
    expect(await disableFailing(house)).toBe(0);
    const enabledAt = house.clock.now();
    house.clock.advance(300);
    await house.tell({ batch_id: 'b-2' });
    await house.send();
    await vi.waitFor(() => isFailing(enabledAt), { timeout: 5_000 });
    expect(await house.tables.find(endpointTable, key)).toMatchObject({ consecutiveFailures: 1 });
    expect(await disableFailing(house)).toBe(0);
  });

  test('what ends unsent is no failure of its endpoint', async () => {
    const { endpoint } = await house.register(receiver.url);
    const { endpointId } = endpoint;
    for (let number = 0; number < 3; number++) await house.tell({ batch_id: `b-${number}` });
    await disableEndpoint(house, endpoint, 'manual');
    await house.send();
    const reasons = (await house.deliveries()).map(({ failureReason }) => failureReason);
    expect(reasons).toEqual(Array(3).fill('endpoint-disabled'));
    await house.worker.close();
    const stored = await house.tables.find(endpointTable, { endpointId, tenantId: TENANT });
    expect(stored?.consecutiveFailures ?? 0).toBe(0);
    expect(stored?.failingToldAt).toBeUndefined();
  });

  test('what cannot be sent any more fails once, and is not sent again', async () => {
    const { endpoint } = await house.register(receiver.url);
    const at = house.clock.now();
    const source = { at, id: 'purged', tenantId: TENANT };
    const gone = deliveryOf(messageOf(source, { data: {}, eventType: BATCH_EVENT.name }), endpoint);
    await house.tables.insertMissing(deliveryTable, [gone]);
    await house.send();
    expect(await house.deliveries()).toMatchObject([
      { attempts: [], failureReason: 'payload-gone', status: 'FAILED' },
    ]);
    const { deliveryId } = gone;
    const ask = { actor: ACTOR, deliveryId, isForced: false, tenantId: TENANT };
    await expect(replayDelivery(house, ask)).rejects.toMatchObject({ code: 'state-conflict' });
  });

  test('a secret that cannot be opened ends what would have been signed with it', async () => {
    const secrets = secretBox([new Uint8Array(32).fill(4)], house.random);
    await registerEndpoint(
      { ...house, secrets },
      { actor: ACTOR, owner: { sandbox: true, tenantId: TENANT } },
      { catalog: 'A', description: '', events: ['*'], isEnabled: true, url: receiver.url },
    );
    await house.tell({ batch_id: 'b-1' });
    await house.send();
    expect(await house.deliveries()).toMatchObject([
      { failureReason: 'secret-unreadable', status: 'FAILED' },
    ]);
    expect(receiver.received).toEqual([]);
  });
});
