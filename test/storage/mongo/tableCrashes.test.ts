/**
 * Declared tables after a writer by intent that died: writes that come late, or again, and those
 * that come beside. Processes that are killed at each point are in crashes.test.ts.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../../src/storage/index.ts';
import { collectionsOf } from '../../../src/storage/mongo/collections.ts';
import { openMongoStorage } from '../../../src/storage/mongo/open.ts';
import { rollForward } from '../../../src/storage/mongo/rollForward.ts';
import { writeTables } from '../../../src/storage/mongo/tableWrites.ts';
import { CHAIN_A, LONG_MS, TENANT_A, TTL_MS, takeHead, takeOverHead } from '../contract/harness.ts';
import {
  CRASH_TABLES,
  commit,
  crashTablesGroup,
  jobs,
  keyOf,
  makeJob,
  NOW,
  prepareTables,
  STATE_AFTER,
  stateOf,
} from './crashTables.ts';
import { type MongoHarness, mongoHarness, withDatabase } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

describe.skipIf(!hasMongo())('mongo: tables', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());

  describe('by intent', () => {
    let harness: MongoHarness;
    let storage: Storage;
    beforeEach(async () => {
      harness = await mongoHarness(() => server, 'off')();
      storage = await harness.open(CRASH_TABLES);
      await prepareTables(storage);
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });

    /** A writer that is gone when its group's document is there, and nothing else of the group. */
    async function commitAndDie(): Promise<void> {
      const dying = await openMongoStorage({
        clock: harness.clock,
        onCrashPoint: (point) => {
          if (point === 'group') throw new Error('died');
        },
        tables: CRASH_TABLES,
        transactions: 'off',
        url: harness.url,
      });
      const head = await takeHead(dying, CHAIN_A, 'one that dies');
      const group = crashTablesGroup(head.head.seq + 1, harness.clock.now());
      const appended = dying.audit.appendGroup(head, group, { release: true, ttlMs: TTL_MS });
      await expect(appended).rejects.toThrow('died');
      await dying.close();
      harness.clock.advance(LONG_MS);
    }
    async function repair(): Promise<void> {
      const ask = { chainId: CHAIN_A, holder: 'repair' };
      await storage.audit.releaseHead(await takeOverHead(storage, harness.clock, ask));
    }
    const withCollections = <T>(work: (of: ReturnType<typeof collectionsOf>) => Promise<T>) =>
      withDatabase(harness.url, (db) => work(collectionsOf(db)));

    test('who writes beside a commit that nobody has applied sees it', async () => {
      const { claim, giveBack, lease, renew, saveWork, takeOver } = storage.tables;
      const seen = { beat: 1, fence: 1, holder: 'one that dies', tries: 1 };
      const ended = { claim: seen, key: keyOf('ends') };
      const calls: (() => Promise<unknown>)[] = [
        () => renew(jobs, ended),
        () => giveBack(jobs, { ...ended, isTried: true }),
        () => takeOver(jobs, { holder: 'two', key: keyOf('ends'), seen }),
        () => saveWork(jobs, { ...ended, work: { stage: 'late' } }),
        () => claim(jobs, { holder: 'two', key: keyOf('ends') }),
      ];
      await commitAndDie();
      for (const call of calls) expect(await call()).toBeFalsy();
      expect(await stateOf(storage)).toEqual(STATE_AFTER);
      const rows = await lease(jobs, { holder: 'two', lane: [TENANT_A], limit: 9, now: NOW });
      expect(rows.map(({ record }) => record.jobId)).toEqual(['goes', 'new', 'renamed', 'stays']);
    });

    test('work that was saved between a commit and its writes stays', async () => {
      await commitAndDie();
      await withCollections(async ({ table }) => {
        const _id = `${TENANT_A} renamed`;
        const saved = { $set: { 'work.stage': '"late"' } } as const;
        expect((await table('crash_job').updateOne({ _id }, saved)).matchedCount).toBe(1);
      });
      await repair();
      const found = await storage.tables.find(jobs, keyOf('renamed'));
      expect(found).toEqual(makeJob('renamed', { name: 'another', stage: 'late', version: 2 }));
    });

    test('a record that was inserted between a commit and its writes gives way', async () => {
      await commitAndDie();
      await withCollections(async ({ table }) => {
        const beside = { document: '{}', isBeside: true, version: 1 } as const;
        await table('crash_job').insertOne({ _id: `${TENANT_A} new`, ...beside });
        const over = { _id: `${TENANT_A} goes`, isBeside: true, rev: 2, version: 1 } as const;
        await table('crash_job').replaceOne({ _id: over._id }, over);
      });
      await repair();
      expect(await stateOf(storage)).toEqual(STATE_AFTER);
    });

    test('a write that comes late, or again, changes nothing', async () => {
      await commitAndDie();
      await withCollections(async (collections) => {
        const intent = await collections.intent.findOne({ chain: CHAIN_A });
        const { inChain, inTurn } = intent?.tables ?? {};
        if (!inChain || !inTurn) throw new Error('no intent');
        await repair();
        expect(await stateOf(storage)).toEqual(STATE_AFTER);
        const options = { changeNo: 2, onCrashPoint: () => {} };
        const again = async () => {
          await writeTables(collections, inTurn, options);
          await writeTables(collections, inChain, options);
        };
        await again();
        expect(await stateOf(storage)).toEqual(STATE_AFTER);
        const later = [
          jobs.remove(keyOf('new'), 1),
          jobs.remove(keyOf('goes'), 2),
          jobs.insert(makeJob('goes', { name: 'a third life' })),
          jobs.put(makeJob('renamed', { name: 'name of renamed', version: 3 }), 2),
          jobs.put(makeJob('stays', { name: 'another', version: 2 }), 1),
        ];
        expect(await commit(storage, later)).toBe('appended');
        const state = await stateOf(storage);
        await again();
        expect(await stateOf(storage)).toEqual(state);
        expect(state.jobs.map((job) => (job as { jobId: string }).jobId)).not.toContain('new');
      });
    });

    test('a value that somebody took outside of commits is a fault, and raised', async () => {
      await commitAndDie();
      await withCollections(async (collections) => {
        const thief = { isOpen: true, name: 'another', tenantId: TENANT_A };
        await collections.table('crash_job').insertOne({ _id: 'thief', ...thief });
        const tools = { collections, onCrashPoint: () => {} };
        await expect(rollForward(tools, CHAIN_A)).rejects.toThrow(/E11000/);
        await expect(rollForward(tools, CHAIN_A)).rejects.toThrow(/E11000/);
        await collections.table('crash_job').deleteOne({ _id: 'thief' });
      });
      await repair();
      expect(await stateOf(storage)).toEqual(STATE_AFTER);
    });
  });
});
