/** The life of a run over a store in memory: one at a time, kept alive, taken over, ended once. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Lease, SourceId } from '#core/kernel';
import { WorkLost } from '#core/work';
import type { EpochMs } from '#platform/clock';
import {
  abandonRun,
  endedRun,
  endLostRun,
  finishRun,
  holdRun,
  type ListRun,
  RUN_LEASE,
  RUN_LOG_LINES_MAX,
  type RunHold,
  RunLog,
  RunProgress,
  runTable,
  startRun,
  WaitingRuns,
} from '#slices/ingestion';
import { endRun, holderOf, holdOf } from './runHolds.ts';
import { RunMemory } from './runMemory.ts';

const SOURCE = 'UN_SC' as SourceId;

let memory: RunMemory;
beforeEach(() => {
  memory = new RunMemory();
});

const start = (more: Partial<Parameters<typeof startRun>[1]> = {}) =>
  startRun(memory.ports, { kind: 'full', sourceId: SOURCE, triggeredBy: 'cron', ...more });

const claimed = async (holder = 'a'): Promise<RunHold> =>
  holdOf(memory.ports, await start(), holder);

/** Another worker takes the run over from a silent one. */
const takenOver = ({ key, lease: { fence, holder, tries } }: RunHold, beat: number) => {
  const seen: Lease = { beat, fence, holder, tries };
  return memory.tables.takeOver(runTable, { holder: 'b', key, seen });
};

describe('a start', () => {
  test('marks its source, and says who asked', async () => {
    const run = await start({ triggeredBy: 'cli:me' });
    expect(memory.source).toMatchObject({ lastStatus: 'running', runningRunId: run.runId });
    await endRun(memory.ports, run, { status: 'skipped' });
    await start();
    expect(memory.actions).toEqual([
      'SANCTIONS_MANUAL_TRIGGER',
      'SANCTIONS_LIST_SKIPPED',
      'SANCTIONS_RUN_STARTED',
    ]);
  });

  test('is refused while a run of the source is under way', async () => {
    await start();
    await expect(start()).rejects.toMatchObject({ code: 'state-conflict' });
    await expect(start({ sourceId: 'EU_CFSP' })).resolves.toMatchObject({ status: 'running' });
  });

  test('of many at once one wins', async () => {
    const starts = await Promise.allSettled(Array.from({ length: 8 }, () => start()));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(memory.runs).toHaveLength(1);
  });

  test('of one fire happens once, and the last three are remembered', async () => {
    for (const at of [1, 2, 3, 4]) {
      const fire = { kind: 'delta', scheduledFor: at as EpochMs } as const;
      const run = await start({ fire });
      await endRun(memory.ports, run, { status: 'skipped' });
      await expect(start({ fire })).rejects.toMatchObject({ code: 'state-conflict' });
      memory.now += 10;
    }
    expect(memory.source?.fires?.delta).toEqual({
      recent: [1_000_010, 1_000_020, 1_000_030],
      scheduledFor: 4,
    });
  });
});

describe('a claim', () => {
  test('of two workers one wins', async () => {
    const run = await start();
    const ask = (holder: string) => holdRun(memory.ports, { holder, run });
    const claims = await Promise.all([ask('a'), ask('b')]);
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    expect(claims[0]?.lease).toMatchObject({ holder: 'a', tries: 1 });
  });

  test('is lost with a take-over, and who took the run over alone can end it', async () => {
    const mine = await claimed('a');
    const theirs = await takenOver(mine, mine.lease.beat);
    expect(theirs?.lease).toMatchObject({ holder: 'b', tries: 2 });
    // One that slept, and has not noticed.
    await expect(finishRun(memory.ports, mine, { status: 'failed' })).rejects.toThrow(WorkLost);
    expect(memory.source?.runningRunId).toBe(mine.record.runId);
    await mine.saveNow();
    expect(mine.signal.aborted).toBe(true);
  });
});

describe('an end', () => {
  test('frees the source and keeps what is known of the file', async () => {
    const hold = await claimed();
    const validators = { etag: '"a"', fileSha256: 'f' };
    const place = 'https://scsanctions.un.org/resources/xml/en/consolidated.xml';
    const of = { status: 'skipped' as const, validators: { ...validators, place } };
    await finishRun(memory.ports, hold, of);
    expect(memory.source).toMatchObject({ lastStatus: 'skipped' });
    expect(memory.source?.validators).toEqual(validators);
    // Somebody pointed the source elsewhere while this run was under way.
    const elsewhere = { ...of.validators, etag: '"b"', place: 'https://former.example/' };
    await endRun(memory.ports, await start(), { status: 'skipped', validators: elsewhere });
    expect(memory.source?.validators).toEqual(validators);
    expect(memory.source).not.toHaveProperty('runningRunId');
    const stored = memory.run(hold.record);
    expect(stored).toMatchObject({ finishedAt: memory.now, status: 'skipped' });
    expect(await holderOf(memory.tables, hold.record)).toBeUndefined();
  });

  test('goes through although a person changed the source meanwhile', async () => {
    const hold = await claimed();
    const { findSource } = memory.ports.lists;
    let reads = 0;
    const lists = {
      findSource: async (id: SourceId) => {
        const source = await findSource(id);
        if (reads++ === 0 && source) {
          memory.put({ ...source, enabled: true, version: source.version + 1 });
        }
        return source;
      },
    };
    await finishRun({ ...memory.ports, lists }, hold, { errorCode: 'x', status: 'failed' });
    expect(memory.source).toMatchObject({ enabled: true, lastStatus: 'failed' });
  });

  test('of a run that was given up does not free the run after it', async () => {
    const run = await start();
    const source = memory.source;
    if (source === undefined) throw new Error('no source');
    const after = endedRun({
      at: memory.now as EpochMs,
      end: { status: 'failed' },
      run,
      source: { ...source, runningRunId: 'another' },
    });
    expect(after.source.runningRunId).toBe('another');
  });
});

describe('a run that nobody holds', () => {
  const waiting = (isGone = (_: string) => false) =>
    new WaitingRuns({ clock: memory.clock, isGone });

  test('waits for a worker', async () => {
    const run = await start();
    expect(waiting().of([run])).toEqual([run]);
  });

  test('is left to the process that started it, until that is gone or silent', async () => {
    const run = await start({ reservedFor: 'cli' });
    const runs = waiting();
    expect(waiting(() => true).of([run])).toEqual([run]);
    expect(runs.of([run])).toEqual([]);
    memory.now += RUN_LEASE.leaseMs - 1;
    expect(runs.of([run])).toEqual([]);
    memory.now += 1;
    expect(runs.of([run])).toEqual([run]);
  });

  test('waits at once where it was begun', async () => {
    const run = { ...(await start({ reservedFor: 'cli' })), tries: 1 };
    expect(waiting().of([run])).toEqual([run]);
    // The worker of a former release may still be there.
    expect(waiting().of([{ ...run, leaseHolder: 'former' }])).toEqual([]);
  });
});

describe('a run whose worker died', () => {
  const ask = { holder: 'next', isGone: (holder: string) => holder === 'gone', sourceId: SOURCE };

  test('is ended as abandoned, for a reason that its log has as well', async () => {
    const hold = await claimed();
    await abandonRun(memory.ports, hold, 'four workers died');
    expect(memory.run(hold.record)).toMatchObject({
      errorCode: 'run-abandoned',
      errorMessage: 'four workers died',
      status: 'failed',
    });
    expect(memory.run(hold.record)?.log.at(-1)?.text).toBe('four workers died');
    expect(memory.actions.at(-1)).toBe('SANCTIONS_LIST_FAILED');
    expect(memory.source).not.toHaveProperty('runningRunId');
  });

  test.each([
    ['before it had the run', false],
    ['with it in hand', true],
  ])('%s is ended by the next one of the command line', async (_, isHeld) => {
    const file = { kind: 'manual', reservedFor: 'gone', triggeredBy: 'cli:me' } as const;
    await endLostRun(memory.ports, ask);
    const lost = await start(file);
    if (isHeld) await holdOf(memory.ports, lost, 'gone');
    await endLostRun(memory.ports, { ...ask, isGone: () => false });
    await expect(start(file)).rejects.toMatchObject({ code: 'state-conflict' });
    await endLostRun(memory.ports, ask);
    expect(memory.run(lost)).toMatchObject({ errorCode: 'run-abandoned' });
    const next = start({ ...file, reservedFor: 'next' });
    await expect(next).resolves.toMatchObject({ status: 'running' });
  });

  test('is left to the workers where they can do it again', async () => {
    const { record } = await claimed('gone');
    await endLostRun(memory.ports, ask);
    expect(memory.run(record)).toEqual(record);
  });
});

describe('progress', () => {
  test('is saved with its stage at once, and the log with it', async () => {
    const hold = await claimed();
    const progress = new RunProgress(hold, memory.clock);
    progress.log('info', 'something happened');
    progress.enter('fetch');
    await hold.saveNow();
    expect(memory.run(hold.record)).toMatchObject({ stage: 'fetch', tries: 1 });
    expect(memory.run(hold.record)?.log.at(-1)?.text).toBe('something happened');
    const { record } = await progress.end();
    expect(record).toMatchObject({ stage: 'fetch', tries: 1, version: 1 });
  });

  test('ends with WorkLost once another worker has the run', async () => {
    const hold = await claimed();
    const progress = new RunProgress(hold, memory.clock);
    await hold.saveNow();
    await takenOver(hold, hold.lease.beat + 1);
    await hold.saveNow();
    await expect(progress.end()).rejects.toThrow(WorkLost);
  });

  test('outlives a store that is away for less than the lease, and not for longer', async () => {
    const hold = await claimed();
    const progress = new RunProgress(hold, memory.clock);
    memory.isDown = true;
    memory.now += RUN_LEASE.leaseMs - 1;
    await hold.saveNow();
    memory.isDown = false;
    await hold.saveNow();
    expect(memory.run(hold.record)?.tries).toBe(1);
    expect(hold.signal.aborted).toBe(false);
    memory.isDown = true;
    memory.now += RUN_LEASE.leaseMs;
    await hold.saveNow();
    await expect(progress.end()).rejects.toThrow(WorkLost);
  });

  test('of a run that is handed on says so, and counts as no try', async () => {
    const hold = await claimed();
    const progress = new RunProgress(hold, memory.clock);
    progress.enter('fetch');
    await hold.giveBack({ isTried: false, work: progress.handedOn() });
    expect(hold.signal.aborted).toBe(true);
    const free = memory.run(hold.record) as ListRun;
    expect(free).toMatchObject({ status: 'running', tries: 0 });
    expect(free).not.toHaveProperty('stage');
    expect(free.log.at(-1)?.text).toBe('handed on: the worker stops');
    expect((await holdOf(memory.ports, free, 'b')).lease.tries).toBe(1);
  });
});

test('a log keeps its first and its last lines and counts the others', () => {
  const log = new RunLog(memory.clock);
  for (let line = 1; line <= 10_000; line++) log.add('info', `line ${line}`);
  log.add('warn', 'x'.repeat(1_000));
  const lines = log.lines();
  expect(lines).toHaveLength(RUN_LOG_LINES_MAX);
  expect(lines[0]?.text).toBe('line 1');
  expect(lines.at(-2)?.text).toBe('line 10000');
  expect(lines.at(-1)?.text).toHaveLength(300);
  expect(lines[RUN_LOG_LINES_MAX / 2]?.text).toBe(
    `… ${10_001 - RUN_LOG_LINES_MAX + 1} lines left out …`,
  );
});
