/** The last checkpoint beside the store: what is forged or damaged is named, never believed. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  appendCheckpoint,
  type Checkpoint,
  type CheckpointProblem,
  checkpointCopies,
  checkpointPath,
  createAuditLog,
  createHeadGuard,
  guardedStore,
  knownCheckpoint,
  lastCheckpoint,
  resumeChain,
  signCheckpoint,
  writeCheckpoints,
} from '#core/audit';
import { type ChainId, DomainError } from '#core/kernel';
import { systemRandom } from '#platform/random';
import { buildChain, clock, type Fixture } from './chainFixture.ts';
import { commitOf, draft, seededSigner, TENANT } from './drafts.ts';

let directory: string;
let fixture: Fixture;
let notes: Map<string, string>;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'checkpoints-'));
  fixture = await buildChain(5);
  notes = new Map();
});
afterEach(() => rmSync(directory, { force: true, recursive: true }));

const copies = () =>
  checkpointCopies({
    get: async (name) => notes.get(name),
    names: async function* () {
      yield* notes.keys();
    },
    put: async (name, text) => void notes.set(name, text),
  });
const places = () => ({ copies: copies(), directory, keyRing: fixture.ring });
const attested = (seq: number, chainId: ChainId = TENANT): Checkpoint => {
  const hash = fixture.store.chain(TENANT).events[seq - 1]?.hash ?? '7'.repeat(64);
  return signCheckpoint(chainId, { hash, seq }, { at: clock.now(), signer: fixture.signer });
};
const forged = (seq: number): Checkpoint =>
  signCheckpoint(
    TENANT,
    { hash: '7'.repeat(64), seq },
    { at: clock.now(), signer: seededSigner('stranger') },
  );
const write = (checkpoint: Checkpoint) => appendCheckpoint(directory, TENANT, checkpoint);

test('it is the later of both places, and the latest line of the file', async () => {
  expect(await knownCheckpoint(places(), TENANT)).toEqual({});
  await write(attested(4));
  // Put behind it to hide it: an earlier one with a good signature.
  await write(attested(2));
  expect(await lastCheckpoint(directory, TENANT)).toMatchObject({ seq: 4 });
  await copies().save(attested(3));
  expect(await knownCheckpoint(places(), TENANT)).toEqual({ checkpoint: attested(4) });
  await copies().save(attested(5));
  expect(await knownCheckpoint(places(), TENANT)).toEqual({ checkpoint: attested(5) });
});

describe('what is not what was signed is named', () => {
  const inBucket = (text: string) => async () => void notes.set(`checkpoint-${TENANT}.json`, text);
  const other = '0190a000-0000-7000-8000-0000000000ff' as ChainId;

  test.each([
    ['a key of nobody', () => write(forged(9)), 'in the data directory', 'seq 9: key-unknown'],
    [
      'another seq under a signature',
      () => write({ ...attested(4), seq: 9 }),
      'in the data directory',
      'seq 9: signature does not verify',
    ],
    [
      'of another chain',
      () => write(attested(4, other)),
      'in the data directory',
      'seq 4: it is of another chain',
    ],
    ['a forged copy', () => copies().save(forged(2)), 'in the bucket', 'seq 2: key-unknown'],
    ['a copy that is no checkpoint', inBucket('{}'), 'in the bucket', 'it is no checkpoint'],
    ['a copy that is cut', inBucket('{"at":"2026'), 'in the bucket', 'it is not JSON'],
  ])('%s', async (_, put, place, reason) => {
    await put();
    expect((await knownCheckpoint(places(), TENANT)).refusal).toBe(
      `the checkpoint ${place} is not what was signed: ${reason}`,
    );
  });
});

describe('a bucket', () => {
  const failing = (error: Error) => ({
    ...places(),
    copies: { ...copies(), latest: () => Promise.reject(error) },
  });

  test('that is out of reach holds nothing up', async () => {
    await write(attested(3));
    const away = failing(new DomainError('store-unavailable', { detail: 'the bucket' }));
    expect(await knownCheckpoint(away, TENANT)).toEqual({ checkpoint: attested(3) });
  });

  test('whose answer is a fault of ours is not passed over', async () => {
    await expect(knownCheckpoint(failing(new TypeError('x is no y')), TENANT)).rejects.toThrow(
      'x is no y',
    );
  });
});

describe('where one is forged', () => {
  const guard = () => createHeadGuard({ ...places(), clock, store: fixture.store });
  const REASON = 'the checkpoint in the data directory is not what was signed: seq 9: key-unknown';
  beforeEach(() => write(forged(9)));

  test('nothing is signed in its chain, and the guard names it', async () => {
    const store = guardedStore(fixture.store, guard());
    const of = { clock, holder: 'one', random: systemRandom, signer: fixture.signer, store };
    const log = createAuditLog(of);
    await expect(log.commit(TENANT, commitOf([draft(6)]))).rejects.toMatchObject({
      code: 'audit-chain-behind',
      message: expect.stringContaining(REASON),
    });
    await log.close();
    expect(await guard().behind()).toEqual([{ chainId: TENANT, isAltered: true, reason: REASON }]);
    await expect(guard().known(TENANT)).rejects.toMatchObject({ code: 'audit-chain-behind' });
  });

  test('no checkpoint is signed over it, and the job names it', async () => {
    const problems: CheckpointProblem[] = [];
    const onProblem = (problem: CheckpointProblem) => problems.push(problem);
    const of = { ...fixture, ...places(), clock, onProblem };
    expect(await writeCheckpoints(of)).toEqual([]);
    expect(problems).toEqual([{ chainId: TENANT, detail: REASON, kind: 'checkpoint-altered' }]);
    expect(notes.size).toBe(0);
  });

  test('the chain is not resumed behind it', async () => {
    const ports = { ...fixture, ...places(), clock, holder: 'cli', random: systemRandom };
    const request = { actor: 'cli:test', chainId: TENANT, reason: 'disk lost' } as const;
    await expect(resumeChain(ports, request)).rejects.toMatchObject({
      code: 'state-conflict',
      message: expect.stringContaining(REASON),
    });
  });
});

test('half a line of a crash is none, and says nothing of the others', async () => {
  mkdirSync(directory, { recursive: true });
  appendFileSync(checkpointPath(directory, TENANT), '{"at":"2026-05');
  expect(await knownCheckpoint(places(), TENANT)).toEqual({});
  await write(attested(3));
  expect(await knownCheckpoint(places(), TENANT)).toEqual({ checkpoint: attested(3) });
});
