/** A customer file at the command line's desk: one batch of it, and one word to the workers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTenantDirectory, identityStore } from '#core/identity';
import { batchStore } from '#slices/batches';
import { listStore } from '#slices/lists';
import { screeningSettings } from '#slices/screening';
import { createBatchDesk } from '../../../../src/slices/batches/edge/batchDesk.ts';
import { createAdministration } from '../../../../src/slices/tenants/administration.ts';
import { type Lists, openLists } from '../pinned.ts';

let lists: Lists;
beforeAll(async () => {
  lists = await openLists();
  await lists.publish('DEMO', { a: 'Zorbandule Kelvorth' });
});
afterAll(() => lists.close());

async function* file() {
  yield Buffer.from('external_id,full_name\nC-1,Zorbandule Kelvorth\n');
}

test('a batch is made, and the workers hear of it once, before the command ends', async () => {
  const { installation } = lists;
  const { audit, clock, settings, storage } = installation;
  const heard: string[] = [];
  const desk = createBatchDesk({
    ...installation,
    batches: batchStore(storage.tables),
    lists: listStore(storage.tables),
    baseUrlOf: () => 'http://127.0.0.1:8080/v1',
    commit: (chainId, commit) => audit.commit(chainId, commit),
    policyInForce: async () => settings.defaults.of(screeningSettings),
    tenants: createTenantDirectory({ clock, settings, store: identityStore(storage.tables) }),
    wakeWorkers: async (batchId) => {
      await Promise.resolve();
      heard.push(batchId);
    },
  });
  const store = identityStore(storage.tables);
  const { tenants } = createAdministration({ ...installation, store });
  const tenant = await tenants.create({ actor: 'cli:test', kind: 'sandbox', name: 'Bank' });
  const batch = await desk.submit({
    actor: 'cli:test',
    file: { chunks: file(), name: 'customers.csv' },
    order: {
      includeAdverseMedia: true,
      includePep: true,
      lists: ['DEMO'],
      mode: 'full',
      name: 'customers',
    },
    tenant,
  });
  expect(heard).toEqual([batch.batchId]);
  await expect(batchStore(storage.tables).findBatch(batch)).resolves.toMatchObject({
    status: 'queued',
  });
});
