/**
 * Entry of a thread that builds one snapshot (buildSnapshotAside.ts): takes batches, says that it
 * took each, and answers the snapshot at the end.
 */
import assert from 'node:assert/strict';
import { parentPort } from 'node:worker_threads';
import { SnapshotAssembly } from './buildSnapshot.ts';
import type { IndexEntity } from './ports.ts';

assert(parentPort, 'started as a thread');
const port = parentPort;
const assembly = new SnapshotAssembly();

port.on('message', (batch: readonly IndexEntity[] | 'end') => {
  if (batch === 'end') {
    port.postMessage(assembly.finish());
    port.close();
    return;
  }
  assembly.addAll(batch);
  port.postMessage('taken');
});
