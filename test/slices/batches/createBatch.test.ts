/** Whether a batch can be made now: the bound of those that a tenant has under way. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { type BatchStore, checkOrder, OPEN_BATCHES_PER_TENANT_MAX } from '#slices/batches';
import { listStore } from '#slices/lists';
import { type Lists, openLists } from './pinned.ts';

let lists: Lists;
beforeAll(async () => {
  lists = await openLists();
  await lists.publish('DEMO', { a: 'Zorbandule Kelvorth' });
});
afterAll(() => lists.close());

/** So many of the bank's are under way, and none of another tenant's. */
async function check(tenant: string, open: { readonly running: number; readonly queued: number }) {
  const batch = await lists.start('full');
  const batches: Pick<BatchStore, 'listBatches'> = {
    listBatches: async ({ limit, status, tenantId }) => {
      const isOpen = status === 'running' || status === 'queued';
      const count = isOpen && tenantId === 'bank' ? open[status] : 0;
      return Array.from({ length: Math.min(limit, count) }, () => batch);
    },
  };
  const order = { ...batch, tenantId: tenant as TenantId };
  return checkOrder({ batches, lists: listStore(lists.installation.storage.tables) }, order);
}

test('a tenant has so many batches under way at the most, another one beside it', async () => {
  const running = 40;
  const queued = OPEN_BATCHES_PER_TENANT_MAX - running;
  await expect(check('bank', { queued, running })).rejects.toMatchObject({
    code: 'rate-limited',
    retryAfterS: 5,
  });
  await expect(check('insurer', { queued, running })).resolves.toBeUndefined();
  await expect(check('bank', { queued: queued - 1, running })).resolves.toBeUndefined();
});
