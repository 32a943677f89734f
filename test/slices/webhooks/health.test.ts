/** How endpoints fare, as several workers see it, and what people are told of it (W10, W11). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  changeEndpoint,
  disableFailing,
  endpointTable,
  FAILING_MS_MAX,
  failuresOf,
  NOTICE_MS,
} from '#slices/webhooks';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Receiver, replyWith, startReceiver } from './receiver.ts';
import { ACTOR, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

const DAY_MS = 24 * 3_600_000;

let house: WebhookHouse;
let other: WebhookHouse['worker'];
let receiver: Receiver;
let endpointId: string;
beforeEach(async () => {
  house = await openHouse(makeSqliteHarness);
  other = house.openWorker('other');
  receiver = await startReceiver();
  ({ endpointId } = (await house.register(receiver.url)).endpoint);
});
afterEach(async () => {
  await other.close();
  await house.close();
  await receiver.close();
  expect(house.failures).toEqual([]);
});

/** One event, sent by this worker, that ends with this status at once. */
async function sent(status: number, by = house.worker, headers = {}): Promise<void> {
  receiver.reply = replyWith(status, headers);
  await house.tell({ batch_id: 'b' });
  await house.send(by);
}
async function stored() {
  const found = await house.tables.find(endpointTable, { endpointId, tenantId: TENANT });
  if (found === undefined) throw new Error('it is gone');
  return found;
}
async function told(): Promise<readonly string[]> {
  const entries = (await house.trail()).map(({ action }) => action.replace('webhook.', ''));
  return entries.filter((action) => /^endpoint\.(?!created)/.test(action));
}

test('a worker that last saw it fail brings nothing back over another’s successes', async () => {
  await sent(400, other);
  for (let day = 0; day < 5; day++) {
    house.clock.advance(DAY_MS);
    await sent(204);
  }
  await sent(400, other);
  const failedAt = house.clock.now();
  expect(failuresOf(await stored())).toEqual({ failures: 1, failingSince: failedAt });
  expect(await disableFailing(house)).toBe(0);
  house.clock.advance(FAILING_MS_MAX - NOTICE_MS - 1);
  expect(await disableFailing(house)).toBe(0);
  expect(await told()).toEqual([]);
});

test('failures of two workers are three in a row where no success came between', async () => {
  await sent(400, other);
  await sent(400);
  expect(await told()).toEqual([]);
  await sent(204);
  await sent(400, other);
  await sent(400, other);
  expect(await told()).toEqual([]);
  await sent(400);
  expect(await told()).toEqual(['endpoint.failing']);
  for (let more = 0; more < 3; more++) await sent(400, more % 2 === 0 ? other : house.worker);
  expect(await told()).toEqual(['endpoint.failing']);
  await sent(204, other);
  expect(await told()).toEqual(['endpoint.failing', 'endpoint.recovered']);
  expect(failuresOf(await stored())).toEqual({ failures: 0 });
});

test('a success of a worker that knew of no failure ends them, whoever saves last', async () => {
  await sent(400);
  const before = await stored();
  await sent(204, other);
  // The save of a worker that had read the record before that success.
  const { consecutiveFailures, failingSince, lastFailureAt } = before;
  await house.tables.saveWork(endpointTable, {
    key: { endpointId, tenantId: TENANT },
    work: { consecutiveFailures, failingSince, lastFailureAt },
  });
  expect(failuresOf(await stored())).toEqual({ failures: 0 });
});

test('people are told a day before it is disabled, though they know that it fails', async () => {
  for (let times = 0; times < 3; times++) await sent(400);
  house.clock.advance(FAILING_MS_MAX - NOTICE_MS);
  await sent(400);
  expect(await disableFailing(house)).toBe(0);
  expect(await disableFailing(house)).toBe(0);
  expect(await told()).toEqual(['endpoint.failing', 'endpoint.disabling']);
  const toldAt = house.clock.now();
  await sent(400);
  house.clock.advance(toldAt + NOTICE_MS - 1 - house.clock.now());
  expect(await disableFailing(house)).toBe(0);
  house.clock.advance(1);
  expect(await disableFailing(house)).toBe(1);
  expect(await stored()).toMatchObject({ disabledReason: 'failing' });
});

test('a success within that day withdraws the notice', async () => {
  await sent(400);
  house.clock.advance(FAILING_MS_MAX - NOTICE_MS);
  await sent(400);
  await sent(400);
  await disableFailing(house);
  await sent(204, other);
  house.clock.advance(DAY_MS);
  expect(await disableFailing(house)).toBe(0);
  expect(await told()).toEqual(['endpoint.failing', 'endpoint.disabling', 'endpoint.recovered']);
});

test('a quiet endpoint is not disabled for one failure, nor for those of a day', async () => {
  await sent(400);
  house.clock.advance(10 * DAY_MS);
  expect(await disableFailing(house)).toBe(0);
  expect(await told()).toEqual([]);
  await sent(400);
  expect(await disableFailing(house)).toBe(0);
  await sent(400);
  house.clock.advance(FAILING_MS_MAX);
  expect(await disableFailing(house)).toBe(0);
  expect(await told()).toEqual(['endpoint.failing']);
});

test('it is not disabled where nothing has come since people were told', async () => {
  await sent(400);
  house.clock.advance(FAILING_MS_MAX);
  for (let times = 0; times < 2; times++) await sent(400);
  expect(await disableFailing(house)).toBe(0);
  expect(await told()).toContain('endpoint.disabling');
  house.clock.advance(30 * DAY_MS);
  expect(await disableFailing(house)).toBe(0);
  expect((await stored()).disabledReason).toBeUndefined();
});

test('who was down for days tells first, and disables a day later', async () => {
  await sent(400);
  house.clock.advance(10 * DAY_MS);
  for (let times = 0; times < 2; times++) await sent(400);
  expect(await disableFailing(house)).toBe(0);
  const toldAt = house.clock.now();
  await sent(400);
  house.clock.advance(toldAt + NOTICE_MS - 1 - house.clock.now());
  expect(await disableFailing(house)).toBe(0);
  house.clock.advance(1);
  expect(await disableFailing(house)).toBe(1);
  const owner = { sandbox: true, tenantId: TENANT };
  await changeEndpoint(house, { actor: ACTOR, endpointId, owner }, { isEnabled: true });
  house.clock.advance(1_000);
  await sent(400);
  expect(await disableFailing(house)).toBe(0);
  expect((await stored()).disablingToldAt).toBeUndefined();
});

test('429 without a time counts as a failure, 429 with one does not', async () => {
  for (let times = 0; times < 4; times++) {
    await sent(429, house.worker, { 'retry-after': '30' });
    house.clock.advance(1_000);
  }
  expect(failuresOf(await stored())).toEqual({ failures: 0 });
  for (let times = 0; times < 3; times++) await sent(429, times === 1 ? other : house.worker);
  expect(failuresOf(await stored()).failures).toBeGreaterThanOrEqual(3);
  expect(await told()).toEqual(['endpoint.failing']);
});

test.each([301, 308])('%i is told once a URL', async (status) => {
  const moved = (response: Parameters<Receiver['reply']>[0], path: string) =>
    path === '/hook'
      ? response.writeHead(status, { location: '/new' }).end()
      : response.writeHead(204).end();
  receiver.reply = (response, { path }) => void moved(response, path);
  const tell = async () => {
    await house.tell({ batch_id: 'b' });
    await house.send();
  };
  await tell();
  await tell();
  expect((await told()).filter((one) => one === 'endpoint.moved')).toHaveLength(1);
  const owner = { sandbox: true, tenantId: TENANT };
  const url = `${receiver.url}?again`;
  await changeEndpoint(house, { actor: ACTOR, endpointId, owner }, { url });
  expect((await stored()).movedToldAt).toBeUndefined();
});

test('302 and 307 say nothing of tomorrow', async () => {
  for (const status of [302, 307]) {
    receiver.reply = (response, { path }) =>
      void response.writeHead(path === '/hook' ? status : 204, { location: '/new' }).end();
    await house.tell({ batch_id: 'b' });
    await house.send();
  }
  expect(await told()).toEqual([]);
});
