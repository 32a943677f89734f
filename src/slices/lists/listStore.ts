/** Sources and versions as the slices read them, over tables of whichever store. */
import { allRecords, everyRecord, type TableChange, type Tables } from '#core/kernel';
import type { ListStore, ListVersion } from './ports.ts';
import { PUBLICATIONS, sourceTable, versionTable } from './tables.ts';

/** The store over these tables. What is written is a change of a commit. */
export function listStore(tables: Pick<Tables, 'find' | 'page' | 'stamp'>): ListStore {
  return {
    listSources: () => allRecords(tables, sourceTable, { index: 'key' }),
    findSource: (sourceId) => tables.find(sourceTable, { sourceId }),
    findVersion: (key) => tables.find(versionTable, key),
    async listVersions({ limit, sourceId }) {
      const page = await tables.page(versionTable, { ...latestFirst(sourceId), limit });
      return page.records;
    },
    everyVersion: (sourceId) => everyRecord(tables, versionTable, latestFirst(sourceId)),
    publicationCounter: () => tables.stamp(PUBLICATIONS),
  };
}

const latestFirst = (sourceId: ListVersion['sourceId']) =>
  ({ direction: 'descending', equal: { sourceId }, index: 'placed' }) as const;

/**
 * What puts a version on record, for the commit that puts it in force: nothing where the same
 * content stands under its label already. Another content there makes the commit stale, and so does
 * whoever puts the version on record meanwhile: the caller begins anew, and finds it there then.
 */
export async function versionChanges(
  lists: Pick<ListStore, 'findVersion'>,
  version: ListVersion,
): Promise<readonly TableChange[]> {
  const { contentDigest, listDigest, listVersion, sourceId } = version;
  const there = await lists.findVersion({ listVersion, sourceId });
  const isThere = there?.listDigest === listDigest && there.contentDigest === contentDigest;
  return isThere ? [] : [versionTable.insert(version)];
}
