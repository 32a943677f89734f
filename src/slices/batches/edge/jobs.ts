/**
 * Batches in a worker: starts those that wait, reads their cohorts, screens chunks, and brings
 * those that are screened to their end. Any number of workers do the same over one store; every
 * step is a lease or a compare-and-set there, so none is done twice and none is lost with a worker.
 *
 * Looks into the store every half second, and at once when it is woken up (wakeUpQueue.ts): what
 * wakes it up may be lost.
 *
 * Fair by turns: the next chunk is of the tenant that waited longest for one, and among a tenant's
 * batches of the one that did. So a small batch beside one of ten million waits for a few chunks,
 * not for all of them, and for a piece of each where their subjects are costly. Turns are stored
 * with the batches: workers that die again and again go on where the ones before them were.
 */

import type { BatchId } from '#core/kernel';
import {
  type Fault,
  isProcessGone,
  LeasedRunner,
  type LeasedWork,
  type LeaseTimes,
  Room,
  startWorkLoop,
  type WorkLoop,
  WorkLost,
} from '#core/work';
import type { Log } from '#platform/log';
import type { Tracer } from '#platform/tracing/tracer';
import {
  BATCH_LEASE,
  BATCH_RETRIES,
  type Batch,
  type BatchChunk,
  type BatchHold,
  type BatchIssue,
  type BatchWorkPorts,
  batchTable,
  type ChunkHold,
  chunkTable,
  endIssue,
  failBatch,
  failedBy,
  faultCode,
  finishBatch,
  isScreened,
  issueTable,
  isToReissue,
  neverEnded,
  readBatch,
  reissueReports,
  runChunk,
  startBatch,
  unfinished,
} from '#slices/batches';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { workPartsOf } from './workParts.ts';

export const purposes: JobPurposes = { start: 'batch-screening' };

const POLL_MS = 500;
/**
 * Batches seen by one look, of each tenant as many as there is room for; the others wait for their
 * end.
 */
const OPEN_BATCHES_MAX = 500;
/** Chunks beside those in the threads: one is read, or written, meanwhile. */
const CHUNKS_BESIDE = 1;
/** Cohorts that are read, or reports that are written, at once. */
const STEWARDED_MAX = 3;
/** Reports of ten million take minutes: another tenant's batch is not to wait for two of them. */
const STEWARDED_PER_TENANT_MAX = 2;
/** And a small batch not for those of any number of tenants. */
const SMALL_BESIDE = 2;
const SMALL_SUBJECTS_MAX = 1_000;
/** Issues seen by one look; the others wait for their end. */
const OPEN_ISSUES_MAX = 100;

export interface BatchRunnerOptions<Index> {
  readonly ports: BatchWorkPorts<Index>;
  /** Unique to this process and start. */
  readonly holder: string;
  /** Whether the process of a holder is known to have ended. */
  readonly isGone?: (holder: string) => boolean;
  readonly log: Log;
  readonly tracer?: Tracer;
  readonly pollMs?: number;
  readonly renewMs?: number;
}

/** What both kinds of work on batches are made of. */
interface Context<Index> {
  readonly ports: BatchWorkPorts<Index>;
  readonly log: Log;
  readonly times: LeaseTimes;
  /** Something has changed that the next look would see. */
  readonly wake: () => void;
}

export function startBatchRunner<Index extends object>(
  options: BatchRunnerOptions<Index>,
): WorkLoop {
  const { log, pollMs = POLL_MS, ports, renewMs = BATCH_LEASE.renewMs } = options;
  const { clock, tables } = ports;
  const context = { log, ports, times: { ...BATCH_LEASE, renewMs }, wake: () => loop.wake() };
  const process = { ...options, clock, room: new Room(), tables };
  const stewards = new LeasedRunner(stewardship(context), process);
  const chunks = new LeasedRunner(screening(context), process);
  const issues = new LeasedRunner(reissuing(context), process);
  const loop = startWorkLoop({
    look: async () => {
      const open = await ports.batches.openBatches(OPEN_BATCHES_MAX);
      stewards.offer(open.filter(isToSteward).map(asRow));
      chunks.offer(open.filter(isToScreen).map(asLane));
      issues.offer(await issuesToWrite(ports));
    },
    onFailure: (error) => log.warn({ error }, 'batches wait for the store'),
    pollMs,
    runners: [stewards, chunks, issues],
  });
  return loop;
}

/** Starts the work as workers do it. */
export function start(process: WorkerProcess): RunningWork {
  const { holder, log, tracer } = process;
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const runner = startBatchRunner({
    holder,
    isGone,
    log,
    ports: workPartsOf(process),
    tracer,
  });
  return { stop: () => runner.close(), wake: () => runner.wake() };
}

const asRow = ({ batchId, subjectsTotal, tenantId }: Batch) => ({
  isShort: subjectsTotal <= SMALL_SUBJECTS_MAX,
  key: { batchId },
  name: batchId,
  tenantId,
});
const asLane = ({ batchId, tenantId, turn }: Batch) => ({
  lane: [batchId],
  name: batchId,
  tenantId,
  turn,
});

const isToSteward = (batch: Batch): boolean => batch.chunksTotal === undefined || isScreened(batch);
const isToScreen = ({ chunksTotal, counts, status }: Batch): boolean =>
  status === 'running' && counts.chunks !== chunksTotal;

/** What one worker at a time does for a batch: its start, its cohort, its end. */
function stewardship<Index extends object>(context: Context<Index>): LeasedWork<Batch, 'batchId'> {
  const { ports, times, wake } = context;
  return {
    atOnce: STEWARDED_MAX,
    atOncePerTenant: STEWARDED_PER_TENANT_MAX,
    shortBeside: SMALL_BESIDE,
    codeOf: faultCode,
    fieldsOf,
    giveUp: ({ record }, { code, error, isFinal }) =>
      failBatch(ports, record, isFinal ? failedBy(code, error) : neverEnded(code)),
    heldUp: async (_, { code }) => ({ notice: { at: ports.clock.now(), code } }),
    plan: BATCH_RETRIES,
    settled: wake,
    table: batchTable,
    times,
    what: 'a batch',
    work: (hold) => advance(context, hold),
  };
}

async function advance<Index extends object>(
  { log, ports, wake }: Context<Index>,
  hold: BatchHold,
): Promise<void> {
  const { record: batch } = hold;
  if (isScreened(batch)) {
    const { counts } = await finishBatch(ports, hold);
    log.info({ ...fieldsOf(batch), count: counts.subjects }, 'a batch is completed');
    return;
  }
  if (batch.chunksTotal !== undefined) throw new WorkLost('another worker has read it');
  if (batch.status === 'queued') {
    hold.replace(await startBatch(ports, batch));
    log.info({ ...fieldsOf(batch), count: batch.subjectsTotal }, 'a batch runs');
  }
  wake();
  await readBatch(ports, hold);
}

/** Those of batches that have ended. */
async function issuesToWrite<Index>({ batches }: BatchWorkPorts<Index>) {
  const open = await batches.openIssues(OPEN_ISSUES_MAX);
  const found = await Promise.all(open.map((issue) => batches.findBatch(issue)));
  return open
    .filter((_, at) => isToReissue(found[at]))
    .map(({ batchId, keyVersion, tenantId }) => ({
      key: { batchId, keyVersion },
      name: batchId,
      tenantId,
    }));
}

/** Reports of batches of which somebody was erased. */
function reissuing<Index extends object>({
  log,
  ports,
  times,
}: Context<Index>): LeasedWork<BatchIssue, 'batchId' | 'keyVersion'> {
  return {
    atOnce: 1,
    codeOf: faultCode,
    fieldsOf,
    giveUp: async (hold, { error }) => {
      log.error({ ...fieldsOf(hold.record), error }, 'a batch has no reports after an erasure');
      await endIssue(ports, hold);
    },
    plan: BATCH_RETRIES,
    table: issueTable,
    times,
    what: 'reports after an erasure',
    work: (hold) => reissueReports(ports, hold),
  };
}

/** The chunks of batches that run. */
function screening<Index extends object>({
  ports,
  times,
  wake,
}: Context<Index>): LeasedWork<BatchChunk, 'batchId' | 'chunkNo'> {
  return {
    atOnce: ports.threads.atOnce + CHUNKS_BESIDE,
    codeOf: faultCode,
    fieldsOf: (chunk) => ({ ...fieldsOf(chunk), count: chunk.chunkNo }),
    giveUp: async ({ record }, fault) => {
      const batch = await running(ports, record);
      await failBatch(ports, batch, failureOf(batch, record, fault));
    },
    heldUp: async ({ record }, { code }) => {
      await note(ports, record, code);
      return {};
    },
    plan: BATCH_RETRIES,
    table: chunkTable,
    times,
    tookTurn: ({ name }, turn) =>
      ports.tables.saveWork(batchTable, { key: { batchId: name as BatchId }, work: { turn } }),
    what: 'a chunk',
    work: async (hold: ChunkHold) => {
      const after = await runChunk(ports, await running(ports, hold.record), hold);
      if (isScreened(after)) wake();
    },
  };
}

const failureOf = (batch: Batch, chunk: BatchChunk, { code, error, isFinal }: Fault) =>
  isFinal ? failedBy(code, error) : unfinished(batch, chunk, code);

/** The batch of a chunk. Throws WorkLost once it has ended. */
async function running<Index>(
  { batches }: BatchWorkPorts<Index>,
  chunk: BatchChunk,
): Promise<Batch> {
  const batch = await batches.findBatch(chunk);
  if (batch?.status !== 'running') throw new WorkLost(`batch ${chunk.batchId} ended`);
  return batch;
}

/** What holds the batch up, for those who look at it, until a chunk of it is done. */
async function note<Index>(
  { clock, tables }: BatchWorkPorts<Index>,
  { batchId }: BatchChunk,
  code: string,
): Promise<void> {
  const notice = { at: clock.now(), code };
  await tables.saveWork(batchTable, { key: { batchId }, work: { notice } });
}

const fieldsOf = ({ batchId, tenantId }: Pick<Batch, 'batchId' | 'tenantId'>) => ({
  batch_id: batchId,
  tenant_id: tenantId,
});
