/**
 * Erases subjects of a batch. Their keys are destroyed in the commit that says so in the chain, and
 * with them the secret of the batch's files, so that after it nobody reads what was sent of them:
 * not in results, reports, the file that came in, or a backup of any of these. Leaves, roots and
 * proofs stay. Workers write the reports again, for those who are left.
 *
 * What else knows them goes before, an event at a time: the evidence of screenings of their own,
 * and what was noted when their hits were decided. So a call that was cut off finds them still, and
 * is simply repeated; once the commit is through, nothing is left to do.
 */
import {
  type Asker,
  ERASED_ACTION,
  type ErasurePorts,
  type Erasures,
  entry,
  overwrite,
} from '#core/audit';
import { type BlobStore, type DataKey, type DataKeys, dataKeyTable, seedAt } from '#core/blobs';
import { chainOf, DomainError, type TableChange } from '#core/kernel';
import { type Batch, type BatchIssue, hasEnded } from './batch.ts';
import { chunkKeyId, chunkPlace, findBatchKey, subjectPlace } from './batchKeys.ts';
import { chunkOf, firstOrdinal } from './chunkWalk.ts';
import { eraseTraces } from './eraseTraces.ts';
import type { BatchStore } from './ports.ts';
import { type RejectedPorts, withoutRejected } from './rejectedFile.ts';
import type { SignedResults } from './signedResults.ts';
import { issueTable } from './tables.ts';

/** Subjects of one call: one commit takes them all. */
export const ERASED_AT_ONCE_MAX = 200;

export interface EraseSubjectsPorts extends ErasurePorts {
  readonly blobs: Pick<BlobStore, 'get'> & RejectedPorts['blobs'];
  readonly batches: BatchStore;
  readonly dataKeys: DataKeys;
  readonly erasures: Pick<Erasures, 'partsOf'>;
  readonly results: SignedResults;
  readonly store: ErasurePorts['store'] & TracesStore;
}

type TracesStore = Parameters<typeof eraseTraces>[0]['store'];

export interface EraseSubjects extends Asker {
  readonly batch: Pick<Batch, 'batchId' | 'tenantId'>;
  /** At most ERASED_AT_ONCE_MAX. */
  readonly ordinals: readonly number[];
  /** As they were sent, also of rows that were rejected. */
  readonly externalIds: readonly string[];
  /** Why, in free text; it stands in the part of the entry that can be erased. */
  readonly reason: string;
}

/** What was erased, and the entry that says so. */
export interface ErasedSubjects {
  readonly ordinals: readonly number[];
  readonly seq: number;
}

/**
 * Throws `not-found` for an ordinal that the batch does not have; `state-conflict` for a batch of a
 * former release, while its file is read, for a subject that is still to be screened, and where all
 * are erased already.
 */
export async function eraseSubjects(
  ports: EraseSubjectsPorts,
  ask: EraseSubjects,
): Promise<ErasedSubjects> {
  return overwrite(async () => {
    const batch = await erasableBatch(ports, ask);
    const key = await findBatchKey(ports.dataKeys, batch);
    if (key === undefined) throw conflict('its data key is gone');
    const chunks = await chunksWith(ports, batch, { key, ordinals: ask.ordinals });
    const known = await ports.erasures.partsOf(chainOf(batch.tenantId), batch.batchId);
    const isLeft = (ordinal: number): boolean =>
      !known.has(ordinal) || chunks.some(({ hasSeed }) => hasSeed(ordinal));
    const ordinals = [...new Set(ask.ordinals)].filter(isLeft).sort((a, b) => a - b);
    if (ordinals.length === 0 && ask.ordinals.length > 0) throw conflict('erased already');
    const reviews = await eraseTraces(ports, { ...ask, batch, ordinals });
    const next = ports.dataKeys.without(
      key,
      chunks.flatMap(({ ownPlace }) => ownPlace),
    );
    const issue = await nextIssue(ports, { ask, batch, key, next: next.key });
    const { events } = await ports.audit.commit(chainOf(batch.tenantId), {
      bus: [],
      changes: [
        dataKeyTable.put(next.record, key.version),
        ...chunks.flatMap(({ change }) => change),
        ...issue,
        ...reviews,
      ],
      events: [erasedEntry(ports, ask, ordinals)],
    });
    return { ordinals, seq: events[0]?.seq ?? 0 };
  });
}

const conflict = (detail: string): DomainError =>
  new DomainError('state-conflict', { detail: `subjects of the batch: ${detail}` });

async function erasableBatch(ports: EraseSubjectsPorts, ask: EraseSubjects): Promise<Batch> {
  const batch = await ports.batches.findBatch(ask.batch);
  if (batch === undefined) throw new DomainError('not-found', { detail: 'no such batch' });
  if (batch.lineVersion === undefined) {
    throw conflict('it is of a former release, and kept by duty until its retention ends');
  }
  if (!hasEnded(batch) && batch.chunksTotal === undefined) {
    throw conflict('its file is still being read; ask again when it is');
  }
  return batch;
}

/** A chunk, and what becomes of its key. */
interface ErasedChunk {
  /** In the tree of the batch, where the chunk has had no key of its own. */
  readonly ownPlace: readonly ReturnType<typeof chunkPlace>[];
  readonly change: readonly TableChange[];
  readonly hasSeed: (ordinal: number) => boolean;
}

async function chunksWith(
  ports: EraseSubjectsPorts,
  batch: Batch,
  { key, ordinals }: { readonly key: DataKey; readonly ordinals: readonly number[] },
): Promise<readonly ErasedChunk[]> {
  const byChunk = Map.groupBy(ordinals, (ordinal) => chunkOf(batch, ordinal));
  const chunks: ErasedChunk[] = [];
  for (const [chunkNo, own] of byChunk) {
    const chunk = await ports.batches.findChunk(batch.batchId, chunkNo);
    const isInIt = (ordinal: number): boolean =>
      chunk !== undefined && ordinal - firstOrdinal(batch, chunkNo) < chunk.subjects;
    if (chunk === undefined || !own.every(isInIt)) {
      throw new DomainError('not-found', { detail: 'the batch has no subject of that ordinal' });
    }
    if (chunk.result === undefined && !hasEnded(batch)) {
      throw conflict('one is still to be screened; ask again when it is');
    }
    const isScreened = chunk.result !== undefined;
    chunks.push(await erasedChunk(ports, batch, { chunkNo, isScreened, key, ordinals: own }));
  }
  return chunks;
}

/** A chunk that will never be screened goes whole: nothing is left of it but what came in. */
async function erasedChunk(
  { dataKeys }: EraseSubjectsPorts,
  batch: Batch,
  of: {
    readonly chunkNo: number;
    readonly isScreened: boolean;
    readonly key: DataKey;
    readonly ordinals: readonly number[];
  },
): Promise<ErasedChunk> {
  const { chunkNo, isScreened, key, ordinals } = of;
  const first = firstOrdinal(batch, chunkNo);
  const named = { keyId: chunkKeyId(batch.batchId, chunkNo), tenantId: batch.tenantId };
  const places = ordinals.map((ordinal) => subjectPlace(ordinal - first));
  const own = (ordinal: number): boolean => ordinals.includes(ordinal);
  const root = seedAt(key.seeds, chunkPlace(chunkNo));
  const ownPlace = root === undefined ? [] : [chunkPlace(chunkNo)];
  const apart = await dataKeys.find(named);
  if (apart !== undefined) {
    // Beside a root there is one where an old copy of the batch's key was put back.
    const hasSeed = (ordinal: number): boolean =>
      own(ordinal) && (root ?? seedAt(apart.seeds, subjectPlace(ordinal - first))) !== undefined;
    const { record } = dataKeys.without(apart, places);
    return { change: [dataKeyTable.put(record, apart.version)], hasSeed, ownPlace };
  }
  if (root === undefined) return { change: [], hasSeed: () => false, ownPlace };
  const whole = dataKeys.make(named, { seeds: [{ depth: 0, index: 0, seed: root }] }).key;
  const { seeds } = dataKeys.without(whole, places).key;
  const { record } = dataKeys.make(named, { seeds });
  const change = isScreened ? [dataKeyTable.insert(record)] : [];
  return { change, hasSeed: own, ownPlace };
}

/** The files of the batch from now on: the rows that were rejected, and reports to be written. */
async function nextIssue(
  ports: EraseSubjectsPorts,
  of: {
    readonly ask: EraseSubjects;
    readonly batch: Batch;
    readonly key: DataKey;
    readonly next: DataKey;
  },
): Promise<readonly TableChange[]> {
  const { ask, batch, key, next } = of;
  const { batchId, tenantId } = batch;
  const former = await ports.batches.latestIssue(batchId);
  const file = former === undefined ? batch.rejected : former.rejected;
  const rejected = file && (await withoutRejected(ports, file, { ...ask, key, next }));
  const now = ports.clock.now();
  const issue: BatchIssue = {
    batchId,
    erasedAt: now,
    keyVersion: next.version,
    tenantId,
    version: 1,
    ...(hasEnded(batch) && batch.reports === undefined && { endedAt: now }),
    ...(rejected !== undefined && { rejected }),
  };
  const isOpen = former !== undefined && former.endedAt === undefined;
  const ended = isOpen && { ...former, endedAt: now, version: former.version + 1 };
  return [issueTable.insert(issue), ...(ended ? [issueTable.put(ended, ended.version - 1)] : [])];
}

function erasedEntry(
  ports: EraseSubjectsPorts,
  { actor, batch: { batchId }, ip, reason }: EraseSubjects,
  ordinals: readonly number[],
) {
  return entry(ports, {
    action: ERASED_ACTION,
    actor,
    ...(ip !== undefined && { ip }),
    members: { erased_in: batchId, ordinals },
    open: { reason },
    target: batchId,
  });
}
