/**
 * Figures of deliveries as sums (operations 2.2), for each bucket of the time in which they were
 * created. They are folded from the entries `webhook.attempts`, which say of each attempt how its
 * delivery stood before and after it: no entry is counted that is not in the chain, and all of it
 * can be counted anew.
 *
 * A delivery without an attempt is in no entry yet. Those are counted in the store (pending.ts).
 */
import type { SealedEvent } from '#core/audit';
import type { EpochMs } from '#platform/clock';
import { addTo, type Histogram } from '#platform/histogram';
import type { DeliveryStatus } from './tables.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Periods, each with the length of its buckets and their number. */
export const KPI_PERIODS = {
  last_1h: { bucketMs: MINUTE_MS, buckets: 60 },
  last_24h: { bucketMs: 15 * MINUTE_MS, buckets: 96 },
  last_7d: { bucketMs: 2 * HOUR_MS, buckets: 84 },
  last_30d: { bucketMs: 24 * HOUR_MS, buckets: 30 },
} as const;
/** One of KPI_PERIODS. */
export type KpiPeriod = keyof typeof KPI_PERIODS;
export const KPI_PERIOD_NAMES = Object.keys(KPI_PERIODS) as readonly KpiPeriod[];

/** Deliveries by their states; a state that none has is absent. */
export type StateCounts = { [Status in DeliveryStatus]?: number };
export type CountsBy = Record<string, StateCounts>;

/** The sums of one endpoint's deliveries that were created in one bucket. */
export interface Tally {
  readonly states: StateCounts;
  readonly byEvent: CountsBy;
  readonly byCodeClass: CountsBy;
  readonly byFailureReason: CountsBy;
  readonly responseMs: Histogram;
  readonly delayMs: Histogram;
  /** All attempts, and those of deliveries that have ended. */
  attempts: number;
  endedAttempts: number;
  /** Delivered by the first attempt that counts. */
  firstAttempts: number;
}

export const emptyTally = (): Tally => ({
  attempts: 0,
  byCodeClass: {},
  byEvent: {},
  byFailureReason: {},
  delayMs: {},
  endedAttempts: 0,
  firstAttempts: 0,
  responseMs: {},
  states: {},
});

/** How a delivery stands, as an entry has it. */
interface ToldState {
  readonly delivery_failure_reason: string | null;
  readonly last_response_code: number | null;
  readonly status: DeliveryStatus;
}

/** An attempt as an entry has it (attempt.ts). */
export interface ToldAttempt extends ToldState {
  readonly attempt: number;
  readonly attempts_made: number;
  readonly before: ToldState | null;
  readonly delivered_at: string | null;
  readonly delivery_id: string;
  readonly duration_ms: number | null;
  readonly endpoint_id: string;
  readonly event_type: string;
  readonly response_code: number | null;
  readonly superseded?: true;
  readonly test?: true;
}

export const ATTEMPTS_ACTION = 'webhook.attempts';

/** Those of an entry that count: none that only some may know of, no tests, a state a delivery. */
export function toldAttempts({ body }: Pick<SealedEvent, 'body'>): readonly ToldAttempt[] {
  const { attempts, confidential } = JSON.parse(body) as {
    readonly attempts: readonly ToldAttempt[];
    readonly confidential?: true;
  };
  if (confidential) return [];
  return attempts.filter(({ superseded, test }) => superseded !== true && test !== true);
}

/** When a delivery was created: its id says so. */
export const createdAtOf = (deliveryId: string): EpochMs =>
  Number.parseInt(deliveryId.slice(0, 8) + deliveryId.slice(9, 13), 16) as EpochMs;

/** Adds one attempt to the tally of its delivery's endpoint and bucket. */
export function countAttempt(tally: Tally, told: ToldAttempt): void {
  const { before, event_type: event } = told;
  if (before !== null) shift(tally, { event, state: before }, -1);
  shift(tally, { event, state: told }, 1);
  if (told.duration_ms !== null) {
    tally.attempts++;
    if (told.response_code !== null) addTo(tally.responseMs, told.duration_ms);
  }
  const { delivered_at: deliveredAt, status } = told;
  if (status === 'DELIVERED' || status === 'FAILED') tally.endedAttempts += told.attempts_made;
  if (status === 'DELIVERED' && told.attempt === 1) tally.firstAttempts++;
  if (deliveredAt !== null) {
    addTo(tally.delayMs, Date.parse(deliveredAt) - createdAtOf(told.delivery_id));
  }
}

interface Shifted {
  readonly event: string;
  readonly state: ToldState;
}

function shift(tally: Tally, { event, state }: Shifted, by: 1 | -1): void {
  const { delivery_failure_reason: reason, last_response_code: code, status } = state;
  raise(tally.states, status, by);
  raiseIn(tally.byEvent, event, { by, status });
  if (code !== null) raiseIn(tally.byCodeClass, codeClassOf(code), { by, status });
  if (reason !== null) raiseIn(tally.byFailureReason, reason, { by, status });
}

function raiseIn(
  all: CountsBy,
  name: string,
  { by, status }: { readonly by: number; readonly status: DeliveryStatus },
): void {
  const counts = countsIn(all, name);
  raise(counts, status, by);
  if (Object.keys(counts).length === 0) delete all[name];
}

const codeClassOf = (code: number): string => `${Math.floor(code / 100)}xx`;

export function countsIn(by: CountsBy, name: string): StateCounts {
  by[name] ??= {};
  return by[name];
}

/** What comes to nothing is left out. */
export function raise(counts: StateCounts, status: DeliveryStatus, by: number): void {
  const sum = (counts[status] ?? 0) + by;
  if (sum === 0) delete counts[status];
  else counts[status] = sum;
}

/** Adds a tally to another. */
export function addTally(to: Tally, tally: Tally): void {
  to.attempts += tally.attempts;
  to.endedAttempts += tally.endedAttempts;
  to.firstAttempts += tally.firstAttempts;
  addCounts(to.states, tally.states);
  for (const name of ['byCodeClass', 'byEvent', 'byFailureReason'] as const) {
    for (const [key, counts] of Object.entries(tally[name])) {
      addCounts(countsIn(to[name], key), counts);
    }
  }
  for (const name of ['delayMs', 'responseMs'] as const) {
    for (const [value, count] of Object.entries(tally[name])) {
      addTo(to[name], Number(value), count);
    }
  }
}

export function addCounts(to: StateCounts, counts: StateCounts): void {
  for (const [status, count] of Object.entries(counts)) {
    raise(to, status as DeliveryStatus, count);
  }
}
