/** What follows a publication in a worker, over a real store: the resolution, and indexes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Log } from '#platform/log';
import { createMetrics } from '#platform/metrics';
import { importList } from '#slices/ingestion';
import { resolutionStore } from '#slices/resolution';
import type { OpenInstallation } from '../../../src/app/installation.ts';
import { type OpenProcess, openProcess } from '../../../src/app/process.ts';
import { loadJobs } from '../../../src/app/worker/jobs.ts';
import { openReactions } from '../../../src/app/worker/reactions.ts';
import type { WorkerProcess } from '../../../src/slices/processes.ts';
import { openAt } from '../../slices/ingestion/listPublisher.ts';
import { reader } from '../../slices/ingestion/release.ts';
import { importPorts } from '../../slices/ingestion/runParts.ts';
import { listEntity } from '../../slices/lists/listEntity.ts';
import { setFormat } from '../../slices/lists/setFormat.ts';
import { freeLimiter } from '../../workers/quietWorker.ts';

const WAIT = { interval: 20, timeout: 60_000 };

let folder: string;
let installation: OpenInstallation;
let told: string[];
let stop: () => Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reactions-'));
  installation = await openAt(folder, 'test');
  told = [];
  stop = async () => {};
});
afterEach(async () => {
  await stop();
  await installation.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<void> {
  const tell = (_: object, message: string): void => void told.push(message);
  const log: Log = { debug: () => {}, error: tell, info: tell, isDebug: () => false, warn: tell };
  const { close, process }: OpenProcess<WorkerProcess> = openProcess(installation, {
    limiter: freeLimiter,
    log,
    metrics: createMetrics({ processFigures: false }),
  });
  const signal = new AbortController();
  const running = (await openReactions(process, await loadJobs())).run(signal.signal);
  stop = async () => {
    signal.abort();
    await running;
    await close();
  };
}

function publish(sourceId: string, akas: string[] = []) {
  const person = listEntity(`${sourceId}-1`, {
    akas,
    dates_of_birth: ['1970-02-03'],
    primary_name: 'Ivan Ivanovich Petrov',
    primary_name_folded: 'ivan ivanovich petrov',
  });
  const read = (async function* () {
    yield Buffer.from(JSON.stringify({ entities: [person], notes: {}, releaseDate: '2026-01-01' }));
  })();
  return importList({
    actor: 'cli:test',
    ports: importPorts(installation),
    read,
    reader,
    sourceId,
  });
}
const isResolved = async () => {
  const found = await resolutionStore(installation.storage.tables).findResolution();
  return found !== undefined && found.isCarried !== true;
};

test('the resolution follows each publication, and nothing waits afterwards', async () => {
  await start();
  await publish('UN_SC');
  await publish('EU_CFSP');
  await vi.waitUntil(isResolved, WAIT);
  const before = await resolutionStore(installation.storage.tables).findResolution();
  await publish('EU_CFSP', ['Ivan Petrov']);
  const follows = async () =>
    (await isResolved()) &&
    (await resolutionStore(installation.storage.tables).findResolution())?.version !==
      before?.version;
  await vi.waitUntil(follows, WAIT);
  const waiting = async () => {
    const figures = await installation.storage.outbox.figures();
    return figures.filter(({ subscriber }) => subscriber !== 'bus').map((one) => one.waiting);
  };
  await vi.waitUntil(async () => (await waiting()).every((count) => count === 0), WAIT);
  expect(told.filter((message) => message !== 'lists resolved')).toEqual([]);
});

test('what a worker that was away did not hear of is done at its start', async () => {
  await publish('UN_SC');
  const { version } = await publish('EU_CFSP');
  await setFormat(installation, version, 1);
  await start();
  const what = 'an index that could not be loaded was built from its bundle';
  await vi.waitUntil(async () => told.includes(what) && (await isResolved()), WAIT);
});
