/** All endpoints by one change: two that swap their URLs, and one that is named twice. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type DesiredEndpoint,
  readConfiguration,
  replaceConfiguration,
  replayDelivery,
} from '#slices/webhooks';
import { onEachStore } from '../../storage/eachStore.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { ACTOR, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

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

  const desired = (endpointId: string, path: string): DesiredEndpoint => ({
    catalog: 'A',
    description: '',
    endpointId,
    events: ['*'],
    isEnabled: true,
    url: `${receiver.url}${path}`,
  });
  const replace = (...endpoints: DesiredEndpoint[]) =>
    replaceConfiguration(
      house,
      { actor: ACTOR, owner: { sandbox: true, tenantId: TENANT } },
      endpoints,
    );
  const twoEndpoints = async () => {
    const one = await house.register(`${receiver.url}/1`);
    const two = await house.register(`${receiver.url}/2`);
    return [one.endpoint.endpointId, two.endpoint.endpointId] as const;
  };

  test('two endpoints swap their URLs; two of one URL are refused', async () => {
    const [one, two] = await twoEndpoints();
    await replace(desired(one, '/2'), desired(two, '/1'));
    const { endpoints } = await readConfiguration(house, TENANT);
    const urls = new Map(endpoints.map(({ endpointId, url }) => [endpointId, url]));
    expect([urls.get(one), urls.get(two)]).toEqual([`${receiver.url}/2`, `${receiver.url}/1`]);
    const taken = replace(desired(one, '/1'), desired(two, '/1'));
    await expect(taken).rejects.toMatchObject({ code: 'webhook-taken' });
  });

  test('an endpoint that is named twice is refused, with its place', async () => {
    const [one] = await twoEndpoints();
    await expect(replace(desired(one, '/3'), desired(one, '/4'))).rejects.toMatchObject({
      code: 'body-invalid',
      violations: [{ pointer: '/endpoints/1/endpoint_id' }],
    });
  });

  test('forced replays are numbered, and no two that are ordered at once share a key', async () => {
    const { endpoint } = await house.register(receiver.url);
    await house.tell({ batch_id: 'b-1' });
    await house.send();
    const [first] = await house.deliveries();
    const force = (deliveryId = '') =>
      replayDelivery(house, { actor: ACTOR, deliveryId, isForced: true, tenantId: TENANT });
    const made = await Promise.all([1, 2, 3].map(() => force(first?.deliveryId)));
    await house.send();
    // One that repeats a replay is numbered with them.
    made.push(await force(made[0]?.deliveryId));
    const key = `${first?.eventId}:${endpoint.endpointId}`;
    expect(made.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual(
      [1, 2, 3, 4].map((number) => `${key}:r${number}`),
    );
  });
});
