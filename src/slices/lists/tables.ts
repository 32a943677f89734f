/**
 * What is stored of lists: sources with the version that each has in force, and every version that
 * was ever published. Both are older than declarations; `stored` says how they lie in files and
 * databases of former releases. Entries of lists are in blobs, which the records name.
 */
import { table } from '#core/kernel';
import type { ListSource, ListVersion } from './ports.ts';

/** The number that moves with every publication and every resolution: gateways poll it. */
export const PUBLICATIONS = 'publications';

/** Blobs that replaying an answer of this version needs, its base's included. */
function blobsOfVersion(version: ListVersion): string[] {
  const { bundleBase, bundleBlob, changesBlob, linesBlob, overlayBlob, snapshotBlob } = version;
  const own = [bundleBlob, changesBlob, linesBlob, overlayBlob, snapshotBlob];
  const all = [...own, bundleBase?.bundleBlob, bundleBase?.linesBlob];
  return all.filter((address) => address !== undefined);
}

/**
 * Sources by id. The view of the version in force may name another index than the version's own
 * record, which it was built anew for.
 */
export const sourceTable = table<ListSource, 'sourceId'>('list_source', {
  key: ['sourceId'],
  chain: 'any',
  stamp: { fields: ['active'], name: PUBLICATIONS },
  blobs: ({ active }) => (active === undefined ? [] : blobsOfVersion(active)),
  personal: {
    updatedBy: { purpose: 'accountability: who changed the source or its schedule last' },
  },
  stored: {
    stamp: {
      mongo: 'publications',
      sqlite: { column: 'publications', table: 'publication_counter' },
    },
  },
});

/**
 * Published versions by source and label, numbered in the order of publication. Each stays for
 * ever: an answer of ten years ago is replayed with the list that it was given by.
 */
export const versionTable = table<ListVersion, 'sourceId' | 'listVersion'>('list_version', {
  key: ['sourceId', 'listVersion'],
  chain: 'any',
  // Replays find a version by what it held; the columns are there and may not be empty.
  indexes: { byDigest: ['sourceId', 'listDigest', 'contentDigest'], placed: ['sourceId'] },
  isPlaced: true,
  writes: 'appendOnly',
  blobs: blobsOfVersion,
  personal: 'none',
  stored: { mongoKey: 'slashed', place: { mongo: 'no', sqlite: 'id' } },
});
