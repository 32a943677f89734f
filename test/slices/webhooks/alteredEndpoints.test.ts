/**
 * Whoever can write the database aims an endpoint elsewhere, takes events from it, or its record
 * away. Nothing is sent to what no signed entry made so, nothing of it is signed anew, and what
 * waits is sent once the endpoint is as it was.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { chainOf, type TableChange } from '#core/kernel';
import {
  changeEndpoint,
  endpointTable,
  findEndpoint,
  messageTable,
  removeEndpoint,
  revealSecret,
  rotateSecret,
} from '#slices/webhooks';
import { onEachStore } from '../../storage/eachStore.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { ACTOR, BATCH_EVENT, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

const ALTERED = { code: 'state-altered' };
const owner = { sandbox: true, tenantId: TENANT };

onEachStore((makeHarness) => {
  let house: WebhookHouse;
  let receiver: Receiver;
  let elsewhere: Receiver;
  let endpointId: string;
  beforeEach(async () => {
    house = await openHouse(makeHarness);
    receiver = await startReceiver();
    elsewhere = await startReceiver();
    ({ endpointId } = (await house.register(receiver.url, { events: ['*'] })).endpoint);
  });
  afterEach(async () => {
    await house.close();
    await receiver.close();
    await elsewhere.close();
  });

  const alter = (from: string, to: string): Promise<number> =>
    house.harness.alter('webhook_endpoint', from, to);
  /** A change beside an entry that is not about it. */
  const past = (change: TableChange): Promise<unknown> =>
    house.commit(chainOf(TENANT), {
      bus: [],
      changes: [change],
      events: [entry(house, { action: 'webhook.tested', actor: ACTOR, target: 'another' })],
    });
  const aim = async (): Promise<void> => {
    expect(await alter(receiver.url, elsewhere.url)).toBe(1);
  };
  const refusals = async () => (await house.check()).refusals;

  test('nothing is delivered to an address that was changed past the service', async () => {
    await house.tell({ batch_id: 'b-1' });
    await aim();
    const worker = house.openWorker('started after it');
    await house.send(worker);
    expect(elsewhere.received).toEqual([]);
    expect(await house.deliveries()).toMatchObject([{ status: 'PENDING' }]);
    expect(worker.altered).toEqual([expect.stringContaining(endpointId)]);
    expect(await refusals()).toEqual([expect.stringContaining('not what the entry seq 1 made it')]);
    await alter(elsewhere.url, receiver.url);
    house.clock.advance(5_000);
    await house.send(worker);
    expect(receiver.received).toHaveLength(1);
    expect(elsewhere.received).toEqual([]);
    expect(await refusals()).toEqual([]);
    await worker.close();
  });

  test('one that was put back as it once was is found', async () => {
    const { url } = elsewhere;
    await changeEndpoint(house, { actor: ACTOR, endpointId, owner }, { url });
    await house.send();
    await alter(url, receiver.url);
    await alter('"generation":2', '"generation":1');
    await alter('"version":2', '"version":1');
    await house.tell({ batch_id: 'b-1' });
    const worker = house.openWorker('started after it');
    await house.send(worker);
    expect(receiver.received).toEqual([]);
    expect(await refusals()).toEqual([expect.stringContaining('entry seq 2')]);
    await worker.close();
  });

  test('what an altered one misses is kept, for it to be asked for', async () => {
    await alter('"events":["*"]', '"events":["sanctions.list.updated"]');
    const worker = house.openWorker('started after it');
    await house.tell({ batch_id: 'b-1' }, BATCH_EVENT, { by: worker });
    expect(await house.deliveries()).toEqual([]);
    const ask = { equal: { tenantId: TENANT }, index: 'key', limit: 10 };
    const { records } = await house.tables.page(messageTable, ask);
    expect(records).toMatchObject([{ about: 'b-1', eventType: 'aml.batch.completed' }]);
    await worker.close();
  });

  test('no change of a person goes on from it, and no secret of it is shown', async () => {
    await aim();
    await alter('"isRevealable":false', '"isRevealable":true');
    const ask = { actor: ACTOR, endpointId, owner };
    await expect(changeEndpoint(house, ask, { description: 'ours' })).rejects.toMatchObject(
      ALTERED,
    );
    await expect(rotateSecret(house, { ...ask, isRevoking: false })).rejects.toMatchObject(ALTERED);
    await expect(revealSecret(house, ask)).rejects.toMatchObject(ALTERED);
    // The way out: it is removed, and registered anew.
    await removeEndpoint(house, ask);
    await house.register(receiver.url);
    expect(await refusals()).toEqual([]);
  });

  test('one whose record was taken away is missed, and what waits goes on waiting', async () => {
    await house.tell({ batch_id: 'b-1' });
    await past(endpointTable.remove({ endpointId, tenantId: TENANT }, 1));
    const worker = house.openWorker('started after it');
    await house.send(worker);
    expect(await house.deliveries()).toMatchObject([{ status: 'PENDING' }]);
    expect(worker.altered).toEqual([expect.stringContaining('its record is gone')]);
    expect(await refusals()).toEqual([expect.stringContaining('its record is gone')]);
    await worker.close();
  });

  test('one that was removed is not brought back', async () => {
    const stored = await findEndpoint(house, { endpointId, tenantId: TENANT });
    await removeEndpoint(house, { actor: ACTOR, endpointId, owner });
    await past(endpointTable.insert(stored));
    expect(await refusals()).toEqual([expect.stringContaining('took it away')]);
  });
});
