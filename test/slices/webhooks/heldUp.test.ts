/** What cannot be read of one tenant holds up no other, and what was leased for it is free. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DomainError } from '#core/kernel';
import { deliveryTable, messageTable } from '#slices/webhooks';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { LIST_EVENT, OTHER, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

let house: WebhookHouse;
let receiver: Receiver;
const altered = new Set<string>();
beforeEach(async () => {
  altered.clear();
  house = await openHouse(makeSqliteHarness, {
    perSecondOf: async (tenantId) => {
      if (altered.has(tenantId)) throw new DomainError('state-altered');
      return 100;
    },
  });
  receiver = await startReceiver();
});
afterEach(async () => {
  await house.close();
  await receiver.close();
});

test('a tenant whose settings are altered ends no look, and is told of now and then', async () => {
  for (const tenantId of [TENANT, OTHER]) await house.register(receiver.url, {}, tenantId);
  altered.add(TENANT);
  await house.tell({ source_id: 'UN_SC' }, LIST_EVENT);
  for (let looks = 0; looks < 4; looks++) await house.send();
  expect(receiver.received.map(({ headers }) => headers['x-service-tenant-id'])).toEqual([OTHER]);
  expect(house.failures).toHaveLength(1);
  altered.clear();
  house.clock.advance(2_000);
  await house.send();
  expect(receiver.received).toHaveLength(2);
});

test('rows whose message could not be read are free at once', async () => {
  await house.register(receiver.url);
  await house.tell({ batch_id: 'b-1' });
  const find = vi.spyOn(house.tables, 'findMany').mockRejectedValueOnce(new Error('away'));
  await house.send();
  expect(find).toHaveBeenCalledWith(messageTable, expect.anything());
  expect(house.failures).toHaveLength(1);
  expect(await house.tables.held(deliveryTable, { limit: 10 })).toEqual([]);
  house.clock.advance(2_000);
  await house.send();
  expect(receiver.received).toHaveLength(1);
});
