/** An index in force as a release whose snapshots have another format left it. */
import assert from 'node:assert/strict';
import { entry } from '#core/audit';
import { PLATFORM_CHAIN } from '#core/kernel';
import {
  bundleMembers,
  indexMembers,
  type ListVersion,
  listStore,
  sourceTable,
} from '#slices/lists';
import type { OpenInstallation } from '../../../src/app/installation.ts';

export async function setFormat(
  { audit, blobs, clock, random, storage }: OpenInstallation,
  version: ListVersion,
  format: number,
): Promise<void> {
  const snapshot = await blobs.get(version.snapshotBlob);
  const source = await listStore(storage.tables).findSource(version.sourceId);
  assert(snapshot !== undefined && source !== undefined);
  const bytes = Buffer.from(snapshot);
  bytes.writeUInt32LE(format, 8);
  const { address } = await blobs.put(bytes);
  const active = { ...version, snapshotBlob: address };
  const put = sourceTable.put({ ...source, active, version: source.version + 1 }, source.version);
  const rebuilt = entry(
    { clock, random },
    {
      action: 'SANCTIONS_INDEX_REBUILT',
      actor: 'system',
      members: { ...bundleMembers(active), ...indexMembers(active) },
      target: version.sourceId,
    },
  );
  await audit.commit(PLATFORM_CHAIN, { bus: [], changes: [put], events: [rebuilt] });
}
