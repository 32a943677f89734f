/** Runs in pages, their progress and purge, and the append-only changes of schedules. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PLATFORM_CHAIN, type SourceId, type TableChange } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  type ListRun,
  type RunStatus,
  type RunStore,
  runStore,
  runTable,
  type ScheduleAudit,
  scheduleAuditTable,
} from '#slices/ingestion';
import type { Storage } from '../../../src/storage/index.ts';
import { append, at, type MakeHarness, type StoreHarness } from './harness.ts';

const OFAC = 'OFAC_SDN' as SourceId;
const UN = 'UN_SC' as SourceId;
const START = 1_700_000_000_000;

const idOf = (number: number): string =>
  `0190cccc-0000-7000-8000-${String(number).padStart(12, '0')}`;

export function makeRun(number: number, given: Partial<ListRun> = {}): ListRun {
  return {
    runId: idOf(number),
    sourceId: OFAC,
    kind: 'full',
    triggeredBy: 'cron',
    startedAt: at(START + number * 1_000),
    status: 'running',
    log: [{ at: at(START), level: 'info', text: 'é ≤ الشركة' }],
    version: 1,
    ...given,
  };
}

export const putRun = (run: ListRun, versionExpected = 0): TableChange =>
  runTable.put(run, versionExpected);

function makeAudit(sourceId: SourceId, seq: number): ScheduleAudit {
  return {
    auditId: idOf(seq),
    sourceId,
    seq,
    changedAt: at(START + seq),
    changedBy: 'person-1',
    field: 'cron_full',
    oldValue: null,
    newValue: '0 0 2 ? * SUN',
    approvalUserId: 'person-2',
    approvalReason: 'requested',
    chainHash: 'ab'.repeat(32),
  };
}

const audited = (row: ScheduleAudit) => scheduleAuditTable.insert(row);

export function runStoreContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: RunStore`, () => {
    let harness: StoreHarness;
    let storage: Storage;
    let runs: RunStore;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
      runs = runStore(storage.tables);
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });
    const change = async (...changes: TableChange[]) =>
      (await append(storage, { chain: PLATFORM_CHAIN, changes })).result;
    const numbersOf = (found: readonly ListRun[]) =>
      found.map(({ runId }) => Number(runId.slice(-4)));

    test('a run reads back as it was put last', async () => {
      const digests = { fileSha256: 'ab'.repeat(32), removedDigest: 'cd'.repeat(32) };
      const ended = makeRun(1, {
        ...digests,
        finishedAt: at(START + 9_000),
        shrinkReleased: { ...digests, removedCount: 136 },
        status: 'failed',
        version: 2,
      });
      await change(putRun(makeRun(1)));
      expect(await runs.findRun(idOf(1))).toStrictEqual(makeRun(1));
      await change(putRun(ended, 1));
      expect(await runs.findRun(idOf(1))).toStrictEqual(ended);
      expect(await runs.findRun(idOf(2))).toBeUndefined();
    });

    test('of two ends of one run the second is stale and changes nothing', async () => {
      const failed = makeRun(1, { status: 'failed', version: 2 });
      await change(putRun(makeRun(1)));
      expect((await change(putRun(failed, 1))).kind).toBe('appended');
      const late = await change(putRun(makeRun(1, { status: 'success', version: 2 }), 1));
      expect(late).toEqual({ kind: 'stale', changeIndex: 0 });
      expect((await change(putRun(makeRun(1)))).kind).toBe('stale');
      expect(await runs.findRun(idOf(1))).toStrictEqual(failed);
    });

    test('progress of a run under way is saved beside commits, and its end is last', async () => {
      const { tables } = storage;
      const save = (work: Partial<ListRun>) => tables.saveWork(runTable, { key: makeRun(1), work });
      const ended = makeRun(1, { status: 'success', finishedAt: at(START + 9_000), version: 2 });
      expect(await save({ stage: 'read' })).toBe(false);
      await change(putRun(makeRun(1)));
      expect(await save({ stage: 'read', tries: 1 })).toBe(true);
      expect(await runs.findRun(idOf(1))).toStrictEqual(makeRun(1, { stage: 'read', tries: 1 }));
      const end = runTable.put(ended, 1, { work: ['stage', 'tries'] });
      expect((await change(end)).kind).toBe('appended');
      expect(await save({ stage: 'index' })).toBe(false);
      expect(await runs.findRun(idOf(1))).toStrictEqual(ended);
    });

    test('runs come latest start first, ties by id descending, page after page', async () => {
      const all = [1, 2, 3, 4, 5].map((number) =>
        makeRun(number, { startedAt: at(START + Math.floor(number / 2)) }),
      );
      await change(...all.map((run) => putRun(run)));
      const seen: number[] = [];
      let before: { startedAt: EpochMs; runId: string } | undefined;
      for (;;) {
        const page = await runs.listRuns({ limit: 2, ...(before && { before }) });
        seen.push(...numbersOf(page));
        before = page.at(-1);
        if (page.length < 2) break;
      }
      expect(seen).toEqual([5, 4, 3, 2, 1]);
    });

    test('a page is of one source, one state, since an instant, or all of these', async () => {
      const statuses: RunStatus[] = ['success', 'failed', 'success', 'skipped'];
      const made = statuses.map((status, index) =>
        makeRun(index + 1, { status, sourceId: index === 2 ? UN : OFAC }),
      );
      await change(...made.map((run) => putRun(run)));
      const numbers = async (filter: Parameters<RunStore['listRuns']>[0]) =>
        numbersOf(await runs.listRuns(filter));
      expect(await numbers({ limit: 9, sourceIds: [OFAC] })).toEqual([4, 2, 1]);
      expect(await numbers({ limit: 9, status: 'success' })).toEqual([3, 1]);
      expect(await numbers({ limit: 9, since: at(START + 3_000) })).toEqual([4, 3]);
      const all = { sourceIds: [OFAC], status: 'success', since: at(START) } as const;
      expect(await numbers({ limit: 9, ...all })).toEqual([1]);
      const none = Array.from({ length: 8 }, (_, at) => `NONE_${at}` as SourceId);
      // More than one question has room for: their answers are one order, and one page.
      const many = [OFAC, ...none, UN];
      expect(await numbers({ limit: 9, sourceIds: many })).toEqual([4, 3, 2, 1]);
      expect(await numbers({ limit: 2, sourceIds: many })).toEqual([4, 3]);
      expect(await numbers({ limit: 9, sourceIds: many, status: 'success' })).toEqual([3, 1]);
      expect(await numbers({ limit: 9, sourceIds: [] })).toEqual([]);
      const before = { startedAt: at(START + 4_000), runId: idOf(4) };
      expect(await numbers({ limit: 1, sourceIds: [OFAC], before })).toEqual([2]);
      expect(
        await numbers({ limit: 9, sourceIds: [OFAC], before, since: at(START + 2_000) }),
      ).toEqual([2]);
    });

    test('a purge takes what ended 90 days ago, and nothing that still runs', async () => {
      const ended = [1, 2, 3].map((number) =>
        makeRun(number, { status: 'success', finishedAt: at(START + number) }),
      );
      await change(...ended.map((run) => putRun(run)), putRun(makeRun(4)));
      const now = at(START + 2 + 90 * 24 * 3_600_000);
      expect(await storage.tables.purge(runTable, now)).toBe(2);
      expect(numbersOf(await runs.listRuns({ limit: 9 }))).toEqual([4, 3]);
      expect(await storage.tables.purge(runTable, now)).toBe(0);
    });

    test('changes of a schedule are listed latest first, each source its own', async () => {
      await change(audited(makeAudit(OFAC, 1)), audited(makeAudit(OFAC, 2)));
      await change(audited(makeAudit(UN, 1)), audited(makeAudit(OFAC, 3)));
      const list = (sourceId: SourceId, limit: number) =>
        runs.listScheduleAudit({ sourceId, limit });
      expect(await list(OFAC, 2)).toStrictEqual([makeAudit(OFAC, 3), makeAudit(OFAC, 2)]);
      expect(await list(UN, 9)).toStrictEqual([makeAudit(UN, 1)]);
      const page = { before: 3, limit: 9, sourceId: OFAC };
      const older = [makeAudit(OFAC, 2), makeAudit(OFAC, 1)];
      expect(await runs.listScheduleAudit(page)).toStrictEqual(older);
      expect(await runs.listScheduleAudit({ ...page, before: 1 })).toEqual([]);
    });

    test('a taken place in a schedule’s chain is stale, and takes the group with it', async () => {
      await change(audited(makeAudit(OFAC, 1)));
      const forged = { ...makeAudit(OFAC, 1), newValue: 'other' };
      expect(await change(putRun(makeRun(1)), audited(forged))).toEqual({
        kind: 'stale',
        changeIndex: 1,
      });
      expect(await change(audited(makeAudit(UN, 1)), audited(makeAudit(UN, 1)))).toEqual({
        kind: 'stale',
        changeIndex: 1,
      });
      expect(await runs.findRun(idOf(1))).toBeUndefined();
      expect(await runs.listScheduleAudit({ sourceId: UN, limit: 9 })).toEqual([]);
      expect(await runs.listScheduleAudit({ sourceId: OFAC, limit: 9 })).toStrictEqual([
        makeAudit(OFAC, 1),
      ]);
    });
  });
}
