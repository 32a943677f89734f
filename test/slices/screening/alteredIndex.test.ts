/**
 * Whoever can write the database swaps the index of a list for another that it has, by one UPDATE:
 * a listed name would be CLEAR under the same signed `list_version`. Nothing loads it, and the
 * worker builds the index anew from the bundle that the signed entry names.
 */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type ListVersion, listStore, signedVersions } from '#slices/lists';
import { checks } from '../../../src/slices/ingestion/edge/checks.ts';
import { onEachInstallation } from '../../storage/eachInstallation.ts';
import { type Forger, forgerOf } from '../../storage/forger.ts';
import { openRealLists, type RealLists } from './loadedLists.ts';

const LISTED = 'Zorbandule Kelvorth';
const SOURCE = 'DEMO';
onEachInstallation((env) => {
  const opened: RealLists[] = [];
  afterAll(async () => {
    for (const lists of opened) await lists.close();
  });

  let real: RealLists;
  let forger: Forger;
  let version: ListVersion;
  let other: ListVersion;
  beforeEach(async () => {
    real = await openRealLists(env());
    forger = forgerOf(real.installation.config);
    opened.push(real);
    other = await real.publish({ names: ['Somebody Else'], source: 'UN_SC' });
    version = await real.publish({ names: [LISTED], source: SOURCE });
  });

  const sourceOf = async () => {
    const source = await listStore(real.installation.storage.tables).findSource(SOURCE as never);
    if (source?.active === undefined) throw new Error('it is in force');
    return source.active;
  };

  async function swap(from: string, to: string): Promise<void> {
    await forger.alter('list_source', from, to);
    await forger.tellOfLists();
  }

  const look = async (): Promise<string> => {
    const { keyRing, storage } = real.installation;
    const indexes = checks.find(({ name }) => name === 'indexes');
    return (await indexes?.look({ keyRing, storage } as never)) ?? '';
  };

  test('is refused at load, by doctor, and mended from the signed bundle', async () => {
    expect(await look()).toBe('2 lists in force are what was signed');
    await swap(version.snapshotBlob, other.snapshotBlob);
    const { failed, lists } = real.start();
    await lists.refresh();
    const current = lists.current();
    expect([failed, current.unloaded]).toEqual([[SOURCE], [SOURCE]]);
    expect(current.lists.map((list) => list.version.sourceId)).toEqual(['UN_SC']);
    await expect(look()).rejects.toMatchObject({ code: 'list-altered' });

    expect(await real.rebuild()).toBe(1);
    await lists.refresh();
    const { index } = lists.current().lists.find((list) => list.version.sourceId === SOURCE) ?? {};
    expect(await real.find(LISTED, index ? [index] : [])).toBe(LISTED);
    expect(await look()).toContain('2 lists');
    await lists.close();
  });

  test('is refused by one that has the list, which goes on with what it has', async () => {
    const { failed, lists } = real.start();
    await lists.refresh();
    await swap(version.snapshotBlob, other.snapshotBlob);
    await lists.refresh();
    expect(failed).toEqual([SOURCE]);
    const { index } = lists.current().lists.find((list) => list.version.sourceId === SOURCE) ?? {};
    expect(await real.find(LISTED, index ? [index] : [])).toBe(LISTED);
    await lists.close();
  });

  test('a list whose record is gone is not left out, but refused', async () => {
    const running = real.start();
    await running.lists.refresh();
    await forger.remove('list_source', `"sourceId":"${SOURCE}"`);
    await forger.tellOfLists();
    const { failed, lists } = real.start();
    await lists.refresh();
    expect([failed, lists.current().unloaded]).toEqual([[undefined], [SOURCE]]);
    await running.lists.refresh();
    const { index } =
      running.lists.current().lists.find((list) => list.version.sourceId === SOURCE) ?? {};
    expect(await real.find(LISTED, index ? [index] : [])).toBe(LISTED);
    await expect(look()).rejects.toMatchObject({ code: 'list-altered' });
    await lists.close();
    await running.lists.close();
  });

  test('another bundle is beyond repair: no index is built of it, and none is signed', async () => {
    await swap(version.bundleBlob, other.bundleBlob);
    await expect(real.rebuild()).rejects.toMatchObject({ code: 'list-altered' });
  });

  test('a record as it once was is not the last one', async () => {
    const later = await real.publish({ names: [LISTED, 'Another Later'], source: SOURCE });
    const { audit } = real.installation.storage;
    const signed = signedVersions({ ...real.installation, audit });
    await signed.checkInForce(await sourceOf());
    await expect(signed.checkInForce(version)).rejects.toMatchObject({
      code: 'list-altered',
      message: expect.stringContaining(later.listVersion),
    });
    // A batch that has pinned it may still be screened by it.
    await signed.checkPublished(version);
    const forged = { ...version, snapshotBlob: other.snapshotBlob };
    await expect(signed.checkPublished(forged)).rejects.toMatchObject({ code: 'list-altered' });
  });
});
