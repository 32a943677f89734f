/**
 * OPEN_AGGREGATE from a publisher of releases and deltas, through real runs: what is in force after
 * deltas is what the whole release would have been.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourceId } from '#core/kernel';
import { type ListRun, startRun } from '#slices/ingestion';
import type { OpenInstallation } from '../../../src/app/installation.ts';
import {
  ENTITIES_PATH,
  type FtmPublisher,
  openFtmPublisher,
} from '../../sources/fetch/ftmPublisher.ts';
import { openAt, pointSource } from './listPublisher.ts';
import { doRun } from './runHolds.ts';
import { openRuns, type RunParts } from './runParts.ts';

const SOURCE = 'OPEN_AGGREGATE' as SourceId;
const V1 = '20260101060000-aaa';
const V2 = '20260101120000-bbb';
const V3 = '20260101180000-ccc';

let folder: string;
let publisher: FtmPublisher;
let installation: OpenInstallation;
let ports: RunParts;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ftm-runs-'));
  publisher = await openFtmPublisher();
  installation = await openAt(folder, 'test');
  ports = openRuns(installation);
  await pointSource(installation, { url: `${publisher.origin}${ENTITIES_PATH}` }, SOURCE);
});

afterAll(async () => {
  await ports.close();
  await installation.close();
  await publisher.close();
  rmSync(folder, { recursive: true });
});

const entity = (id: string, name: string) => ({
  caption: name,
  id,
  last_seen: '2026-01-01T00:00:00',
  properties: { name: [name], topics: ['sanction'] },
  schema: 'Person',
});
const text = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const op = (kind: 'ADD' | 'MOD' | 'DEL', id: string, name = '') =>
  kind === 'DEL' ? { entity: { id }, op: kind } : { entity: entity(id, name), op: kind };

const PASSPORT = {
  id: 'pass-1',
  properties: { country: ['tn'], holder: ['p-5'], number: ['K 100'] },
  schema: 'Passport',
};
const SANCTION = {
  id: 'sanc-1',
  properties: { authority: ['Council'], entity: ['p-6'], programId: ['TN-1'] },
  schema: 'Sanction',
};

const AT_FIRST = Array.from({ length: 20 }, (_, at) => entity(`p-${at}`, `Bram Walder ${at}`));
const D2 = text([op('MOD', 'p-1', 'Bram Renamed'), op('ADD', 'p-new', 'Cyra Passing')]);
const D3 = text([
  op('MOD', 'p-1', 'Bram Again'),
  ...[PASSPORT, SANCTION].map((record) => ({ entity: record, op: 'ADD' })),
  op('DEL', 'p-new'),
  op('DEL', 'p-2'),
]);
const PEOPLE = AT_FIRST.filter(({ id }) => id !== 'p-2').map((one) =>
  one.id === 'p-1' ? entity('p-1', 'Bram Again') : one,
);
const IN_THE_END = [PASSPORT, ...PEOPLE, SANCTION];

async function run(kind: 'full' | 'delta'): Promise<ListRun> {
  publisher.asked.length = 0;
  const run = await startRun(ports, { kind, sourceId: SOURCE, triggeredBy: 'cron' });
  const outcome = await doRun(ports, run);
  if (!('run' in outcome)) throw outcome.error;
  return outcome.run;
}

const source = () => ports.lists.findSource(SOURCE);

test('deltas lead from release to release, to the same list as the whole file', async () => {
  publisher.release(V1, text(AT_FIRST), { [V1]: '' });
  expect(await run('delta')).toMatchObject({ addedCount: 20, status: 'success' });
  expect((await source())?.validators).toMatchObject({ publisherVersion: V1 });

  expect(await run('delta')).toMatchObject({ status: 'skipped' });
  expect(publisher.asked).toHaveLength(1);

  publisher.release(V3, text(IN_THE_END), { [V1]: '', [V2]: D2, [V3]: D3 });
  const changed = await run('delta');
  expect(changed).toMatchObject({
    addedCount: 0,
    removedCount: 1,
    status: 'success',
    updatedCount: 3,
  });
  expect(changed.notes).toMatchObject({ 'removed-unknown': 1 });
  expect(publisher.asked.some((path) => path.endsWith('entities.ftm.json'))).toBe(false);
  const byDeltas = await source();
  expect(byDeltas?.validators).toMatchObject({ publisherVersion: V3 });

  expect(await run('full')).toMatchObject({ status: 'skipped' });
  expect((await source())?.active?.contentDigest).toBe(byDeltas?.active?.contentDigest);
});

test('a list imported by hand is of no release, so the next run fetches the whole', async () => {
  const file = (async function* () {
    yield Buffer.from(text(IN_THE_END.filter(({ id }) => id !== 'p-3')));
  })();
  const byHand = await startRun(ports, { kind: 'manual', sourceId: SOURCE, triggeredBy: 'cli:x' });
  expect((await doRun(ports, byHand, { file })).status).toBe('done');
  expect((await source())?.validators).not.toHaveProperty('publisherVersion');
  expect(await run('delta')).toMatchObject({ addedCount: 1, status: 'success' });
  expect((await source())?.validators).toMatchObject({ publisherVersion: V3 });
});

test('a delta that is read in part is read again, until a whole one or file comes', async () => {
  const V4 = '20260102000000-ddd';
  const many = Array.from({ length: 300 }, (_, at) => op('ADD', `q-${at}`, `Bela Quorum ${at}`));
  const D4 = text(many);
  const damaged = D4.replace('"q-7"', '"q-7');
  const whole = text([...IN_THE_END, ...many.map(({ entity: one }) => one)]);
  publisher.release(V4, whole, { [V1]: '', [V3]: D3, [V4]: damaged });
  expect(await run('delta')).toMatchObject({ addedCount: 299, status: 'partial' });
  expect((await source())?.validators).toMatchObject({ publisherVersion: V3 });
  expect((await run('delta')).status).toBe('skipped');
  expect((await source())?.validators).toMatchObject({ publisherVersion: V3 });
  publisher.release(V4, whole, { [V1]: '', [V3]: D3, [V4]: D4 });
  expect(await run('delta')).toMatchObject({ addedCount: 1, status: 'success' });
  expect((await source())?.validators).toMatchObject({ publisherVersion: V4 });
});
