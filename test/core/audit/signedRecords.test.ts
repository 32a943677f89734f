/** Records compared with their entries while further entries come. */
import { beforeEach, expect, test } from 'vitest';
import {
  type AuditStore,
  createAuditLog,
  entry,
  newKeyRing,
  type SealedEvent,
  SignedRecords,
} from '#core/audit';
import { clockAt, commitOf, seededRandom, seededSigner, TENANT } from './drafts.ts';
import { MemoryAuditStore } from './memoryAuditStore.ts';

const KEY = 'flag:1';
const clock = clockAt('2026-05-04T09:00:00.000Z');
const random = seededRandom('signed records');
const signer = seededSigner('a');
let store: MemoryAuditStore;

const tell = async (digest: string): Promise<void> => {
  const log = createAuditLog({ clock, holder: 'test', random, signer, store });
  const of = { action: 'audit.personal_data.erased', actor: 'system:test', target: KEY } as const;
  await log.commit(TENANT, commitOf([entry({ clock, random }, { ...of, members: { digest } })]));
  await log.close();
};

const recordsBy = (audit: Pick<AuditStore, 'findBySeq' | 'readEvents'>): SignedRecords =>
  new SignedRecords({ audit, clock, keyRing: newKeyRing(signer.publicKey) } as never, {
    actions: ['audit.personal_data.erased'],
    digestIn: (told) => told.digest as string,
    keysOf: () => [KEY],
  });

beforeEach(() => {
  store = new MemoryAuditStore();
});

test('what was good before an entry came meanwhile is good no more', async () => {
  await tell('old');
  const held = Promise.withResolvers<void>();
  let isHeld = true;
  const audit = {
    async findBySeq(...of: Parameters<AuditStore['findBySeq']>): Promise<SealedEvent | undefined> {
      if (isHeld) {
        isHeld = false;
        await held.promise;
      }
      return store.findBySeq(...of);
    },
    readEvents: (of: Parameters<AuditStore['readEvents']>[0]) => store.readEvents(of),
  };
  const records = recordsBy(audit);
  const first = records.refusal(TENANT, { digest: 'old', key: KEY });
  // It has read its entry's place, and waits for the entry.
  await new Promise(setImmediate);
  await tell('new');
  expect(await records.refusal(TENANT, { digest: 'new', key: KEY })).toBeUndefined();
  held.resolve();
  expect(await first).toBeUndefined();
  // The former record, put back by whoever can write the database.
  expect(await records.refusal(TENANT, { digest: 'old', key: KEY })).toMatch('seq 2');
});
