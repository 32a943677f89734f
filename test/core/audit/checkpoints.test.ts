/** The checkpoint job and its files. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Checkpoint,
  type CheckpointOptions,
  type CheckpointProblem,
  checkpointPath,
  lastCheckpoint,
  runCheckpoints,
  verifyExport,
  writeCheckpoints,
} from '#core/audit';
import type { EpochMs } from '../../../src/platform/clock.ts';
import {
  buildChain,
  clock,
  exportLines,
  extendChain,
  type Fixture,
  verifyLines,
} from './chainFixture.ts';
import { TENANT } from './drafts.ts';

let directory: string;
let fixture: Fixture;
let problems: CheckpointProblem[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'checkpoints-'));
  fixture = await buildChain(5);
  problems = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const options = (extra: Partial<CheckpointOptions> = {}): CheckpointOptions => ({
  ...fixture,
  clock,
  directory: join(directory, 'checkpoints'),
  keyRing: fixture.ring,
  onProblem: (problem) => problems.push(problem),
  ...extra,
});
const fileLines = () =>
  readFileSync(checkpointPath(join(directory, 'checkpoints'), TENANT), 'utf8')
    .split('\n')
    .filter(Boolean);

test('a checkpoint is stored, exported beside the database, and verifies an export', async () => {
  const [written] = await writeCheckpoints(options());
  expect(written).toMatchObject({ tenant_id: TENANT, seq: 5, key_id: fixture.signer.keyId });
  expect(await fixture.store.latestCheckpoint(TENANT)).toEqual(written);
  expect(fileLines().map((line) => JSON.parse(line) as Checkpoint)).toEqual([written]);
  expect(await writeCheckpoints(options())).toEqual([]);
  const lines = await exportLines(fixture);
  const report = await verifyLines(lines, {
    keys: fixture.ring,
    ...(written && { checkpoint: written }),
  });
  expect(report.ok).toBe(true);
});

describe('the job', () => {
  test('signs at the start, after eventsMax events, after intervalMs, and at the end', async () => {
    let nowMs = 0;
    const stepped = { now: () => clock.now() as EpochMs, monotonicMs: () => nowMs };
    const run = runCheckpoints(options({ clock: stepped, eventsMax: 10, lookEveryMs: 1 }));
    const until = (count: number) => vi.waitUntil(() => safeLines().length === count);
    const safeLines = () => {
      try {
        return fileLines();
      } catch {
        return [];
      }
    };
    await until(1);
    await extendChain(fixture, 6, 15);
    await until(2);
    await extendChain(fixture, 16, 17);
    await vi.waitUntil(() => looks > 3);
    expect(fileLines()).toHaveLength(2);
    nowMs += 60_000;
    await until(3);
    await extendChain(fixture, 18, 18);
    await run.close();
    expect(fileLines().map((line) => (JSON.parse(line) as Checkpoint).seq)).toEqual([
      5, 15, 17, 18,
    ]);
    expect(problems).toEqual([]);
  });

  let looks = 0;
  beforeEach(() => {
    looks = 0;
    const { store } = fixture;
    const listChains = store.listChains.bind(store);
    store.listChains = async (which) => {
      const chains = await listChains(which);
      if (chains.some(({ head }) => head.seq === 17)) looks++;
      return chains;
    };
  });

  test('reports a failing store and goes on', async () => {
    const { store } = fixture;
    const listChains = store.listChains.bind(store);
    let failures = 2;
    store.listChains = async (which) => {
      if (failures-- > 0) throw new Error('no primary');
      return listChains(which);
    };
    const run = runCheckpoints(options({ eventsMax: 1, lookEveryMs: 1 }));
    await vi.waitUntil(async () => (await store.latestCheckpoint(TENANT)) !== undefined);
    await run.close();
    expect(problems.map((problem) => problem.kind)).toEqual(['failed', 'failed']);
  });
});

test('another worker that signs a later head meanwhile is no step back', async () => {
  const { store } = fixture;
  const listChains = store.listChains.bind(store);
  let isOther = false;
  store.listChains = async (which) => {
    const chains = await listChains(which);
    if (!isOther) {
      isOther = true;
      await extendChain(fixture, 6, 9);
      await writeCheckpoints(options());
    }
    return chains;
  };
  await writeCheckpoints(options());
  expect(problems).toEqual([]);
  expect((await lastCheckpoint(options().directory, TENANT))?.seq).toBe(9);
});

test('a checkpoint that failed is tried again at the next pass', async () => {
  const { store } = fixture;
  const save = store.saveCheckpoint.bind(store);
  let [failures, nowMs, looks] = [0, 0, 0];
  const stepped = { now: () => clock.now() as EpochMs, monotonicMs: () => nowMs };
  const listChains = store.listChains.bind(store);
  store.listChains = (which) => {
    looks++;
    return listChains(which);
  };
  const run = runCheckpoints(options({ clock: stepped, lookEveryMs: 1 }));
  await vi.waitUntil(async () => (await store.latestCheckpoint(TENANT)) !== undefined);
  store.saveCheckpoint = (checkpoint) => {
    if (failures++ === 0) return Promise.reject(new Error('no primary'));
    return save(checkpoint);
  };
  await extendChain(fixture, 6, 7);
  // One look at least has to see the new events before their time is over.
  const before = looks;
  await vi.waitUntil(() => looks > before + 1);
  nowMs += 60_000;
  await vi.waitUntil(async () => (await store.latestCheckpoint(TENANT))?.seq === 7);
  await run.close();
  expect(problems.map(({ kind }) => kind)).toEqual(['failed']);
});

describe('an old backup', () => {
  test('is not signed over: the file knows a later head', async () => {
    await writeCheckpoints(options());
    fixture.store.chain(TENANT).events.pop();
    fixture.store.checkpoints.clear();
    expect(await writeCheckpoints(options())).toEqual([]);
    expect(problems).toMatchObject([{ kind: 'chain-went-back', chainId: TENANT }]);
    expect(fileLines()).toHaveLength(1);
  });

  test('that has grown again is not signed over either, and verify shows it', async () => {
    const [before] = await writeCheckpoints(options());
    const { events } = fixture.store.chain(TENANT);
    events.splice(2);
    await extendChain(fixture, 3, 9);
    expect(await writeCheckpoints(options())).toEqual([]);
    expect(problems).toMatchObject([{ kind: 'chain-went-back' }]);
    const input = [Buffer.from((await exportLines(fixture)).join('\n'))];
    const report = await verifyExport({
      input,
      keys: fixture.ring,
      ...(before && { checkpoint: before }),
    });
    expect(report.firstBad).toMatchObject({ reason: 'checkpoint-mismatch', seq: 5 });
  });
});

test('half a line of a crash is passed over, and the next one begins on its own', async () => {
  const [first] = await writeCheckpoints(options());
  appendFileSync(checkpointPath(options().directory, TENANT), '{"at":"2026-05');
  expect(await lastCheckpoint(options().directory, TENANT)).toEqual(first);
  await extendChain(fixture, 6, 6);
  const [second] = await writeCheckpoints(options());
  expect(await lastCheckpoint(options().directory, TENANT)).toEqual(second);
  expect(fileLines()).toHaveLength(3);
});

test('a chain id that is no file name is an assertion', () => {
  expect(() => checkpointPath('/tmp', '../x' as typeof TENANT)).toThrow('no file name');
});
