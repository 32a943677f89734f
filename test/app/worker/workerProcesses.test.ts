/**
 * Several worker processes over one store: one of them dies in the middle of a run, many are asked
 * for the same run, a schedule comes due for all of them. A publisher on this host answers them.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { fireSchedules, type ListRun, startRun } from '#slices/ingestion';
import type { OpenInstallation } from '../../../src/app/installation.ts';
import {
  DEMO,
  edition,
  openAt,
  openPublisher,
  type Publisher,
  pointSource,
} from '../../slices/ingestion/listPublisher.ts';
import { endRun, holderOf } from '../../slices/ingestion/runHolds.ts';
import { openRuns, type RunParts } from '../../slices/ingestion/runParts.ts';

const WORKER = join(import.meta.dirname, 'plainWorker.ts');
const CLI = join(import.meta.dirname, '../../../src/app/cli/main.ts');
const UNTIL = { interval: 20, timeout: 120_000 };
/** What a death may cost. */
const TAKEN_OVER_MS = 30_000;

interface House {
  readonly installation: OpenInstallation;
  readonly ports: RunParts;
  readonly publisher: Publisher;
  readonly folder: string;
  worker(env?: Record<string, string>): Promise<ChildProcess>;
}

const houses: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of houses.splice(0)) await close();
});

async function open(): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), 'workers-'));
  const publisher = await openPublisher();
  const installation = await openAt(folder, 'test');
  const ports = openRuns(installation);
  await pointSource(installation, { url: `${publisher.origin}/list` });
  const workers: ChildProcess[] = [];
  houses.push(async () => {
    for (const { exitCode, pid, signalCode } of workers) {
      if (pid !== undefined && exitCode === null && signalCode === null)
        process.kill(pid, 'SIGKILL');
    }
    await ports.close();
    await installation.close();
    await publisher.close();
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    installation,
    ports,
    publisher,
    worker: async (env = {}) => {
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER], {
        env: { ...process.env, DATA_DIR: folder, ...env },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      workers.push(child);
      await once(child, 'message');
      return child;
    },
  };
}

const start = ({ ports }: House): Promise<ListRun> =>
  startRun(ports, { kind: 'full', sourceId: DEMO, triggeredBy: 'user:test' });

async function ended({ ports }: House, { runId }: ListRun): Promise<ListRun> {
  let run: ListRun | undefined;
  await vi.waitUntil(async () => {
    run = await ports.runs.findRun(runId);
    return run !== undefined && run.status !== 'running';
  }, UNTIL);
  return run as ListRun;
}

/** The pid in `<host>/<process>/<pid>/<instance>`. */
const pidOf = (holder = ''): number => Number(holder.split('/')[2]);

async function dieInTheMiddle(env: Record<string, string>): Promise<void> {
  const house = await open();
  const { folder, ports, publisher } = house;
  await Promise.all([house.worker(env), house.worker(env)]);
  publisher.answer = (_, response) => void response.end(edition('First Edition'));
  expect((await ended(house, await start(house))).status).toBe('success');
  const before = await ports.lists.findSource(DEMO);

  // Half a list, and then nothing: the holder waits with a spool that is half written.
  const half = Promise.withResolvers<void>();
  publisher.answer = (_, response) => {
    const text = edition('Second Edition');
    response.writeHead(200, { 'content-length': text.length });
    response.write(text.slice(0, 100), () => half.resolve());
  };
  const run = await start(house);
  await half.promise;
  const holder = await holderOf(ports.tables, run);
  publisher.answer = (_, response) => void response.end(edition('Second Edition'));
  const since = performance.now();
  process.kill(pidOf(holder), 'SIGKILL');
  await vi.waitUntil(async () => {
    const now = await ports.runs.findRun(run.runId);
    if (now?.tries === 1)
      expect(await ports.lists.findSource(DEMO)).toMatchObject(activeOf(before));
    return now?.tries === 2;
  }, UNTIL);
  expect(performance.now() - since).toBeLessThan(TAKEN_OVER_MS);
  const after = await ended(house, run);
  expect(after).toMatchObject({ status: 'success', tries: 2, updatedCount: 1 });
  const source = await ports.lists.findSource(DEMO);
  expect(source?.active?.runId).toBe(run.runId);
  expect(source).not.toHaveProperty('runningRunId');
  // The dead worker's half file goes with its age; nothing else stays.
  await vi.waitUntil(() => readdirSync(join(folder, 'spool')).length <= 1, UNTIL);
}

const activeOf = (source: { active?: unknown } | undefined) => ({ active: source?.active });

describe('of two workers one dies of kill -9 in the middle of a run', () => {
  test.concurrent.each([
    ['on this host', {}],
    ['on another host, where only silence tells', { DEAF: '1' }],
  ])('%s: the other one does it within 30 s', async (_, env) => dieInTheMiddle(env));
});

test('an import by hand whose process dies ends as failed, and its source is free', async () => {
  const house = await open();
  const { folder, ports, publisher } = house;
  const pipe = join(folder, 'list.jsonl');
  execFileSync('mkfifo', [pipe]);
  // Open on both ends, so that neither waits for the other and the file never ends.
  const end = openSync(pipe, 'r+');
  writeSync(end, edition('By Hand').slice(0, 100));
  const words = ['list', 'import', '--source', DEMO, '--file', pipe];
  const cli = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, ...words], {
    // Not what a test runner adds to it: vitest sets BASE_URL.
    env: { DATA_DIR: folder, HOME: process.env.HOME, PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let run: ListRun | undefined;
  await vi.waitUntil(async () => {
    expect(cli.exitCode).toBe(null);
    [run] = await ports.runs.listRuns({ limit: 1, status: 'running' });
    return run !== undefined && (await holderOf(ports.tables, run)) !== undefined;
  }, UNTIL);
  await house.worker();
  expect(run).toMatchObject({ kind: 'manual', status: 'running' });
  cli.kill('SIGKILL');
  const after = await ended(house, run as ListRun);
  closeSync(end);
  expect(after).toMatchObject({ errorCode: 'run-abandoned', status: 'failed' });
  expect(await ports.lists.findSource(DEMO)).not.toHaveProperty('active');
  publisher.answer = (_, response) => void response.end(edition('Next Edition'));
  expect((await ended(house, await start(house))).status).toBe('success');
});

test('two workers and twenty starts at once: a source is never run twice at a time', async () => {
  const house = await open();
  const { ports, publisher } = house;
  let [atOnce, most, editions] = [0, 0, 0];
  publisher.answer = (_, response) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    editions += 1;
    response.on('close', () => {
      atOnce -= 1;
    });
    response.end(edition(`Edition ${editions}`));
  };
  await Promise.all(Array.from({ length: 2 }, () => house.worker({ POLL_MS: '20' })));
  const runs: ListRun[] = [];
  for (let round = 1; round <= 5; round += 1) {
    const starts = await Promise.allSettled(Array.from({ length: 20 }, () => start(house)));
    for (const made of starts) {
      if (made.status === 'fulfilled') runs.push(await ended(house, made.value));
      else expect((made.reason as DomainError).code).toBe('state-conflict');
    }
    expect(runs).toHaveLength(round);
  }
  expect(runs.map(({ status, tries }) => `${status} ${tries}`)).toEqual(Array(5).fill('success 1'));
  expect([most, publisher.asked.length]).toEqual([1, 5]);
  expect((await ports.lists.findSource(DEMO))?.active?.runId).toBe(runs.at(-1)?.runId);
});

test('a fire is one run over five schedulers of a store, three in a minute disable', async () => {
  const house = await open();
  const { installation, ports } = house;
  await pointSource(installation, { cronDelta: '0 0 */4 * * ?', enabled: true });
  const { updatedAt } = (await ports.lists.findSource(DEMO)) ?? { updatedAt: 0 };
  const due = Math.ceil((updatedAt + 1) / 14_400_000) * 14_400_000;
  const fireAt = async (now: number) => {
    const clock = { monotonicMs: () => now, now: () => now as EpochMs };
    const fire = () => fireSchedules({ ...ports, clock, onProblem: () => {} });
    const fired = await Promise.all(Array.from({ length: 5 }, fire));
    return {
      disabled: fired.flatMap(({ disabled }) => disabled),
      started: fired.flatMap(({ started }) => started),
    };
  };
  expect(await fireAt(due - 1)).toEqual({ disabled: [], started: [] });
  const { started } = await fireAt(due);
  expect(started).toMatchObject([{ kind: 'delta', triggeredBy: 'cron' }]);
  const [run] = started;
  expect(await fireAt(due)).toEqual({ disabled: [], started: [] });

  // What no valid expression does, but a store that was changed by hand, or a defect of ours.
  await endRun(ports, run as ListRun, { status: 'skipped' });
  const recent = [due, due + 20_000, due + 40_000] as EpochMs[];
  await pointSource(installation, { fires: { delta: { recent, scheduledFor: due as EpochMs } } });
  expect(await fireAt(due + 60_000)).toEqual({ disabled: [DEMO], started: [] });
  expect(await ports.lists.findSource(DEMO)).toMatchObject({
    disabledReason: 'fired-too-often',
    enabled: false,
  });
  expect(await fireAt(due + 86_400_000)).toEqual({ disabled: [], started: [] });
});
