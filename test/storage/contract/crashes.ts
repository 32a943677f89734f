/**
 * Processes that die by SIGKILL between any two steps of a write, and processes that write at once:
 * all of a group or nothing of it, and no gap or fork in a chain.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chunkTable } from '../../../src/slices/batches/tables.ts';
import type { Storage } from '../../../src/storage/index.ts';
import { makeChunks } from './batchRecords.ts';
import type { ChildTask } from './childProcess.ts';
import { ALL, NOTHING, prepareCrash, tracesOf } from './crashGroup.ts';
import { CRASH_STORE, Witness } from './crashTables.ts';
import { append, CHAIN_A, CHAIN_B, LONG_MS, type StoreHarness, takeOverHead } from './harness.ts';
import { runChild } from './runChild.ts';

/** Keeps the members of each kind of task apart, which plain Omit would merge. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
export type ChildOrder = Without<ChildTask, 'file' | 'dataDir' | 'url' | 'transactions'>;

/** Writes of the witness before a process dies, and as many after: one of each kind and some. */
const WRITES_BESIDE = 14;
/** Writes that never pause would conflict with each try of a transaction, and it would not end. */
const RACING_ACTS_MAX = 200;

interface CrashOptions<H extends StoreHarness> {
  readonly makeHarness: () => Promise<H>;
  readonly toTask: (harness: H, order: ChildOrder) => ChildTask;
  /** Steps of a write in their order; from `commitPoint` on, the group is there. */
  readonly steps: readonly string[];
  readonly commitPoint: string;
  /** Steps of finishing what another left. */
  readonly recoverySteps?: readonly string[];
  /** Steps to die at beside another process's writes. */
  readonly racedSteps: readonly string[];
}

export function crashContract<H extends StoreHarness>(
  technology: string,
  options: CrashOptions<H>,
): void {
  const { makeHarness, toTask, steps, commitPoint, racedSteps, recoverySteps = [] } = options;
  const commits = steps.slice(steps.indexOf(commitPoint));

  describe(`${technology}: killed while writing`, () => {
    let harness: H;
    /** Another process on the same data, all the time. */
    let beside: Storage;
    let witness: Witness;
    beforeEach(async () => {
      harness = await makeHarness();
      beside = await harness.open(CRASH_STORE);
      await prepareCrash(beside);
      witness = new Witness(beside.tables);
    });
    afterEach(async () => {
      await beside.close();
      await harness.dispose();
    });

    const die = async (kind: 'crash' | 'recover', dieAt: string) => {
      const nowMs = harness.clock.now();
      const { signal, errors } = await runChild(toTask(harness, { kind, dieAt, nowMs }));
      expect({ signal, errors }).toEqual({ signal: 'SIGKILL', errors: '' });
      harness.clock.advance(LONG_MS);
    };

    /** Taking the head is what repairs; done twice, since repairing must bear repetition. */
    const reopen = async (): Promise<Storage> => {
      const storage = await harness.open(CRASH_STORE);
      for (const holder of ['first', 'second']) {
        const ask = { chainId: CHAIN_A, holder };
        await storage.audit.releaseHead(await takeOverHead(storage, harness.clock, ask));
      }
      return storage;
    };

    test.each(steps)('at step %s: all or nothing, and the chain goes on', async (step) => {
      await witness.act(WRITES_BESIDE);
      await die('crash', step);
      // A transaction that a dead process has left holds its rows until the head is taken.
      const isLocked = beside.technology === 'mongo' && hasTransactions(beside);
      if (!isLocked) await witness.act(WRITES_BESIDE);
      const storage = await reopen();
      if (isLocked) await witness.act(WRITES_BESIDE);
      expect(await tracesOf(storage)).toEqual(commits.includes(step) ? ALL : NOTHING);
      expect(await witness.explained()).toEqual([commits.includes(step) ? WRITES_BESIDE : -1]);
      await append(storage, { count: 1, label: 'after' });
      expect(await expectWholeChain(storage)).toBe(commits.includes(step) ? 6 : 3);
      await storage.close();
    });

    test.each(racedSteps)('at step %s, while another process writes', async (step) => {
      const nowMs = harness.clock.now();
      let isRunning = true;
      let racing: Promise<void> | undefined;
      const race = async () => {
        for (let acts = 0; isRunning && acts < RACING_ACTS_MAX; acts++) await witness.act();
      };
      const end = await runChild(toTask(harness, { dieAt: step, kind: 'crash', nowMs }), () => {
        racing = race();
      }).finally(() => {
        isRunning = false;
      });
      harness.clock.advance(LONG_MS);
      const storage = await reopen();
      await racing;
      await witness.act(WRITES_BESIDE);
      expect(end.errors).toBe('');
      // The other process may have finished the write before this one came to the step.
      const isThere = end.signal === null || commits.includes(step);
      expect(await tracesOf(storage)).toEqual(isThere ? ALL : NOTHING);
      const places = await witness.explained();
      expect(places).not.toEqual([]);
      expect(places.every((place) => place >= 0)).toBe(isThere);
      await storage.close();
    });

    test.each(recoverySteps)(
      'and the one that repairs dies at %s: the next does it',
      async (at) => {
        await witness.act(WRITES_BESIDE);
        await die('crash', commitPoint);
        await die('recover', at);
        await witness.act(WRITES_BESIDE);
        const storage = await reopen();
        expect(await tracesOf(storage)).toEqual(ALL);
        expect(await witness.explained()).toEqual([WRITES_BESIDE]);
        expect(await expectWholeChain(storage)).toBe(5);
        await storage.close();
      },
    );
  });
}

export function competitionContract<H extends StoreHarness>(
  technology: string,
  options: Pick<CrashOptions<H>, 'makeHarness' | 'toTask'> & { groups: number },
): void {
  const { makeHarness, toTask, groups } = options;
  test(`${technology}: three processes write two chains without gap or fork`, async () => {
    const harness = await makeHarness();
    const storage = await harness.open();
    const names = ['one', 'two', 'three'];
    const children = Promise.all(
      names.map((name) => runChild(toTask(harness, { kind: 'compete', name, groups }))),
    );
    let isRunning = true;
    const ends = await Promise.all([
      children.finally(() => {
        isRunning = false;
      }),
      readMeanwhile(storage, () => isRunning),
    ]);
    for (const { code, errors } of ends[0])
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
    for (const chainId of [CHAIN_A, CHAIN_B]) {
      const events = await storage.audit.readEvents({ chainId, fromSeq: 1, limit: 1000 });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(new Set(events.map(({ hash }) => hash)).size).toBe(events.length);
      expect(events).toHaveLength((names.length * groups * 3) / 2);
    }
    await storage.close();
    await harness.dispose();
  });
}

/**
 * Three gateways and one busy tenant, over a store that takes its time: the head goes round, and
 * nobody is refused because another process keeps the chain.
 */
export function sharedChainContract<H extends StoreHarness>(
  technology: string,
  options: Pick<CrashOptions<H>, 'makeHarness' | 'toTask'>,
): void {
  const { makeHarness, toTask } = options;
  test(`${technology}: three processes commit to one chain, and none is refused`, async () => {
    const harness = await makeHarness();
    const storage = await harness.open();
    const names = ['one', 'two', 'three'];
    const load = { callers: 22, commitsEach: 5, slowMs: 20 };
    const ends = await Promise.all(
      names.map((name) => runChild(toTask(harness, { kind: 'commit', name, ...load }))),
    );
    for (const { code, errors } of ends) expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const { seq } = await storage.audit.head(CHAIN_A);
    expect(seq).toBe(names.length * load.callers * load.commitsEach);
    await storage.close();
    await harness.dispose();
  });
}

/** Lease after lease by several processes at once; each finds that it has all that it was given. */
export function leaseContract<H extends StoreHarness>(
  technology: string,
  options: Pick<CrashOptions<H>, 'makeHarness' | 'toTask'> & { chunks: number },
): void {
  const { makeHarness, toTask, chunks } = options;
  test(`${technology}: no two of four processes ever have one chunk`, async () => {
    const harness = await makeHarness();
    const storage = await harness.open();
    await storage.tables.insertMissing(chunkTable, makeChunks(chunks));
    const names = ['one', 'two', 'three', 'four'];
    const ends = await Promise.all(
      names.map((name) => runChild(toTask(harness, { kind: 'lease', name }))),
    );
    for (const { code, errors } of ends) expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const held = await storage.tables.held(chunkTable, { limit: chunks });
    expect(held.map(({ record }) => record.chunkNo)).toEqual(held.map((_, index) => index));
    expect(held.filter(({ lease }) => names.includes(lease.holder))).toHaveLength(chunks);
    await storage.close();
    await harness.dispose();
  });
}

const hasTransactions = ({ capabilities }: Storage): boolean =>
  capabilities.supportsMultiDocumentTransactions;

/** A reader beside the writers never sees a gap, nor a chain that gets shorter. */
async function readMeanwhile(storage: Storage, isRunning: () => boolean): Promise<void> {
  let seen = 0;
  while (isRunning()) {
    const events = await storage.audit.readEvents({ chainId: CHAIN_A, fromSeq: 1, limit: 1000 });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.length).toBeGreaterThanOrEqual(seen);
    seen = events.length;
  }
}

/** Gaps, repeats and a head that does not fit the last event. */
async function expectWholeChain(storage: Storage): Promise<number> {
  const events = await storage.audit.readEvents({ chainId: CHAIN_A, fromSeq: 1, limit: 1000 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const last = events.at(-1);
  const head = await storage.audit.head(CHAIN_A);
  expect(head).toEqual(last === undefined ? head : { seq: last.seq, hash: last.hash });
  return events.length;
}
