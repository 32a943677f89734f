/**
 * Figures of a tenant's screenings (operations 2.5), counted from its chain: of screenings, of what
 * people decided, and of replays. Sums of buckets add up to those of a period.
 */
import { type SealedEvent, storedMembers } from '#core/audit';
import type { EpochMs } from '#platform/clock';
import { addTo, type Histogram } from '#platform/histogram';
import { type Channel, type Decision, storedVerdict } from '#slices/screening';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Periods, each with the length of its buckets and their number. */
export const KPI_PERIODS = {
  '1h': { bucketMs: MINUTE_MS, buckets: 60 },
  '24h': { bucketMs: 15 * MINUTE_MS, buckets: 96 },
  '7d': { bucketMs: 2 * HOUR_MS, buckets: 84 },
  '30d': { bucketMs: 24 * HOUR_MS, buckets: 30 },
} as const;
/** One of KPI_PERIODS. */
export type KpiPeriod = keyof typeof KPI_PERIODS;
/** Their names. */
export const KPI_PERIOD_NAMES = Object.keys(KPI_PERIODS) as readonly KpiPeriod[];

/** Counts by name; what none has is absent. */
export type Counts<Name extends string = string> = { readonly [Key in Name]?: number };

/** The sums of one bucket. */
export interface ScreeningTally {
  readonly screenings: Counts<Decision>;
  readonly channels: Counts<Channel>;
  readonly hits: number;
  readonly suppressed: number;
  /** Screenings whose candidates were known already; absent in buckets of a former release. */
  readonly cached?: number;
  /** Alerts of screenings that were closed, by their outcome. */
  readonly outcomes: Counts;
  /** From the alert to its end. */
  readonly decideMs: Histogram;
  /** Replays by what they came to. */
  readonly replays: Counts;
}

export const emptyTally = (): ScreeningTally => ({
  channels: {},
  decideMs: {},
  hits: 0,
  outcomes: {},
  replays: {},
  screenings: {},
  suppressed: 0,
});

/** The sum of two. */
export const addTallies = (one: ScreeningTally, other: ScreeningTally): ScreeningTally => ({
  cached: (one.cached ?? 0) + (other.cached ?? 0),
  channels: added(one.channels, other.channels),
  decideMs: added(one.decideMs, other.decideMs) as Histogram,
  hits: one.hits + other.hits,
  outcomes: added(one.outcomes, other.outcomes),
  replays: added(one.replays, other.replays),
  screenings: added(one.screenings, other.screenings),
  suppressed: one.suppressed + other.suppressed,
});

function added<Name extends string>(one: Counts<Name>, other: Counts<Name>): Counts<Name> {
  const sum: Record<string, number> = { ...(one as Counts) } as Record<string, number>;
  for (const [name, count] of Object.entries(other as Counts)) {
    sum[name] = (sum[name] ?? 0) + (count ?? 0);
  }
  return sum as Counts<Name>;
}

/** When the alerts that entries close were raised. */
export type RaisedAt = ReadonlyMap<string, EpochMs>;

/** The id of the alert that an entry closes; undefined for any other event. */
export function closedAlertOf({ action, body }: SealedEvent): string | undefined {
  if (action !== 'aml.alert.closed') return undefined;
  return String(storedMembers({ body }).target).replace('alert:', '');
}

/** What one event adds; undefined for one that is not counted, or cannot be read. */
export function tallyOf(event: SealedEvent, raisedAt: RaisedAt): ScreeningTally | undefined {
  try {
    if (event.type === 'screening') return screeningTally(event);
    const alertId = closedAlertOf(event);
    if (alertId !== undefined) return closedTally(event, raisedAt.get(alertId));
    const isReplay =
      event.action === 'SANCTIONS_REPLAYED' || event.action === 'SANCTIONS_REPLAY_DIFFERENT';
    if (!isReplay) return undefined;
    return { ...emptyTally(), replays: { [String(storedMembers(event).result)]: 1 } };
  } catch (error) {
    // The walk over the chain names an event that cannot be read.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function screeningTally(event: SealedEvent): ScreeningTally {
  const {
    cached,
    channel = 'unit',
    suppressed,
  } = storedMembers(event) as {
    readonly cached?: boolean;
    readonly channel?: Channel;
    readonly suppressed?: readonly unknown[];
  };
  const { decision, hits } = storedVerdict(event);
  return {
    ...emptyTally(),
    cached: cached === true ? 1 : 0,
    channels: { [channel]: 1 },
    hits: hits.length,
    screenings: { [decision]: 1 },
    suppressed: suppressed?.length ?? 0,
  };
}

/** Alerts of batches and the like are not of screenings: they are not in `raisedAt`. */
function closedTally(
  event: SealedEvent,
  raisedAt: EpochMs | undefined,
): ScreeningTally | undefined {
  if (raisedAt === undefined) return undefined;
  const decideMs: Record<string, number> = {};
  addTo(decideMs, event.occurredAt - raisedAt);
  return {
    ...emptyTally(),
    decideMs,
    outcomes: { [String(storedMembers(event).outcome)]: 1 },
  };
}
