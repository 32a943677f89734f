/**
 * Entry of a thread that builds one snapshot (buildSnapshotAside.ts): takes batches, says that it
 * took each, and answers the snapshot at the end.
 */
import assert from 'node:assert/strict';
import { parentPort } from 'node:worker_threads';
import { SnapshotBuilder } from './buildSnapshot.ts';
import type { PackedEntities } from './packedEntities.ts';

assert(parentPort, 'started as a thread');
const port = parentPort;
const builder = new SnapshotBuilder();

port.on('message', (batch: PackedEntities | 'end') => {
  if (batch === 'end') {
    port.postMessage(builder.finish());
    port.close();
    return;
  }
  builder.add(batch);
  port.postMessage('taken');
});
