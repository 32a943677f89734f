/** Batches and chunks in the hands of a worker that a test names. */

import { Hold } from '#core/work';
import {
  BATCH_LEASE,
  type Batch,
  type BatchHold,
  type BatchPorts,
  batchTable,
  type ChunkHold,
  chunkTable,
} from '#slices/batches';

type Ports = Pick<BatchPorts, 'clock' | 'tables'>;

/** The batch as a whole. */
export async function holdOf(ports: Ports, { batchId }: Batch, holder: string): Promise<BatchHold> {
  const claimed = await ports.tables.claim(batchTable, { holder, key: { batchId } });
  if (claimed === undefined) throw new Error('another worker has it');
  return new Hold(ports, batchTable, claimed, { times: BATCH_LEASE });
}

/** The first chunk that waits; undefined where there is none. */
export async function leaseChunk(
  ports: Ports,
  { batchId }: Batch,
  holder: string,
): Promise<ChunkHold | undefined> {
  const ask = { holder, lane: [batchId], limit: 1, now: ports.clock.now() };
  const [leased] = await ports.tables.lease(chunkTable, ask);
  return leased && new Hold(ports, chunkTable, leased, { times: BATCH_LEASE });
}
