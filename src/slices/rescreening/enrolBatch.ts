/**
 * The subjects of a batch that was ordered with `monitor` become customers: read chunk by chunk
 * from its results, as they were signed, and registered a few hundred a commit. So a million of
 * them hold up nobody, and a worker that dies leaves a chunk to be read again, in which everybody
 * is found to be registered. Whoever was erased meanwhile is not in the results any more.
 */
import { entry, StaleChange } from '#core/audit';
import { type BatchId, chainOf, DomainError, type TenantId } from '#core/kernel';
import { type Hold, WorkLost } from '#core/work';
import {
  type Batch,
  type BatchHit,
  type BatchStore,
  chunksFrom,
  type SignedResults,
  type SubjectResult,
} from '#slices/batches';
import { BULK_FROM, ENROLLED_CHUNKS_PER_ENTRY } from './limits.ts';
import { entryName, type RegisterPorts } from './ports.ts';
import { registerSubjects } from './registerSubjects.ts';
import type { SignedEntries } from './signedEntries.ts';
import { type Enrolment, enrolmentTable, type KnownHits } from './tables.ts';

/** What subjects of batches are taken over with. */
export interface EnrolPorts extends RegisterPorts {
  readonly batches: Pick<BatchStore, 'findBatch' | 'listChunks'>;
  readonly entries: SignedEntries;
  readonly results: Pick<SignedResults, 'checkCompleted' | 'linesOf'>;
}

/** An enrolment that a worker has. */
export type EnrolmentHold = Pick<
  Hold<Enrolment, 'tenantId' | 'batchId'>,
  'expected' | 'record' | 'replace' | 'signal' | 'tell'
>;

const ACTOR = 'system:rescreening';

/** A batch has ended whose subjects are to be watched: begins, once. */
export async function beginEnrolment(
  ports: Pick<EnrolPorts, 'clock' | 'commit' | 'random'>,
  { batchId, tenantId }: { readonly batchId: BatchId; readonly tenantId: TenantId },
): Promise<void> {
  const first: Enrolment = {
    added: 0,
    batchId,
    changed: 0,
    chunkNo: 0,
    startedAt: ports.clock.now(),
    status: 'running',
    tenantId,
    unchanged: 0,
    version: 1,
  };
  try {
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [enrolmentTable.insert(first)],
      events: [
        entry(ports, { action: 'SANCTIONS_MONITORING_TAKING', actor: ACTOR, target: batchId }),
      ],
    });
  } catch (error) {
    // The event came before.
    if (!(error instanceof StaleChange)) throw error;
  }
}

/** Takes the rest of a batch over. Throws WorkLost where another worker has it. */
export async function enrolBatch(ports: EnrolPorts, hold: EnrolmentHold): Promise<void> {
  if (hold.record.status !== 'running') throw new WorkLost('the enrolment has ended');
  const batch = await ports.batches.findBatch(hold.record);
  if (batch === undefined) throw new DomainError('not-found', { detail: 'no such batch' });
  await ports.results.checkCompleted(batch);
  if (batch.monitor !== true) {
    throw new DomainError('results-altered', { detail: 'its order says nothing of watching' });
  }
  let at = await signedProgress(ports.entries, hold.record);
  const begunAt = at.chunkNo;
  for await (const walked of chunksFrom(ports.batches, batch, at.chunkNo)) {
    hold.signal.throwIfAborted();
    if (!walked.isDone) throw new DomainError('results-altered', { detail: 'a chunk is not done' });
    const { lines, parse } = await ports.results.linesOf(batch, walked.chunk);
    const counts = await register(ports, batch, lines.map(parse));
    at = {
      added: at.added + counts.added,
      changed: at.changed + counts.changed,
      chunkNo: walked.chunkNo + 1,
      unchanged: at.unchanged + counts.unchanged,
    };
    // Saved with the next renewal, for whoever looks: a chunk that is read again changes nothing.
    hold.tell(at);
    if ((at.chunkNo - begunAt) % ENROLLED_CHUNKS_PER_ENTRY === 0) await mark(ports, hold, at);
  }
  await end(ports, hold, { ...hold.record, ...at, status: 'completed' });
}

type Progress = Pick<Enrolment, 'added' | 'changed' | 'chunkNo' | 'unchanged'>;

const NONE: Progress = { added: 0, changed: 0, chunkNo: 0, unchanged: 0 };

/**
 * How far it is, as its last entry says it: a row that was put forward leaves nobody out. What was
 * taken over since is read again, and found to be registered.
 */
async function signedProgress(
  entries: SignedEntries,
  { batchId, startedAt, tenantId }: Enrolment,
): Promise<Progress> {
  let last = NONE;
  const fromSeq = await entries.since(tenantId, startedAt);
  const of = { action: 'SANCTIONS_MONITORING_TAKING', fromSeq } as const;
  for await (const { entry: told } of entries.read(tenantId, of)) {
    if (told.target !== batchId || told.chunks === undefined) continue;
    const { added, changed, chunks, unchanged } = told;
    last = {
      added: Number(added),
      changed: Number(changed),
      chunkNo: Number(chunks),
      unchanged: Number(unchanged),
    };
  }
  return last;
}

/** Signs how far it is, so that whoever takes it over begins there. */
async function mark(ports: EnrolPorts, hold: EnrolmentHold, at: Progress): Promise<void> {
  const { batchId, tenantId } = hold.record;
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [hold.expected],
    events: [
      entry(ports, {
        action: 'SANCTIONS_MONITORING_TAKING',
        actor: ACTOR,
        members: membersOf(at),
        target: batchId,
      }),
    ],
  });
}

const membersOf = ({ added, changed, chunkNo, unchanged }: Progress) => ({
  added,
  changed,
  chunks: chunkNo,
  unchanged,
});

async function end(ports: EnrolPorts, hold: EnrolmentHold, ended: Enrolment): Promise<void> {
  const { batchId, failure, tenantId, version } = ended;
  const at = ports.clock.now();
  const next: Enrolment = { ...ended, endedAt: at, version: version + 1 };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [hold.expected, enrolmentTable.put(next, version, { work: PROGRESS })],
    events: [
      entry(ports, {
        action:
          failure === undefined ? 'SANCTIONS_MONITORING_TAKEN' : 'SANCTIONS_MONITORING_FAILED',
        actor: ACTOR,
        at,
        members: { ...membersOf(ended), code: failure ?? null },
        ...(failure !== undefined && { severity: 'ALERT' }),
        target: batchId,
      }),
    ],
  });
  hold.replace(next);
}

const PROGRESS = ['added', 'changed', 'chunkNo', 'unchanged'] as const;

function register(ports: EnrolPorts, batch: Batch, results: readonly SubjectResult[]) {
  const there = results.filter(({ erased }) => erased !== true);
  const known = there
    .filter(({ hits }) => hits.length > 0)
    .map((result) => [result.external_id, knownOf(result)] as const);
  return registerSubjects(ports, {
    actor: ACTOR,
    addedBy: `batch:${batch.batchId}`,
    // What somebody has said of a customer since then is newer.
    asOf: batch.requestedAt,
    isBulk: batch.counts.subjects > BULK_FROM,
    known: new Map(known),
    subjects: there.map(({ subject }) => subject),
    tenantId: batch.tenantId,
  });
}

/** Hits of a batch are worked on there; those of a sanctions batch have a screening each. */
function knownOf(result: SubjectResult & { readonly screening?: unknown }): KnownHits {
  const { screening_id: screeningId } = (result.screening ?? {}) as { screening_id?: string };
  return { entries: result.hits.flatMap(entriesOf), ...(screeningId && { screeningId }) };
}

function entriesOf({ list_source: source, payload, record_id: ftmId }: BatchHit) {
  const merged = (payload.merged ?? []) as readonly { ftm_id: string; source: string }[];
  const others = merged.map((one) => entryName({ ftmId: one.ftm_id, source: one.source }));
  return [entryName({ ftmId, source }), ...others];
}

/** The batch cannot be taken over; what was registered of it stays. */
export const failEnrolment = (
  ports: EnrolPorts,
  hold: EnrolmentHold,
  failure: string,
): Promise<void> => end(ports, hold, { ...hold.record, failure, status: 'failed' });
