/**
 * A release of a shrunk list covers what the two persons saw, through real runs: the publisher may
 * give out another file by the time that it is carried out.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Approval, consumedApprovalTable } from '#core/identity';
import { PLATFORM_CHAIN, type TenantId } from '#core/kernel';
import { type ListRun, shrinkApproval, startRun } from '#slices/ingestion';
import type { OpenInstallation } from '../../../src/app/installation.ts';
import { DEMO, openAt, openPublisher, type Publisher, pointSource } from './listPublisher.ts';
import { doRun } from './runHolds.ts';
import { openRuns, type RunParts } from './runParts.ts';

let folder: string;
let publisher: Publisher;
let installation: OpenInstallation;
let ports: RunParts;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shrink-'));
  publisher = await openPublisher();
  installation = await openAt(folder, 'test');
  ports = openRuns(installation);
  await pointSource(installation, { url: `${publisher.origin}/list` });
});

afterAll(async () => {
  await ports.close();
  await installation.close();
  await publisher.close();
  rmSync(folder, { recursive: true });
});

/** Persons of these numbers. */
function list(numbers: readonly number[], releaseDate = '2026-01-01'): string {
  const header = {
    $schema: 'urn:compliance-platform:list-format:v1',
    entity_count: numbers.length,
    release_date: releaseDate,
    source: DEMO,
  };
  const people = numbers.map((number) => ({
    categories: ['SAN'],
    ftm_id: `p-${number}`,
    primary_name: `Bram Walder ${number}`,
    schema: 'Person',
  }));
  return [header, ...people].map((line) => `${JSON.stringify(line)}\n`).join('');
}

const between = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, at) => from + at);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const publish = (text: string): void => {
  publisher.answer = (_, response) => void response.end(text);
};

async function ended(run: ListRun): Promise<ListRun> {
  await doRun(ports, run, { alone: (work) => work() });
  return (await ports.runs.findRun(run.runId)) as ListRun;
}

const fetched = async (): Promise<ListRun> =>
  ended(await startRun(ports, { kind: 'full', sourceId: DEMO, triggeredBy: 'cron' }));

async function released(failed: ListRun): Promise<ListRun> {
  const expiresAt = installation.clock.now();
  const used = { digest: sha256(randomUUID()), expiresAt, tenantId: 'platform' as TenantId };
  const approval = {
    approver: { id: 'person-2' },
    author: { id: 'person-1' },
    consume: consumedApprovalTable.insert(used),
    digest: used.digest,
    keyId: 'key-1',
  } as unknown as Approval;
  const source = await ports.lists.findSource(DEMO);
  const ask = shrinkApproval(ports, {
    by: { approval, ip: '127.0.0.1', reason: 'as told' },
    failed,
    source,
  });
  return ended(await startRun(ports, { ...ask, triggeredBy: 'user:test' }));
}

async function entriesOf({ runId }: ListRun, action: string) {
  const { audit } = installation.storage;
  const sealed = await audit.readEvents({ chainId: PLATFORM_CHAIN, fromSeq: 1, limit: 1_000 });
  const bodies = sealed.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return bodies.filter((body) => body.run_id === runId && body.action === action);
}

const inForce = async () => (await ports.lists.findSource(DEMO))?.active?.entityCount;

/** Each test begins with the same list of 100. */
beforeEach(async () => {
  publish(list(between(0, 100)));
  const run = await fetched();
  expect(['success', 'skipped']).toContain(run.status);
  expect(await inForce()).toBe(100);
});

test('a file that takes away more than what was released waits for another release', async () => {
  publish(list(between(0, 80)));
  const seen = await fetched();
  expect(seen).toMatchObject({ errorCode: 'list-shrunk', removedCount: 20 });
  publish(list([1]));
  const more = await released(seen);
  expect(more).toMatchObject({ errorCode: 'list-shrunk', removedCount: 99, status: 'failed' });
  expect(more.errorMessage).toContain('or the 20 of the file that was released');
  expect(await inForce()).toBe(100);
  // As many, but not the same: nobody has let these go.
  const others = await released(await fetchedShrunk(between(0, 80), between(20, 100)));
  expect(others).toMatchObject({ errorCode: 'list-shrunk', removedCount: 20, status: 'failed' });
  expect(await inForce()).toBe(100);
  // It waits for its own release, and has all that one needs.
  expect(await released(others)).toMatchObject({ removedCount: 20, status: 'success' });
  await releasedBack();
});

/** A run that is refused for `first`; then the publisher gives out `second`. */
async function fetchedShrunk(first: number[], second: number[]): Promise<ListRun> {
  publish(list(first));
  const run = await fetched();
  publish(list(second));
  return run;
}

/** The first 100 again: 20 come, and where others went they come back, too. */
async function releasedBack(): Promise<void> {
  publish(list(between(0, 100)));
  expect(await fetched()).toMatchObject({ removedCount: 0, status: 'success' });
}

test('the same file is let go, and the evidence tells how many, of which file', async () => {
  const text = list(between(0, 80));
  publish(text);
  const seen = await fetched();
  expect(seen).toMatchObject({ fileSha256: sha256(text), removedCount: 20 });
  const run = await released(seen);
  expect(run).toMatchObject({ removedCount: 20, shrinkApprovedBy: 'person-2', status: 'success' });
  expect(await inForce()).toBe(80);
  expect(await entriesOf(run, 'SANCTIONS_SHRINK_APPROVED')).toMatchObject([
    { file_sha256: sha256(text), removed_count: 20 },
  ]);
  expect(await entriesOf(run, 'SANCTIONS_LIST_PUBLISHED')).toMatchObject([
    {
      shrink_approved_by: 'person-2',
      shrink_file_sha256: sha256(text),
      shrink_removed_count: 20,
    },
  ]);
  await releasedBack();
});

test('another copy that takes away the very same is let go, too', async () => {
  publish(list(between(0, 80)));
  const seen = await fetched();
  publish(list(between(0, 80), '2026-01-02'));
  expect(await released(seen)).toMatchObject({ removedCount: 20, status: 'success' });
});
