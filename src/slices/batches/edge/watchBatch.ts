/**
 * Follows a batch until it ends, or until no worker works on it. Whether there are workers is seen
 * in the store alone: records of open batches that change, leases that are renewed. So it works for
 * workers on other hosts and without Redis.
 */
import type { BatchId, Leased, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import {
  type Batch,
  type BatchQueue,
  type BatchStore,
  estimatedCompletion,
  hasEnded,
  paceLately,
  progressPct,
} from '#slices/batches';
import type { Progress } from '../../../cli/output.ts';

const LOOK_EVERY_MS = 500;
/** A worker that is there takes a batch within half a second, or is seen to work on others. */
export const NOBODY_MS = 20_000;
/** Longer than any chunk, and than a killed worker's lease. */
export const NOBODY_ANY_MORE_MS = 90_000;
const OPEN_SEEN = 100;
/** Per cent between two lines of a log. */
const LINE_EVERY_PCT = 5;

export interface WatchPorts {
  readonly batches: Pick<BatchStore, 'findBatch' | 'heldBatches' | 'listBatches' | 'openBatches'>;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  readonly onProgress: (progress: Progress) => void;
}

export type Watched =
  | { readonly is: 'ended'; readonly batch: Batch }
  /** It waits until a worker is started. */
  | { readonly is: 'left'; readonly batch: Batch; readonly idleMs: number };

export async function watchBatch(
  ports: WatchPorts,
  of: { readonly tenantId: TenantId; readonly batchId: BatchId },
): Promise<Watched | undefined> {
  const { batches, clock, sleep } = ports;
  const work = new SignsOfWork(clock);
  const told = new Told(ports);
  let subjectsPerS: number | undefined;
  let isPaceKnown = false;
  for (;;) {
    const batch = await batches.findBatch(of);
    if (batch === undefined) return undefined;
    if (hasEnded(batch)) return { batch, is: 'ended' };
    // Once: the recent pace does not change during the wait.
    if (!isPaceKnown) subjectsPerS = await paceLately(batches, batch);
    isPaceKnown = true;
    const open = await batches.openBatches(OPEN_SEEN);
    const idleMs = work.idleMs([batch, ...open], await batches.heldBatches(OPEN_SEEN));
    told.tell(batch, { open, subjectsPerS });
    const patienceMs = batch.status === 'queued' ? NOBODY_MS : NOBODY_ANY_MORE_MS;
    if (idleMs > patienceMs) return { batch, idleMs, is: 'left' };
    await sleep(LOOK_EVERY_MS);
  }
}

class SignsOfWork {
  readonly #clock: Clock;
  #pulses: ReadonlyMap<string, string> | undefined;
  #seenMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#seenMs = clock.monotonicMs();
  }

  /** For how long nothing was seen: no record moved, and no lease. */
  idleMs(batches: readonly Batch[], held: readonly Leased<Batch>[]): number {
    const beats = new Map(held.map(({ lease, record }) => [record.batchId, lease]));
    const pulseOf = ({ batchId, turn = 0, version }: Batch): string => {
      const { beat = 0, fence = 0 } = beats.get(batchId) ?? {};
      return `${version}/${turn}/${fence}/${beat}`;
    };
    const before = this.#pulses;
    this.#pulses = new Map(batches.map((batch) => [batch.batchId, pulseOf(batch)]));
    // A batch that has just come in says nothing of workers.
    const isMoved = [...this.#pulses].some(([batchId, pulse]) => {
      const known = before?.get(batchId);
      return known !== undefined && known !== pulse;
    });
    if (isMoved) this.#seenMs = this.#clock.monotonicMs();
    return this.#clock.monotonicMs() - this.#seenMs;
  }
}

/** A bar that moves; where there is none, a line now and then. */
class Told {
  readonly #ports: WatchPorts;
  #lastStep = '';

  constructor(ports: WatchPorts) {
    this.#ports = ports;
  }

  tell(batch: Batch, queue: BatchQueue): void {
    const now = this.#ports.clock.now();
    const pct = progressPct(batch);
    const isDone = batch.counts.subjects >= batch.subjectsTotal;
    const step = isDone ? 'reports' : `${batch.status} ${Math.floor(pct / LINE_EVERY_PCT)}`;
    const end = estimatedCompletion(batch, { now, queue });
    const label = labelOf(batch, end === undefined ? undefined : end - now);
    this.#ports.onProgress({
      label,
      share: pct / 100,
      ...(step !== this.#lastStep && { line: `${Math.floor(pct)}% ${label}` }),
    });
    this.#lastStep = step;
  }
}

function labelOf({ counts, status, subjectsTotal }: Batch, leftMs: number | undefined): string {
  const left = leftMs === undefined || leftMs <= 0 ? '' : `, about ${spanOf(leftMs)} left`;
  if (status === 'queued') return `queued: ${grouped(subjectsTotal)} subjects${left}`;
  const done = `${grouped(counts.subjects)} of ${grouped(subjectsTotal)} subjects`;
  if (counts.subjects >= subjectsTotal) return `${done}, ${grouped(counts.hits)} hits: reports`;
  return `${done}, ${grouped(counts.hits)} hits${left}`;
}

const grouped = (count: number): string => count.toLocaleString('en-US');

/** `40 s`, `12 min`, `5 h`: rounded up, the unit that says it. */
export function spanOf(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
