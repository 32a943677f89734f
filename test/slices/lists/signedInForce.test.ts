/**
 * Whoever can write the database takes a list away, or puts another version in force: an answer
 * without it would look like CLEAR. Every store; and which changes lie between two versions is what
 * entries say, whatever records do.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PLATFORM_CHAIN, type SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { newSource } from '#slices/ingestion';
import {
  bundleMembers,
  indexMembers,
  type ListSource,
  type ListVersion,
  listStore,
  signedInForce,
  signedVersions,
  sourceTable,
  versionTable,
} from '#slices/lists';
import { onEachStore } from '../../storage/eachStore.ts';
import { type Forgery, openForgery } from '../../storage/forgery.ts';

const ALTERED = { code: 'list-altered' };
const SOURCE = 'UN_SC' as SourceId;

const versionOf = (day: number, changesBlob?: string): ListVersion => ({
  bundleBlob: `${day}`.repeat(64),
  ...(changesBlob !== undefined && { changesBlob }),
  contentDigest: 'c'.repeat(64),
  entityCount: day,
  listDigest: `${day}`.repeat(64),
  listVersion: `v2026-01-0${day}.a`,
  nameCount: day,
  publishedAt: day as EpochMs,
  releaseDate: `2026-01-0${day}`,
  snapshotBlob: 'f'.repeat(63) + day,
  sourceId: SOURCE,
});

onEachStore((makeHarness) => {
  let forgery: Forgery;
  let source: ListSource;
  const [first, second] = [versionOf(1), versionOf(2, 'a'.repeat(64))];
  const third = versionOf(3, 'b'.repeat(64));

  beforeEach(async () => {
    forgery = await openForgery(makeHarness);
    source = newSource(SOURCE);
    for (const version of [first, second, third]) await publish(version);
  });
  afterEach(() => forgery?.close());

  async function publish(version: ListVersion): Promise<void> {
    const told = {
      action: 'SANCTIONS_LIST_PUBLISHED',
      members: {
        ...bundleMembers(version),
        ...indexMembers(version),
        ...(version.changesBlob !== undefined && { changes: version.changesBlob }),
      },
      target: SOURCE,
    };
    source = { ...source, active: version, version: source.version + 1 };
    const changes = [versionTable.insert(version), sourceTable.put(source, source.version - 1)];
    await forgery.commit(PLATFORM_CHAIN, told, ...changes);
  }

  async function inForce(): Promise<readonly string[]> {
    const ports = { ...forgery, lists: listStore(forgery.tables), signed: signedVersions(forgery) };
    return (await signedInForce(ports)).map(({ listVersion }) => listVersion);
  }

  test('what was published last is in force', async () => {
    expect(await inForce()).toEqual([third.listVersion]);
  });

  describe('is refused by name', () => {
    test('a source whose record is gone', async () => {
      await forgery.forge(PLATFORM_CHAIN, sourceTable.remove({ sourceId: SOURCE }, 3));
      await expect(inForce()).rejects.toMatchObject({
        ...ALTERED,
        message: expect.stringContaining(SOURCE),
      });
    });

    test('a source whose record has no version any more', async () => {
      const { active: _, ...bare } = source;
      await forgery.forge(PLATFORM_CHAIN, sourceTable.put({ ...bare, version: 4 }, 3));
      await expect(inForce()).rejects.toMatchObject(ALTERED);
    });

    test('a version of before', async () => {
      const back = { ...source, active: second, version: 4 };
      await forgery.forge(PLATFORM_CHAIN, sourceTable.put(back, 3));
      await expect(inForce()).rejects.toMatchObject(ALTERED);
    });

    test('a list that nobody published', async () => {
      const other = { ...newSource('EU_CFSP'), version: 1 };
      const active = { ...third, sourceId: other.sourceId };
      await forgery.forge(PLATFORM_CHAIN, sourceTable.put({ ...other, active }, 0));
      await expect(inForce()).rejects.toMatchObject(ALTERED);
    });
  });

  test('the changes between two versions are those that entries name', async () => {
    const signed = signedVersions(forgery);
    const since = (from: ListVersion, to: ListVersion) => signed.changesSince({ from, to });
    expect(await since(first, third)).toEqual(['a'.repeat(64), 'b'.repeat(64)]);
    expect(await since(second, third)).toEqual(['b'.repeat(64)]);
    expect(await since(third, first)).toBeUndefined();
    expect(await since(versionOf(9), third)).toBeUndefined();
  });
});
