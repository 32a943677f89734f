/**
 * Two tenants in one store (R33): whatever happens to one, everything that can be read of the other
 * stays as it was, byte for byte. Operations come from a seed, so that a failure can be replayed.
 */
import { expect, test } from 'vitest';
import { type ApiKey, apiKeyTable, identityStore, type Person, personTable } from '#core/identity';
import type { ChainId, ScreeningId, TableChange, TenantId } from '#core/kernel';
import type { Batch } from '#slices/batches';
import { batchStore } from '../../../src/slices/batches/batchStore.ts';
import type { Storage } from '../../../src/storage/index.ts';
import { makeBatch, putBatch } from './batchRecords.ts';
import {
  append,
  at,
  CHAIN_A,
  CHAIN_B,
  type MakeHarness,
  makeBus,
  makeIdempotency,
  makeTenant,
  putTenant,
  TENANT_A,
  TENANT_B,
} from './harness.ts';

export function isolationContract(
  technology: string,
  makeHarness: MakeHarness,
  operations: number,
): void {
  test(`${technology}: nothing that a tenant does changes what another reads`, async () => {
    const harness = await makeHarness();
    const storage = await harness.open();
    await found(storage, CHAIN_A, TENANT_A);
    const screenings = await found(storage, CHAIN_B, TENANT_B);
    const before = await viewOf(storage, screenings);
    const random = createRandom(20_260_102);
    for (let index = 0; index < operations; index++) await act(storage, random, index);
    expect(await viewOf(storage, screenings)).toEqual(before);
    await storage.close();
    await harness.dispose();
  });
}

const makePerson = (tenantId: TenantId, version: number): Person => ({
  id: 'person',
  tenantId,
  name: `of ${tenantId}`,
  roles: [],
  accounts: [],
  keys: [],
  version,
});

const makeKey = (tenantId: TenantId, id: string): ApiKey => ({
  id: `${tenantId} ${id}`,
  tenantId,
  hash: `${tenantId} ${id}`,
  prefix: 'cp_test_',
  name: id,
  roles: [],
  createdAt: at(1),
  version: 1,
});

/** One of everything; answers the screenings' ids. */
async function found(storage: Storage, chain: ChainId, tenantId: TenantId): Promise<ScreeningId[]> {
  const changes: TableChange[] = [
    putTenant(makeTenant(tenantId, 1), 0),
    personTable.insert(makePerson(tenantId, 1)),
    apiKeyTable.insert(makeKey(tenantId, 'first')),
    putBatch(batchOf(tenantId)),
  ];
  const { group } = await append(storage, {
    chain,
    count: 3,
    changes,
    bus: [makeBus(tenantId, 'first')],
    idempotency: [makeIdempotency(`${tenantId} first`, at(1_700_000_000_000))],
  });
  const read = await storage.outbox.readFor('bus', 10);
  await storage.outbox.markDone('bus', read?.token ?? '');
  return group.events.flatMap(({ screeningId }) => screeningId ?? []);
}

/** Everything that the ports let tenant B see. */
async function viewOf(storage: Storage, screenings: readonly ScreeningId[]): Promise<unknown> {
  const { audit, outbox } = storage;
  const batches = batchStore(storage.tables);
  const identity = identityStore(storage.tables);
  const byScreening = screenings.map((id) => audit.findByScreening(CHAIN_B, id));
  return {
    head: await audit.head(CHAIN_B),
    events: await audit.readEvents({ chainId: CHAIN_B, fromSeq: 1, limit: 100 }),
    second: await audit.findBySeq(CHAIN_B, 2),
    byScreening: await Promise.all(byScreening),
    checkpoint: await audit.latestCheckpoint(CHAIN_B),
    idempotency: await audit.findIdempotency(`${TENANT_B} first`, at(0)),
    tenant: await identity.findTenant(TENANT_B),
    keys: await identity.listApiKeys(TENANT_B),
    persons: await identity.listPersons(TENANT_B),
    batch: await batches.findBatch(batchOf(TENANT_B)),
    batches: await batches.listBatches({ limit: 1_000, tenantId: TENANT_B }),
    published: await outbox.readKept({ partition: TENANT_B, afterId: '', limit: 100 }),
  };
}

/** One random thing done by tenant A, now and then with an id of tenant B's. */
async function act(storage: Storage, random: () => number, index: number): Promise<void> {
  const { audit, outbox } = storage;
  const batches = batchStore(storage.tables);
  const change = (...changes: TableChange[]) => append(storage, { count: 1, changes });
  const actions: (() => Promise<unknown>)[] = [
    () => append(storage, { count: 2, label: `${index}`, bus: [makeBus(TENANT_A, `${index}`)] }),
    () => audit.eraseOpen(CHAIN_A, 1 + Math.floor(random() * 3)),
    () => audit.saveCheckpoint({ ...CHECKPOINT, seq: index }),
    () => change(personTable.put(makePerson(TENANT_A, index + 2), index)),
    () => change(apiKeyTable.insert(makeKey(TENANT_A, `${index}`))),
    () => change(apiKeyTable.put(STOLEN, 1)),
    () => change(putBatch(makeBatch(index + 10))),
    () => change(putBatch(STOLEN_BATCH, 1)),
    () => batches.findBatch({ ...batchOf(TENANT_B), tenantId: TENANT_A }).then(expectNothing),
    () => audit.takeHead({ chainId: CHAIN_A, holder: 'appender', ttlMs: 1 }),
    async () => {
      const read = await outbox.readFor('bus', 5);
      if (read !== undefined) await outbox.markDone('bus', read.token);
    },
  ];
  await actions[Math.floor(random() * actions.length)]?.();
}

const CHECKPOINT = {
  tenant_id: CHAIN_A,
  seq: 1,
  hash: 'ab'.repeat(32),
  at: '2026-01-02T03:04:05.006Z',
  key_id: 'k1',
  signature: 's',
};
const STOLEN: ApiKey = { ...makeKey(TENANT_B, 'first'), tenantId: TENANT_A, version: 2 };

const batchOf = (tenantId: TenantId): Batch =>
  makeBatch(tenantId === TENANT_A ? 1 : 2, { name: `of ${tenantId}`, tenantId });
const STOLEN_BATCH = { ...batchOf(TENANT_B), tenantId: TENANT_A, version: 2 };
const expectNothing = (found: unknown): void => expect(found).toBeUndefined();

/** mulberry32: enough for choosing. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
