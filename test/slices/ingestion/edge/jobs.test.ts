/**
 * Runs of lists by workers: real processes and a real store, and a publisher on this host. No Redis
 * is here: a run needs none.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { PLATFORM_CHAIN, type SourceId } from '#core/kernel';
import { heldRows, isProcessGone, type WorkLoop } from '#core/work';
import type { Log } from '#platform/log';
import { type ListRun, runTable, startRun } from '#slices/ingestion';
import type { ListVersion } from '#slices/lists';
import type { OpenInstallation } from '../../../../src/app/installation.ts';
import { startListRunner } from '../../../../src/slices/ingestion/edge/jobs.ts';
import {
  DEMO,
  edition,
  openAt,
  openPublisher,
  type Publisher,
  pointSource,
} from '../listPublisher.ts';
import { endRun, holderOf } from '../runHolds.ts';
import { openRuns, type RunParts } from '../runParts.ts';

const WAIT = { interval: 20, timeout: 20_000 };
const PROCESS = join(import.meta.dirname, '../listWorkerProcess.ts');

let folder: string;
let publisher: Publisher;
let installation: OpenInstallation;
let ports: RunParts;
let told: string[];
const open: WorkLoop[] = [];

const log: Log = {
  debug: () => {},
  error: ({ reason }, message) => void told.push(message, String(reason ?? '')),
  info: () => {},
  isDebug: () => false,
  warn: (_, message) => void told.push(message),
};

beforeAll(async () => {
  told = [];
  folder = mkdtempSync(join(tmpdir(), 'runner-'));
  publisher = await openPublisher();
  installation = await openAt(folder, 'test');
  ports = openRuns(installation);
  await pointSource(installation, { url: `${publisher.origin}/list` });
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((runner) => runner.close()));
});

afterAll(async () => {
  await ports.close();
  await installation.close();
  await publisher.close();
  rmSync(folder, { recursive: true });
});

/** They share a process here, so that its number tells nothing of them. */
const isElsewhereGone = (holder: string): boolean =>
  !holder.startsWith(installation.holder) && isProcessGone(holder, installation.holder);

function worker(name: string, pollMs = 20, isGone = isElsewhereGone): WorkLoop {
  const runner = startListRunner({
    holder: `${installation.holder}/${name}`,
    isGone,
    log,
    pollMs,
    ports,
    renewMs: 50,
  });
  open.push(runner);
  return runner;
}

const publish = (name: string): void => {
  publisher.answer = (_, response) => void response.end(edition(name));
};
const start = (kind: 'full' | 'delta' = 'full'): Promise<ListRun> =>
  startRun(ports, { kind, sourceId: DEMO, triggeredBy: 'user:test' });
const active = async (): Promise<ListVersion | undefined> =>
  (await ports.lists.findSource(DEMO))?.active;

/** Actions of the entries in the platform's chain that name the run. */
async function actionsOf({ runId }: ListRun): Promise<readonly unknown[]> {
  const { audit } = installation.storage;
  const sealed = await audit.readEvents({ chainId: PLATFORM_CHAIN, fromSeq: 1, limit: 1_000 });
  const bodies = sealed.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return bodies.filter((body) => body.run_id === runId).map(({ action }) => action);
}

async function ended({ runId }: ListRun): Promise<ListRun> {
  let run: ListRun | undefined;
  await vi.waitUntil(async () => {
    run = await ports.runs.findRun(runId);
    return run !== undefined && run.status !== 'running';
  }, WAIT);
  return run as ListRun;
}

test('a run that was started by anybody is found, done and freed', async () => {
  publish('First Edition');
  const runner = worker('a');
  const run = await ended(await start());
  await runner.close();
  expect(run).toMatchObject({ addedCount: 3, listVersion: 'v2026-01-01.a', status: 'success' });
  expect(await ports.lists.findSource(DEMO)).toMatchObject({ lastCount: 3, lastStatus: 'success' });
  expect((await active())?.runId).toBe(run.runId);
  expect(readdirSync(join(folder, 'spool'))).toEqual([]);
});

test('two workers do a run once', async () => {
  publisher.asked.length = 0;
  publish('Second Edition');
  const runners = [worker('a'), worker('b'), worker('c')];
  const run = await ended(await start());
  await Promise.all(runners.map((runner) => runner.close()));
  expect(run).toMatchObject({ status: 'success', tries: 1, updatedCount: 1 });
  expect(publisher.asked).toHaveLength(1);
});

test('a publisher with nothing new ends a run as skipped, and so does the same file', async () => {
  publisher.answer = (request, response) => {
    if (request.headers['if-none-match'] === '"2"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"2"' }).end(edition('Second Edition'));
  };
  const before = await active();
  const runner = worker('a');
  expect(await ended(await start('delta'))).toMatchObject({
    fetchedBytes: expect.any(Number),
    status: 'skipped',
  });
  const again = await ended(await start('delta'));
  await runner.close();
  expect(again.status).toBe('skipped');
  expect(again.log.map(({ text }) => text)).toContain('the publisher has nothing new');
  expect(await active()).toEqual(before);
});

test('the retry of a full run reads the list whether it changed or not', async () => {
  const runner = worker('a');
  const ask = { kind: 'retry', sourceId: DEMO, triggeredBy: 'cron' } as const;
  const full = await ended(await startRun(ports, { ...ask, retryOf: 'full' }));
  expect(publisher.asked.at(-1)?.headers).not.toHaveProperty('if-none-match');
  expect(full).toMatchObject({ kind: 'retry', parsedCount: 3, status: 'skipped' });
  const delta = await ended(await startRun(ports, { ...ask, retryOf: 'delta' }));
  await runner.close();
  expect(publisher.asked.at(-1)?.headers).toMatchObject({ 'if-none-match': '"2"' });
  expect(delta.parsedCount).toBeUndefined();
});

test('a file that is cut, or of no use, fails the run and leaves the list', async () => {
  const before = await active();
  const runner = worker('a');
  publisher.answer = (_, response) => void response.end(edition('Cut').slice(0, -20));
  const cut = await ended(await start());
  expect(cut).toMatchObject({ errorCode: 'list-damaged', status: 'failed' });
  publisher.answer = (_, response) => void response.end('<html>Maintenance</html>');
  const foreign = await ended(await start());
  expect(foreign.status).toBe('failed');
  publisher.answer = (_, response) => void response.writeHead(404).end();
  const missing = await ended(await start());
  await runner.close();
  expect(missing).toMatchObject({ errorCode: 'list-unreachable', status: 'failed' });
  expect(missing.errorMessage).toContain('HTTP 404');
  expect(await active()).toEqual(before);
  expect((await ports.lists.findSource(DEMO))?.runningRunId).toBeUndefined();
  expect(told).toContain('a run of a list failed');
  // The log says why, in the words of `list show-run`.
  expect(told).toContain(missing.errorMessage);
});

test('a worker that stops hands its run on, and it costs no try', async () => {
  const asked = Promise.withResolvers<void>();
  publisher.answer = () => asked.resolve();
  const first = worker('a');
  const run = await start();
  await asked.promise;
  await first.close();
  expect(await ports.runs.findRun(run.runId)).toMatchObject({ status: 'running', tries: 0 });
  publish('Third Edition');
  const second = worker('b');
  expect(await ended(run)).toMatchObject({ status: 'success', tries: 1 });
  await second.close();
});

test('a worker whose run was taken from it publishes nothing', async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  publisher.answer = async (_, response) => {
    asked.resolve();
    await answered.promise;
    response.end(edition('Fourth Edition'));
  };
  const before = await active();
  const sleeping = worker('a');
  const run = await start();
  await asked.promise;
  // A watcher that took it for dead has the run.
  const key = { runId: run.runId };
  const taken = await vi.waitUntil(async () => {
    const [held] = await heldRows(ports.tables, runTable);
    return held && ports.tables.takeOver(runTable, { holder: 'somebody', key, seen: held.lease });
  }, WAIT);
  answered.resolve();
  await vi.waitUntil(() => told.includes('a run of a list went to another worker'), WAIT);
  await sleeping.close();
  expect(await active()).toEqual(before);
  expect(await ports.runs.findRun(run.runId)).toMatchObject({ status: 'running' });
  expect(await holderOf(ports.tables, run)).toBe('somebody');
  // No alarm is raised: the list has not failed.
  expect(await actionsOf(run)).toEqual(['SANCTIONS_MANUAL_TRIGGER']);
  await ports.tables.giveBack(runTable, { claim: taken.lease, isTried: false, key });
  publish('Fourth Edition');
  const other = worker('b');
  expect(await ended(run)).toMatchObject({ status: 'success' });
  await other.close();
});

test('a publisher that does not answer holds up no other list', async () => {
  const asked = Promise.withResolvers<void>();
  await pointSource(installation, { url: `${publisher.origin}/silent` }, 'UN_SC' as SourceId);
  publisher.answer = ({ url }, response) => {
    if (url === '/silent') asked.resolve();
    else response.end(edition('Beside A Silent One'));
  };
  const runner = worker('a');
  const silent = await startRun(ports, { kind: 'full', sourceId: 'UN_SC', triggeredBy: 'cron' });
  await asked.promise;
  expect(await ended(await start())).toMatchObject({ status: 'success', updatedCount: 1 });
  await runner.close();
  const handedOn = await ports.runs.findRun(silent.runId);
  expect(handedOn).toMatchObject({ status: 'running', tries: 0 });
  await endRun(ports, handedOn as ListRun, { status: 'failed' });
});

test('two lists that arrive at once are imported one after the other', async () => {
  const un = await startRun(ports, { kind: 'full', sourceId: 'UN_SC', triggeredBy: 'cron' });
  const both = [un, await start()];
  const waiting: ServerResponse[] = [];
  publisher.answer = (_, response) => {
    waiting.push(response);
    if (waiting.length === 2) for (const one of waiting) one.end(edition('At Once'));
  };
  const runner = worker('a');
  const [foreign, own] = await Promise.all(both.map(ended));
  await runner.close();
  expect(foreign).toMatchObject({ errorCode: 'list-foreign', status: 'failed' });
  expect(own).toMatchObject({ status: 'success', tries: 1 });
});

test('a wake-up is enough: a run begins without a poll', async () => {
  publish('At Once Again');
  const runner = worker('a', 3_600_000);
  const run = await start();
  runner.wake();
  expect(await ended(run)).toMatchObject({ status: 'success', tries: 1 });
  await runner.close();
});

test('a run of which three workers died ends as failed, and its source is free', async () => {
  const run = await start();
  const key = { runId: run.runId };
  for (const holder of ['one', 'two', 'three']) {
    const taken = await ports.tables.claim(runTable, { holder, key });
    const claim = taken?.lease ?? { fence: 0, holder };
    await ports.tables.giveBack(runTable, { claim, isTried: true, key, work: { stage: 'read' } });
  }
  const runner = worker('a');
  expect(await ended(run)).toMatchObject({
    errorCode: 'run-abandoned',
    errorMessage: '3 workers fell silent in stage read',
    status: 'failed',
  });
  await runner.close();
  expect(await ports.lists.findSource(DEMO)).not.toHaveProperty('runningRunId');
});

test('a run by hand whose process is gone ends as failed at once', async () => {
  const ask = { kind: 'manual', sourceId: DEMO, triggeredBy: 'cli:me' } as const;
  const run = await startRun(ports, { ...ask, reservedFor: `${installation.holder}/gone` });
  const runner = worker('a', 20, () => true);
  expect(await ended(run)).toMatchObject({ errorCode: 'run-abandoned', status: 'failed' });
  await runner.close();
});

describe('a worker killed with -9', () => {
  const killed = async (dieAt: string): Promise<void> => {
    const env = { ...process.env, DATA_DIR: folder, DIE_AT: dieAt };
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROCESS], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 30_000,
    });
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
  };

  test.each(['claim', 'fetch', 'read', 'compare', 'bundle', 'index', 'verify', 'before-commit'])(
    'at %s leaves the list, and another one does the run from the start',
    async (dieAt) => {
      publish(`Killed At ${dieAt}`);
      const before = await active();
      const run = await start();
      await killed(dieAt);
      expect(await active()).toEqual(before);
      expect(await ports.runs.findRun(run.runId)).toMatchObject({ status: 'running', tries: 1 });
      const since = performance.now();
      const runner = worker('b');
      const after = await ended(run);
      await runner.close();
      expect(performance.now() - since).toBeLessThan(30_000);
      expect(after).toMatchObject({ status: 'success', tries: 2, updatedCount: 1 });
      expect((await active())?.runId).toBe(run.runId);
    },
  );

  test('before its claim shows costs a try, too', async () => {
    publish('Killed Before The First Save');
    const run = await start();
    await killed('take');
    expect(await ports.runs.findRun(run.runId)).toMatchObject({ status: 'running' });
    const runner = worker('b');
    expect(await ended(run)).toMatchObject({ status: 'success', tries: 2 });
    await runner.close();
  });

  test('right after the publication leaves nothing to do', async () => {
    publish('Killed After');
    const run = await start();
    await killed('after-commit');
    expect(await ports.runs.findRun(run.runId)).toMatchObject({ status: 'success', tries: 1 });
    expect(await ports.lists.findSource(DEMO)).not.toHaveProperty('runningRunId');
    expect((await active())?.runId).toBe(run.runId);
  });
});
