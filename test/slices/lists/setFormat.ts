/** An index in force as a release whose snapshots have another format left it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type EventId, PLATFORM_CHAIN } from '#core/kernel';
import { type ListVersion, listStore, sourceTable } from '#slices/lists';
import type { OpenInstallation } from '../../../src/app/installation.ts';

export async function setFormat(
  { audit, blobs, clock, storage }: OpenInstallation,
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
  const event = { eventId: randomUUID() as EventId, occurredAt: clock.now(), open: {} };
  await audit.commit(PLATFORM_CHAIN, {
    bus: [],
    changes: [put],
    events: [{ ...event, action: 'test', members: { action: 'test' }, type: 'entry' }],
  });
}
