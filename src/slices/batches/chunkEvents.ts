/**
 * The entries of a batch in its tenant's chain, found by about when they were written, since a
 * chain is not indexed by what its entries are about. Places that a search meets on its way are
 * kept, since chunks of one batch are asked for one after the other.
 */
import {
  type AuditStore,
  entryPages,
  findEntryNear,
  type SealedEvent,
  storedMembers,
} from '#core/audit';
import { chainOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Batch } from './batch.ts';
import type { DoneChunk } from './chunkWalk.ts';

export const CHUNK_ACTION = 'aml.batch.chunk.screened';
/** By the status that each leaves its batch in. */
export const BATCH_END_ACTIONS = {
  canceled: 'aml.batch.canceled',
  completed: 'aml.batch.completed',
  failed: 'aml.batch.failed',
} as const satisfies Partial<Record<Batch['status'], string>>;

/** Two batches of ten million subjects. */
const PLACES_MAX = 20_000;

type BatchOf = Pick<Batch, 'batchId' | 'tenantId'>;

/** Names a chunk of any batch. */
export const chunkKey = ({ batchId }: Pick<Batch, 'batchId'>, chunkNo: number): string =>
  `${batchId}/${chunkNo}`;

export class ChunkEvents {
  readonly #audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  /** Seqs of entries that were met, by chunk; the oldest leave first. */
  readonly #places = new Map<string, number>();

  constructor(audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>) {
    this.#audit = audit;
  }

  /** The entry of a chunk as it is stored: not verified. Undefined where the chain has none. */
  async find(batch: BatchOf, chunk: DoneChunk): Promise<SealedEvent | undefined> {
    const chainId = chainOf(batch.tenantId);
    const key = chunkKey(batch, chunk.chunkNo);
    const known = this.#places.get(key);
    const event = known === undefined ? undefined : await this.#audit.findBySeq(chainId, known);
    if (event !== undefined && placeIn(event) === key) return event;
    return findEntryNear(this.#audit, chainId, {
      action: CHUNK_ACTION,
      isIt: (one) => this.#keep(one) === key,
      near: chunk.result.completedAt,
    });
  }

  /** The entry of the order, likewise. */
  async findOrder(batch: BatchOf & { readonly requestedAt: EpochMs }) {
    return this.#seekAbout(batch, 'aml.batch.created', batch.requestedAt);
  }

  /** The entry of the start, likewise. */
  async findStart(batch: BatchOf & { readonly startedAt: EpochMs }) {
    return this.#seekAbout(batch, 'aml.batch.started', batch.startedAt);
  }

  /** The entry of the end, however it ended, likewise. */
  async findEnd(batch: BatchOf & { readonly completedAt: EpochMs }) {
    for (const action of Object.values(BATCH_END_ACTIONS)) {
      const found = await this.#seekAbout(batch, action, batch.completedAt);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #seekAbout({ batchId, tenantId }: BatchOf, action: string, near: EpochMs) {
    const isIt = (event: SealedEvent) => storedMembers(event).target === batchId;
    return findEntryNear(this.#audit, chainOf(tenantId), { action, isIt, near });
  }

  /** How many chunks the chain tells of, from a seq before the first of them. */
  async count({ batchId, tenantId }: BatchOf, fromSeq: number): Promise<number> {
    const chunks = new Set<string>();
    const range = { action: CHUNK_ACTION, chainId: chainOf(tenantId), fromSeq };
    for await (const page of entryPages(this.#audit, range)) {
      for (const key of page.map((event) => this.#keep(event))) {
        if (key?.startsWith(`${batchId}/`)) chunks.add(key);
      }
    }
    return chunks.size;
  }

  /** Keeps its place; answers whose it is. The first entry of a chunk counts. */
  #keep(event: SealedEvent): string | undefined {
    const key = placeIn(event);
    if (key === undefined || this.#places.has(key)) return key;
    this.#places.set(key, event.seq);
    const [oldest] = this.#places.keys();
    if (this.#places.size > PLACES_MAX && oldest !== undefined) this.#places.delete(oldest);
    return key;
  }
}

function placeIn(event: SealedEvent): string | undefined {
  if (event.action !== CHUNK_ACTION) return undefined;
  const { chunk_no, target } = storedMembers(event);
  return chunkKey({ batchId: target as Batch['batchId'] }, Number(chunk_no));
}
