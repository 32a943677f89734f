/**
 * Entry of a thread that builds snapshots (buildSnapshotAside.ts). It takes the batches of its part
 * and confirms each; on request it answers the part, or the snapshot that parts make.
 */
import assert from 'node:assert/strict';
import { parentPort } from 'node:worker_threads';
import { snapshotOf } from './buildSnapshot.ts';
import type { PackedEntities } from './packedEntities.ts';
import { PartBuilder } from './partBuilder.ts';
import { buffersOfPart, type SnapshotPart } from './snapshotPart.ts';

/**
 * A message to the thread. `number` is the place of the batch in the whole list; `part` is asked
 * for once, after the last batch.
 */
export type BuildOrder =
  | { readonly kind: 'batch'; readonly batch: PackedEntities; readonly number: number }
  | { readonly kind: 'part' }
  | { readonly kind: 'snapshot'; readonly parts: readonly SnapshotPart[] };

/**
 * The answer to each order, in the same sequence: `taken` to a batch, then the part or the
 * snapshot.
 */
export type BuildAnswer = 'taken' | SnapshotPart | SharedArrayBuffer;

assert(parentPort, 'started as a thread');
const port = parentPort;
let builder: PartBuilder | undefined = new PartBuilder();

port.on('message', (order: BuildOrder) => {
  if (order.kind === 'snapshot') {
    port.postMessage(snapshotOf(order.parts));
    return;
  }
  assert(builder, 'a part is asked for once');
  if (order.kind === 'batch') {
    builder.add(order.batch, order.number);
    port.postMessage('taken');
    return;
  }
  const part = builder.finish();
  builder = undefined;
  port.postMessage(part, buffersOfPart(part));
});
