/** The life of a run over a store in memory: one at a time, kept alive, taken over, ended once. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  claimRun,
  endedRun,
  endLostRun,
  finishRun,
  type ListRun,
  RUN_LEASE_MS,
  RUN_LOG_LINES_MAX,
  RUN_SILENT_MS,
  RUN_TRIES_MAX,
  RunHold,
  RunLog,
  RunWatch,
  renewRun,
  startRun,
  takeOverRun,
} from '#slices/ingestion';
import { RunMemory } from './runMemory.ts';

const SOURCE = 'UN_SC' as SourceId;

let memory: RunMemory;
beforeEach(() => {
  memory = new RunMemory();
});

const start = (more: Partial<Parameters<typeof startRun>[1]> = {}) =>
  startRun(memory.ports, { kind: 'full', sourceId: SOURCE, triggeredBy: 'cron', ...more });

async function claimed(holder = 'a'): Promise<ListRun> {
  const run = await claimRun(memory.ports, { holder, run: await start() });
  if (run === undefined) throw new Error('not claimed');
  return run;
}

describe('a start', () => {
  test('marks its source, and says who asked', async () => {
    const run = await start({ triggeredBy: 'cli:me' });
    expect(memory.source).toMatchObject({ lastStatus: 'running', runningRunId: run.runId });
    await finishRun(memory.ports, run, { status: 'skipped' });
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
    expect(memory.runs.size).toBe(1);
  });

  test('of one fire happens once, and the last three are remembered', async () => {
    for (const at of [1, 2, 3, 4]) {
      const fire = { kind: 'delta', scheduledFor: at as EpochMs } as const;
      const run = await start({ fire });
      await finishRun(memory.ports, run, { status: 'skipped' });
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
    const ask = (holder: string) => claimRun(memory.ports, { holder, run });
    const claims = await Promise.all([ask('a'), ask('b')]);
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    expect(claims[0]).toMatchObject({ leaseHolder: 'a', tries: 1 });
  });

  test('is lost with the first save of somebody else, who alone can end the run', async () => {
    const mine = await claimed('a');
    const theirs = await takeOverRun(memory.ports, { holder: 'b', run: mine });
    expect(theirs).toMatchObject({ leaseHolder: 'b', tries: 2 });
    expect(await renewRun(memory.ports, mine)).toBeUndefined();
    const end = finishRun(memory.ports, mine, { status: 'failed' });
    await expect(end).rejects.toMatchObject({ code: 'state-conflict' });
    expect(memory.source?.runningRunId).toBe(mine.runId);
  });
});

describe('an end', () => {
  test('frees the source and keeps what is known of the file', async () => {
    const run = await claimed();
    const validators = { etag: '"a"', fileSha256: 'f' };
    const place = 'https://scsanctions.un.org/resources/xml/en/consolidated.xml';
    const of = { status: 'skipped' as const, validators: { ...validators, place } };
    await finishRun(memory.ports, run, of);
    expect(memory.source).toMatchObject({ lastStatus: 'skipped' });
    expect(memory.source?.validators).toEqual(validators);
    // Somebody pointed the source elsewhere while this run was under way.
    const elsewhere = { ...of.validators, etag: '"b"', place: 'https://former.example/' };
    await finishRun(memory.ports, await start(), { status: 'skipped', validators: elsewhere });
    expect(memory.source?.validators).toEqual(validators);
    expect(memory.source).not.toHaveProperty('runningRunId');
    const stored = memory.runs.get(run.runId);
    expect(stored).toMatchObject({ finishedAt: memory.now, status: 'skipped' });
    expect(stored).not.toHaveProperty('leaseHolder');
  });

  test('goes through although a person changed the source meanwhile', async () => {
    const run = await claimed();
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
    await finishRun({ ...memory.ports, lists }, run, { errorCode: 'x', status: 'failed' });
    expect(memory.source).toMatchObject({ enabled: true, lastStatus: 'failed' });
  });

  test('of a run that was given up does not free the run after it', async () => {
    const run = await claimed();
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

describe('a worker that dies', () => {
  test('is known by its run standing still, whatever the wall clock does', () => {
    const run = { leaseHolder: 'a', runId: 'r', version: 1 } as ListRun;
    let now = 0;
    const watch = new RunWatch({ clock: { monotonicMs: () => now } });
    expect(watch.silent([run])).toEqual([]);
    now += RUN_SILENT_MS - 1;
    expect(watch.silent([run])).toEqual([]);
    expect(watch.silent([{ ...run, version: 2 }])).toEqual([]);
    now += RUN_SILENT_MS;
    expect(watch.silent([{ ...run, version: 2 }])).toHaveLength(1);
    expect(RUN_LEASE_MS).toBeLessThan(RUN_SILENT_MS);
  });

  test('is not waited for where its process is known to be gone', () => {
    const run = { leaseHolder: 'a', runId: 'r', stage: 'index', version: 1 } as ListRun;
    const options = { clock: { monotonicMs: () => 0 }, isGone: () => true };
    expect(new RunWatch(options).silent([run])).toEqual([run]);
    const unheld = { runId: 'r', version: 1 } as ListRun;
    expect(new RunWatch(options).silent([unheld])).toEqual([]);
  });

  test('three times ends the run as failed', async () => {
    let run = await claimed();
    for (let count = 2; count <= RUN_TRIES_MAX; count++) {
      run = (await takeOverRun(memory.ports, { holder: `w${count}`, run })) ?? run;
      expect(run.tries).toBe(count);
    }
    expect(await takeOverRun(memory.ports, { holder: 'last', run })).toBeUndefined();
    expect(memory.runs.get(run.runId)).toMatchObject({
      errorCode: 'run-abandoned',
      status: 'failed',
    });
    expect(memory.actions.at(-1)).toBe('SANCTIONS_LIST_FAILED');
    expect(memory.source).not.toHaveProperty('runningRunId');
  });

  test('with a file of its own ends the run as failed at once', async () => {
    const run = await start({ holder: 'cli', kind: 'manual', triggeredBy: 'cli:me' });
    expect(await takeOverRun(memory.ports, { holder: 'b', run })).toBeUndefined();
    expect(memory.runs.get(run.runId)?.status).toBe('failed');
  });

  test('is ended by the next one of the command line, whose source is free then', async () => {
    const file = { holder: 'gone', kind: 'manual', triggeredBy: 'cli:me' } as const;
    const ask = { holder: 'next', isGone: (holder: string) => holder === 'gone', sourceId: SOURCE };
    await endLostRun(memory.ports, ask);
    const lost = await start(file);
    await endLostRun(memory.ports, { ...ask, isGone: () => false });
    await expect(start(file)).rejects.toMatchObject({ code: 'state-conflict' });
    await endLostRun(memory.ports, ask);
    expect(memory.runs.get(lost.runId)).toMatchObject({ errorCode: 'run-abandoned' });
    await expect(start({ ...file, holder: 'next' })).resolves.toMatchObject({ status: 'running' });
  });

  test('is left to the workers where they can do it again', async () => {
    const run = await claimed('gone');
    await endLostRun(memory.ports, { holder: 'next', isGone: () => true, sourceId: SOURCE });
    expect(memory.runs.get(run.runId)).toEqual(run);
  });
});

describe('a hold', () => {
  test('tells its stage, and stops who works once the run is somebody else', async () => {
    const run = await claimed();
    const hold = new RunHold(memory.ports, run, 5);
    hold.enter('fetch');
    await expect.poll(() => memory.runs.get(run.runId)?.stage).toBe('fetch');
    const stored = memory.runs.get(run.runId) ?? run;
    await takeOverRun(memory.ports, { holder: 'b', run: stored });
    await expect.poll(() => hold.signal.aborted).toBe(true);
    await expect(hold.end()).rejects.toMatchObject({ code: 'state-conflict' });
  });

  test('outlives a store that is away for less than the lease, and not for longer', async () => {
    const run = await claimed();
    const hold = new RunHold(memory.ports, run, 2);
    memory.isDown = true;
    memory.now += RUN_LEASE_MS - 1;
    await new Promise((resolve) => setImmediate(resolve));
    memory.isDown = false;
    await expect.poll(() => memory.runs.get(run.runId)?.version ?? 0).toBeGreaterThan(run.version);
    expect(hold.signal.aborted).toBe(false);
    memory.isDown = true;
    memory.now += RUN_LEASE_MS;
    await expect.poll(() => hold.signal.aborted).toBe(true);
  });

  test('that is given back is claimed by anybody, and counts as no try', async () => {
    const run = await claimed();
    const hold = new RunHold(memory.ports, run, 1_000);
    await hold.giveBack();
    expect(hold.signal.aborted).toBe(true);
    const free = memory.runs.get(run.runId);
    expect(free).toMatchObject({ status: 'running', tries: 0 });
    expect(free).not.toHaveProperty('leaseHolder');
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
