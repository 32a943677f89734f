/**
 * What a batch is to do, and how it ended, as its signed entries say it. The record of a batch
 * decides what is sought, in which lists and from which score on; so it is compared with the entry
 * of its order when it begins, with the entry of its start before each chunk, and with that of its
 * end before another batch goes on from it.
 */
import {
  type AuditAction,
  type EntryPorts,
  entryAbout,
  type JsonRecord,
  type KeyRing,
  toldMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import type { Batch, ChainPlace } from './batch.ts';
import { endedMembers, orderMembers, startedMembers } from './batchEvidence.ts';
import { BATCH_END_ACTIONS, type ChunkEvents } from './chunkEvents.ts';
import type { BatchStore } from './ports.ts';

/** Batches whose start a process remembers: those that run are far fewer. */
const STARTS_KEPT_MAX = 1_000;

/** All reject with DomainError `results-altered`. */
export interface SignedBatches {
  /** It is the batch that was ordered. */
  checkOrder(batch: Batch): Promise<void>;
  /** It began as its record says; answers the place of its start. */
  checkStart(batch: StartedBatch): Promise<ChainPlace>;
  /** It was ordered, began and was completed as its record says. */
  checkCompleted(batch: Batch): Promise<void>;
  /** Its record says what its entries tell, in any status. */
  checkRecord(batch: Batch): Promise<void>;
}

/** What its entries tell of a batch that was completed, and of its order and start. */
export interface CompletedBatch {
  readonly order: JsonRecord;
  readonly start: JsonRecord;
  readonly end: JsonRecord;
}

/**
 * As it was signed, whatever its record says. That says about when each was written, where it is
 * there. Throws `evidence-altered`.
 */
export async function completedAsSigned(
  ports: EntryPorts & { readonly batches: Pick<BatchStore, 'findBatch'> },
  place: Pick<Batch, 'batchId' | 'tenantId'> & { readonly near: EpochMs },
): Promise<CompletedBatch> {
  const { batchId, near, tenantId } = place;
  const batch = await ports.batches.findBatch({ batchId, tenantId });
  const entryOf = (action: AuditAction, at: EpochMs = near): Promise<JsonRecord> =>
    entryAbout(ports, {
      actions: [action],
      chainId: chainOf(tenantId),
      near: at,
      target: batchId,
    });
  return {
    end: await entryOf('aml.batch.completed'),
    order: await entryOf('aml.batch.created', batch?.requestedAt),
    start: await entryOf('aml.batch.started', batch?.startedAt),
  };
}

export type StartedBatch = Batch & Required<Pick<Batch, 'startedAt'>>;

/** One for a process; `events` may be shared. */
export function signedBatches(ports: {
  readonly events: ChunkEvents;
  readonly keyRing: KeyRing;
}): SignedBatches {
  const { events, keyRing } = ports;
  const starts = new Map<string, ChainPlace & { readonly members: string }>();
  const entryOf = async (
    batch: Batch,
    found: ReturnType<ChunkEvents['findStart']>,
  ): Promise<JsonRecord | undefined> => {
    const event = await found;
    const entry = event && verifiedEvent(event, { chainId: chainOf(batch.tenantId), keyRing });
    return entry?.target === batch.batchId ? entry : undefined;
  };

  const checkOrder: SignedBatches['checkOrder'] = async (batch) => {
    const entry = await entryOf(batch, events.findOrder(batch));
    if (entry?.action !== 'aml.batch.created') throw altered(batch, 'no entry tells of its order');
    refuseOther(batch, entry, orderMembers(batch));
  };

  const checkStart: SignedBatches['checkStart'] = async (batch) => {
    const members = canonicalJson(startedMembers(batch));
    const known = starts.get(batch.batchId);
    if (known?.members === members) return known;
    const entry = await entryOf(batch, events.findStart(batch));
    if (entry?.action !== 'aml.batch.started') throw altered(batch, 'no entry tells of its start');
    if (canonicalJson(toldMembers(entry)) !== members) {
      throw altered(batch, `it did not begin as its record says: seq ${entry.seq} of the chain`);
    }
    const place = { hash: String(entry.hash), seq: Number(entry.seq) };
    starts.set(batch.batchId, { ...place, members });
    dropOldest(starts);
    return place;
  };

  const checkEnd = async (batch: Batch, action: string | undefined): Promise<void> => {
    const { completedAt = batch.requestedAt, status } = batch;
    const entry = await entryOf(batch, events.findEnd({ ...batch, completedAt }));
    if (entry?.action !== action) {
      throw altered(batch, `it is ${status}, and its entries tell ${entry?.action ?? 'no end'}`);
    }
    if (entry !== undefined) refuseOther(batch, entry, endedMembers(batch));
  };

  const checkRecord: SignedBatches['checkRecord'] = async (batch) => {
    const { startedAt, status } = batch;
    await checkOrder(batch);
    if (startedAt !== undefined) await checkStart({ ...batch, startedAt });
    const ends: Partial<Record<Batch['status'], string>> = BATCH_END_ACTIONS;
    await checkEnd(batch, ends[status]);
  };

  return {
    async checkCompleted(batch) {
      if (batch.status !== 'completed') throw altered(batch, `it is ${batch.status}`);
      await checkRecord(batch);
    },
    checkOrder,
    checkRecord,
    checkStart,
  };
}

/** Members that both tell are the same. Entries of former releases tell fewer. */
function refuseOther(batch: Batch, entry: JsonRecord, own: JsonRecord): void {
  for (const [name, value] of Object.entries(toldMembers(entry))) {
    if (!(name in own) || canonicalJson(value) === canonicalJson(own[name])) continue;
    throw altered(batch, `${name} is not what was signed at seq ${entry.seq}`);
  }
}

function dropOldest(starts: Map<string, unknown>): void {
  const [oldest] = starts.keys();
  if (starts.size > STARTS_KEPT_MAX && oldest !== undefined) starts.delete(oldest);
}

const altered = ({ batchId }: Batch, detail: string): DomainError =>
  new DomainError('results-altered', { detail: `batch ${batchId}: ${detail}` });
