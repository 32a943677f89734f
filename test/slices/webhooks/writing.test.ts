/** What attempts come to when the store or the time play tricks: told once, and given back. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entry, StaleChange } from '#core/audit';
import { chainOf } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import {
  type ArrivalAsk,
  Arrivals,
  arrivalTable,
  changeEndpoint,
  checkArrivals,
  deliveryTable,
  disableEndpoint,
  fanOut,
  sendTest,
} from '#slices/webhooks';
import { judgedAttempt } from '../../../src/slices/webhooks/attempt.ts';
import { type FlushPorts, writeAttempts } from '../../../src/slices/webhooks/flush.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Receiver, replyWith, startReceiver } from './receiver.ts';
import { ACTOR, BATCH_EVENT, OTHER, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

const HOUR_MS = 3_600_000;

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

async function attemptsTold(): Promise<readonly object[]> {
  const entries = (await house.trail()).filter(({ action }) => action === 'webhook.attempts');
  const events = await Promise.all(
    entries.map(({ seq }) => house.audit.findBySeq(chainOf(TENANT), seq)),
  );
  return events.flatMap((event) => JSON.parse(event?.body ?? '').attempts as object[]);
}

/** A delivery under a lease of ours, with the attempt that is to be written. */
async function leasedAttempt() {
  const { endpointId } = (await house.register(receiver.url)).endpoint;
  await house.tell({ batch_id: 'b-1' });
  const now = house.clock.now();
  const ask = { holder: 'me', lane: [TENANT, endpointId], limit: 1, now };
  const [row] = await house.tables.lease(deliveryTable, ask);
  if (row === undefined) throw new Error('nothing is due');
  const { record } = row;
  const nextAttemptAt = (now + 1_000) as typeof now;
  const next = {
    ...record,
    attempts: [{ at: now, attempt: 1, durationMs: 3, redirects: 0, responseCode: 500 }],
    deliveryAttempt: 1,
    firstAttemptAt: now,
    nextAttemptAt,
    status: 'RETRYING' as const,
    version: record.version + 1,
  };
  const member = { attempt: 1, delivery_id: record.deliveryId };
  return { claim: row.lease, isGone: false, isMade: true, isTelling: true, member, next };
}

const failed = (): Error => new Error('the store did not answer');
const portsWith = (commit: FlushPorts['commit']): FlushPorts => ({
  ...house,
  commit,
  keptArrivals: async () => new Set(),
  onFailure: () => undefined,
});

test('members of an attempt stand in the order in which they are signed', async () => {
  const { next } = await leasedAttempt();
  for (const about of [{}, { about: 'b-1', isTest: true as const }]) {
    const { member } = judgedAttempt(
      { ...next, ...about },
      {
        durationMs: 3,
        endedAt: house.clock.now(),
        result: { body: '', code: 204, headers: {}, redirects: 0 },
        signed: {
          bodySha256: '0'.repeat(64),
          headers: {},
          secretVersions: [1],
          signature: '',
          timestampUnix: 0,
        },
        startedAt: house.clock.now(),
      },
    );
    expect(JSON.stringify(member)).toBe(canonicalJson(member));
  }
});

test('a commit that was made, and reported as failed, is not made again', async () => {
  const done = await leasedAttempt();
  let calls = 0;
  const ports = portsWith(async (chainId, of) => {
    const committed = await house.commit(chainId, of);
    if (++calls === 1) throw failed();
    return committed;
  });
  await writeAttempts(ports, TENANT, [done]);
  expect(await attemptsTold()).toHaveLength(1);
  expect(await house.deliveries()).toMatchObject([{ status: 'RETRYING', version: 2 }]);
  // It was given back: it is due at its time.
  const lane = [TENANT, done.next.endpointId];
  const ask = { holder: 'other', lane, limit: 1, now: done.next.nextAttemptAt };
  expect(await house.tables.lease(deliveryTable, ask)).toHaveLength(1);
});

test('one that was not made is made', async () => {
  const done = await leasedAttempt();
  let calls = 0;
  const ports = portsWith((chainId, of) => {
    if (++calls === 1) return Promise.reject(failed());
    return house.commit(chainId, of);
  });
  await writeAttempts(ports, TENANT, [done]);
  expect(await attemptsTold()).toHaveLength(1);
  expect(await house.deliveries()).toMatchObject([{ status: 'RETRYING', version: 2 }]);
});

test('what another worker wrote first stays, and the attempt is told once', async () => {
  const done = await leasedAttempt();
  let calls = 0;
  const ports = portsWith(async (chainId, of) => {
    if (++calls === 1) throw new StaleChange(0);
    const committed = await house.commit(chainId, of);
    if (calls === 2) throw failed();
    return committed;
  });
  await writeAttempts(ports, TENANT, [done]);
  expect(calls).toBe(3);
  expect(await attemptsTold()).toHaveLength(1);
  expect(await house.deliveries()).toMatchObject([{ status: 'PENDING', version: 1 }]);
});

test('a retry that comes a day late is not sent', async () => {
  await house.register(receiver.url);
  receiver.reply = replyWith(503);
  await house.tell({ batch_id: 'b-1' });
  await house.send();
  house.clock.advance(24 * HOUR_MS); // every worker was down
  await house.send();
  expect(receiver.received).toHaveLength(1);
  expect(await house.deliveries()).toMatchObject([
    { deliveryAttempt: 1, failureReason: 'expired-24h', status: 'FAILED' },
  ]);
});

test('one that comes within the day is', async () => {
  await house.register(receiver.url);
  receiver.reply = replyWith(503);
  await house.tell({ batch_id: 'b-1' });
  await house.send();
  house.clock.advance(24 * HOUR_MS - 1_000);
  receiver.reply = replyWith(204);
  await house.send();
  expect(await house.deliveries()).toMatchObject([{ status: 'DELIVERED' }]);
});

test('a batch’s webhook has arrived for good, not for the 90 days of its deliveries', async () => {
  const asked = { about: 'b-1', eventType: BATCH_EVENT.name, tenantId: TENANT };
  const hasArrived = (of: ArrivalAsk) => new Arrivals(house.held).hasArrived(of);
  const { endpoint } = await house.register(receiver.url);
  receiver.reply = replyWith(400);
  await house.tell({ batch_id: 'b-1' });
  await house.send();
  const requested = { actor: ACTOR, endpointId: endpoint.endpointId, requestedBy: ACTOR };
  receiver.reply = replyWith(204);
  await sendTest(house, { ...requested, eventType: BATCH_EVENT.name, tenantId: TENANT });
  await house.send();
  expect(await hasArrived(asked)).toBe(false);
  await house.tell({ batch_id: 'b-1' });
  await house.send();
  expect(await hasArrived(asked)).toBe(true);
  expect(await hasArrived({ ...asked, about: 'b-2' })).toBe(false);
  expect(await hasArrived({ ...asked, tenantId: OTHER })).toBe(false);
  house.clock.advance(91 * 24 * HOUR_MS);
  while ((await house.tables.purge(deliveryTable, house.clock.now())) > 0);
  expect(await house.deliveries()).toEqual([]);
  expect(await hasArrived(asked)).toBe(true);
});

test('an arrival that no signed entry tells of counts for nothing, and is named', async () => {
  const asked = { about: 'b-1', eventType: BATCH_EVENT.name, tenantId: TENANT };
  await house.register(receiver.url);
  receiver.reply = replyWith(500);
  await house.tell({ batch_id: 'b-1' });
  await house.send();
  const [delivery] = await house.deliveries();
  const forged = { ...asked, arrivedAt: house.clock.now(), deliveryId: delivery?.deliveryId ?? '' };
  await house.commit(chainOf(TENANT), {
    bus: [],
    changes: [arrivalTable.insert(forged)],
    events: [entry(house, { action: 'webhook.tested', actor: ACTOR, target: 'another' })],
  });
  expect(await new Arrivals(house.held).hasArrived(asked)).toBe(false);
  const { refusals } = await checkArrivals(house.held, TENANT);
  expect(refusals).toEqual([expect.stringContaining(forged.deliveryId)]);
  // One of another batch does not become this one's.
  receiver.reply = replyWith(204);
  await house.tell({ batch_id: 'b-2' });
  await house.send();
  await house.harness.alter('webhook_arrival', '"about":"b-2"', '"about":"b-3"');
  const other = { ...asked, about: 'b-3' };
  expect(await new Arrivals(house.held).hasArrived(other)).toBe(false);
});

test('an endpoint of a moment ago gets its test, and the event after it', async () => {
  const { dispatcher, endpoints } = house.worker;
  await endpoints.of(TENANT, 0); // a look before it was there
  const { endpointId } = (await house.register(receiver.url)).endpoint;
  await sendTest(house, { actor: ACTOR, endpointId, requestedBy: ACTOR, tenantId: TENANT });
  await dispatcher.look();
  await dispatcher.settled();
  expect(await house.deliveries()).toMatchObject([{ isTest: true, status: 'DELIVERED' }]);
  const told = { createdAt: house.clock.now(), id: 'first', partition: TENANT };
  const ports = { ...house, endpoints, means: {}, wake: () => undefined };
  const event = { ...told, payload: { batch_id: 'b-1' }, topic: BATCH_EVENT.topic };
  expect(await fanOut(ports, BATCH_EVENT, event)).toBe(1);
});

test('one that was enabled a moment ago is sent to', async () => {
  const { endpoint } = await house.register(receiver.url);
  const { endpointId } = endpoint;
  await disableEndpoint(house, endpoint, 'manual');
  const { dispatcher, endpoints } = house.worker;
  await endpoints.of(TENANT, 0);
  const owner = { sandbox: true, tenantId: TENANT };
  await changeEndpoint(house, { actor: ACTOR, endpointId, owner }, { isEnabled: true });
  await sendTest(house, { actor: ACTOR, endpointId, requestedBy: ACTOR, tenantId: TENANT });
  await dispatcher.look();
  await dispatcher.settled();
  expect(await house.deliveries()).toMatchObject([{ status: 'DELIVERED' }]);
});
