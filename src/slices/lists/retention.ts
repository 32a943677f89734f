/**
 * Which files of lists are removed. Every version stays, and every blob that one names: an answer
 * of ten years ago is replayed with the list on which it was based (decisions 3.5). The ten
 * snapshots of interface.md 4.9 are those that can be downloaded (snapshotLinks.ts), and the index
 * before the one in force stays longer than its thirty days. Only two kinds are removed: blobs of
 * runs that did not finish, and files that a dead process left in the spool folder
 * (core/blobs/sweep.ts).
 */
import { type BlobStore, ORPHAN_AGE_MS, removeOldSpools, sweepBlobs } from '#core/blobs';
import type { Clock, EpochMs } from '#platform/clock';
import { DigestSet } from '#platform/digestSet';
import type { ListStore, ListVersion } from './ports.ts';

const PAGE_VERSIONS = 1_000;

export interface RetentionPorts {
  readonly lists: Pick<ListStore, 'listSources' | 'listVersions'>;
  readonly blobs: Pick<BlobStore, 'list' | 'remove'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly spoolDirectory: string;
  /** Addresses in the same store that others than lists name, for example the resolutions. */
  readonly alsoNamed: AsyncIterable<string>;
}

export interface RetentionResult {
  readonly versions: number;
  readonly removedBlobs: number;
  readonly removedBytes: number;
  readonly removedSpools: number;
}

/** Safe at any time, beside runs and beside itself. */
export async function applyListRetention(ports: RetentionPorts): Promise<RetentionResult> {
  const putBefore = (ports.clock.now() - ORPHAN_AGE_MS) as EpochMs;
  const named = new DigestSet();
  let versions = 0;
  for (const { active, sourceId } of await ports.lists.listSources()) {
    if (active) nameBlobs(named, active);
    for await (const version of versionsOf(ports.lists, sourceId)) {
      nameBlobs(named, version);
      versions++;
    }
  }
  for await (const address of ports.alsoNamed) named.add(address);
  const removed = await sweepBlobs(ports.blobs, { named, putBefore });
  const removedSpools = await removeOldSpools(ports.spoolDirectory, putBefore);
  return { ...removed, removedSpools, versions };
}

function nameBlobs(named: DigestSet, version: ListVersion): void {
  const { bundleBase, bundleBlob, changesBlob, linesBlob, overlayBlob, snapshotBlob } = version;
  const own = [bundleBlob, changesBlob, linesBlob, overlayBlob, snapshotBlob];
  for (const address of [...own, bundleBase?.bundleBlob, bundleBase?.linesBlob]) {
    if (address !== undefined) named.add(address);
  }
}

/** Every version, latest first. */
export async function* versionsOf(
  lists: Pick<ListStore, 'listVersions'>,
  sourceId: ListVersion['sourceId'],
): AsyncGenerator<ListVersion> {
  let before: string | undefined;
  for (;;) {
    const ask = { limit: PAGE_VERSIONS, sourceId, ...(before !== undefined && { before }) };
    const page = await lists.listVersions(ask);
    yield* page;
    before = page.at(-1)?.listVersion;
    if (before === undefined) return;
  }
}
