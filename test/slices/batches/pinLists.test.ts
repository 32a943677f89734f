/** Which versions a batch is screened against, and from which ones on. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import type { ListVersion } from '#slices/lists';
import { listSetOfVersions } from '#slices/screening';
import { at, type Lists, labels, openLists } from './pinned.ts';

let lists: Lists;
let first: ListVersion;
let second: ListVersion;

beforeAll(async () => {
  lists = await openLists();
  first = await lists.publish('DEMO', { a: 'Zorbandule Kelvorth' });
  second = await lists.publish('DEMO', { a: 'Quellmar Ostrevani' });
});
afterAll(() => lists.close());

const code = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof DomainError ? error.code : String(error);
};

test('the versions in force are pinned, and named as every screening names them', async () => {
  const batch = await lists.start('full');
  expect(labels(batch)).toEqual([`DEMO ${second.listVersion}`]);
  expect(batch.listVersion).toBe(listSetOfVersions([second], batch.resolution).listVersion);
  expect(batch.listsPinned?.[0]).toEqual({
    content_digest: second.contentDigest,
    index: second.snapshotBlob,
    list_digest: second.listDigest,
    list_version: second.listVersion,
    published_at: second.publishedAt,
    source: 'DEMO',
  });
});

test('delta goes on from what was in force at the time that it names', async () => {
  const since = async (time: ReturnType<typeof at>) =>
    labels(await lists.start('delta', { since: time }));
  const now = `DEMO ${second.listVersion}`;
  expect(await since(at(first))).toEqual([`${now} since ${first.listVersion}`]);
  expect(await since(at(second, -1))).toEqual([`${now} since ${first.listVersion}`]);
  expect(await since(at(second))).toEqual([`${now} since ${second.listVersion}`]);
  expect(await since(at(first, -1))).toEqual([now]);
});

test('deltas go on from the base, newlist takes what no base knew', async () => {
  const base = await lists.start('full');
  const third = await lists.publish('DEMO', { a: 'Belmuro Tashkandir' });
  const other = await lists.publish('BCT_TN', { x: 'Vimandro Castelburg' });
  const ask = { baseBatchId: base.batchId };
  const since = [
    `BCT_TN ${other.listVersion}`,
    `DEMO ${third.listVersion} since ${second.listVersion}`,
  ];
  expect(labels(await lists.start('delta', ask))).toEqual(since);
  expect(labels(await lists.start('listsdelta', ask))).toEqual(since);
  const added = await lists.start('newlist', ask);
  expect(labels(added)).toEqual([`BCT_TN ${other.listVersion}`]);
  expect(added.listVersion).toBe(listSetOfVersions([other], added.resolution).listVersion);

  const after = { baseBatchId: added.batchId };
  expect(await code(lists.start('newlist', after))).toBe('batch-base-missing');
  const eu = await lists.publish('EU_CFSP', { e: 'Ostrelin Varbukov' });
  expect(labels(await lists.start('newlist', after))).toEqual([`EU_CFSP ${eu.listVersion}`]);
  expect(labels(await lists.start('delta', after))).toEqual([
    `BCT_TN ${other.listVersion} since ${other.listVersion}`,
    `DEMO ${third.listVersion} since ${second.listVersion}`,
    `EU_CFSP ${eu.listVersion}`,
  ]);
});

test('a delta after listsdelta goes back to what was screened before the changes', async () => {
  const base = await lists.start('full', { lists: ['DEMO'] });
  const [before] = labels(base);
  await lists.publish('DEMO', { a: 'Changed Since', b: 'Added Since' });
  const later = await lists.start('listsdelta', { baseBatchId: base.batchId });
  const now = await lists.publish('DEMO', { a: 'Changed Since', b: 'Added Since', c: 'Now' });
  const after = { baseBatchId: later.batchId, lists: ['DEMO'] };
  const last = await lists.start('listsdelta', after);
  const since = before?.replace('DEMO ', '');
  const goesOn = { baseBatchId: last.batchId };
  expect(labels(await lists.start('delta', { ...goesOn, lists: ['DEMO'] }))).toEqual([
    `DEMO ${now.listVersion} since ${since}`,
  ]);
  // A list that the first of them screened whole is known since then.
  const bct = labels(later).find((label) => label.startsWith('BCT_TN'));
  const again = await lists.start('listsdelta', { baseBatchId: later.batchId });
  expect(labels(await lists.start('delta', { baseBatchId: again.batchId }))).toContain(
    `${bct} since ${bct?.replace('BCT_TN ', '')}`,
  );
});

test('what cannot be pinned is refused by the codes of every other screening', async () => {
  expect(await code(lists.start('full', { lists: ['NOBODY'] }))).toBe('list-unknown');
  expect(await code(lists.start('full', { lists: ['UN'] }))).toBe('list-unavailable');
  expect(await code(lists.start('delta'))).toBe('batch-base-missing');
  expect(await code(lists.start('listsdelta'))).toBe('batch-base-missing');
});
