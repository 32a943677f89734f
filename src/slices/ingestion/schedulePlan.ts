/**
 * The plan of the schedules (GET …/etl/schedule): the coming week by day and hour, each source's
 * next fire, and warnings for a person. Disabled sources are in the plan too, and marked, because
 * people check it before they enable one.
 */
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { ListSource } from '#slices/lists';
import { DAY_MS, fireTimes, isFireDay } from './cronDays.ts';
import { parseQuartz } from './quartz.ts';
import { nextFires } from './schedule.ts';

const PLANNED_DAYS = 7;
const HOUR_MS = 3_600_000;

export type PlanWarning =
  | 'disabled-by-scheduler'
  | 'last-run-failed'
  | 'no-address'
  | 'no-air-gap-path'
  | 'no-schedule';

/** One schedule within one hour. */
export interface PlannedFires {
  readonly sourceId: string;
  readonly kind: 'full' | 'delta';
  readonly enabled: boolean;
  readonly firstAt: EpochMs;
  readonly count: number;
}

export interface PlannedHour {
  readonly hour: number;
  readonly fires: readonly PlannedFires[];
}

export interface PlannedDay {
  /** YYYY-MM-DD, UTC. */
  readonly date: string;
  /** Hours with fires, ascending. */
  readonly hours: readonly PlannedHour[];
}

/** Seven times 24 hours from `now`; the last day may be the first one's weekday again. */
export function planWeek(sources: readonly ListSource[], now: EpochMs): PlannedDay[] {
  const until = now + PLANNED_DAYS * DAY_MS;
  const days: PlannedDay[] = [];
  for (let day = Math.floor(now / DAY_MS); day * DAY_MS < until; day++) {
    const fires = sources.flatMap((source) => firesOfDay(source, day, { now, until }));
    const date = toTimestamp((day * DAY_MS) as EpochMs).slice(0, 10);
    days.push({ date, hours: byHour(fires) });
  }
  return days;
}

/** The earliest fire of either schedule; undefined for a source that does not fire. */
export function nextFireAt(source: ListSource, now: EpochMs): EpochMs | undefined {
  if (!source.enabled) return undefined;
  const fires = [source.cronFull, source.cronDelta].flatMap((cron) =>
    cron === undefined ? [] : nextFires(cron, now, 1),
  );
  return fires.length === 0 ? undefined : (Math.min(...fires) as EpochMs);
}

export interface PlannedFire {
  readonly kind: 'full' | 'delta';
  readonly at: EpochMs;
}

const PREVIEWED_FIRES = 5;

/**
 * The next five fires of both schedules, as if the source were enabled: people check them before
 * they enable it.
 */
export function previewFires({ cronDelta, cronFull }: ListSource, now: EpochMs): PlannedFire[] {
  const of = (kind: PlannedFire['kind'], cron: string | undefined): PlannedFire[] =>
    cron === undefined ? [] : nextFires(cron, now, PREVIEWED_FIRES).map((at) => ({ at, kind }));
  return [...of('full', cronFull), ...of('delta', cronDelta)]
    .sort((a, b) => a.at - b.at)
    .slice(0, PREVIEWED_FIRES);
}

/** `isAirGapped`: nothing may be fetched, even from a source with an address. */
export function planWarnings(source: ListSource, isAirGapped: boolean): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  const { airGapPath, cronDelta, cronFull, disabledReason, enabled, lastStatus, url } = source;
  if (disabledReason !== undefined) warnings.push('disabled-by-scheduler');
  if (lastStatus === 'failed') warnings.push('last-run-failed');
  if (!enabled) return warnings;
  if (airGapPath === undefined && isAirGapped) warnings.push('no-air-gap-path');
  else if (airGapPath === undefined && url === undefined) warnings.push('no-address');
  if (cronFull === undefined && cronDelta === undefined) warnings.push('no-schedule');
  return warnings;
}

interface Window {
  readonly now: EpochMs;
  readonly until: number;
}

/** At most 24 entries of each schedule, however often it fires. */
function firesOfDay(source: ListSource, day: number, { now, until }: Window): PlannedFires[] {
  const { cronDelta, cronFull, enabled, sourceId } = source;
  const kinds = [
    ['full', cronFull],
    ['delta', cronDelta],
  ] as const;
  return kinds.flatMap(([kind, text]) => {
    const cron = text === undefined ? undefined : parseQuartz(text);
    if (cron === undefined || !isFireDay(cron, day)) return [];
    const hours = new Map<number, PlannedFires>();
    for (const seconds of fireTimes(cron)) {
      const at = (day * DAY_MS + seconds * 1_000) as EpochMs;
      if (at <= now || at > until) continue;
      const hour = Math.floor(at / HOUR_MS);
      const { count = 0, firstAt = at } = hours.get(hour) ?? {};
      hours.set(hour, { count: count + 1, enabled, firstAt, kind, sourceId });
    }
    return [...hours.values()];
  });
}

function byHour(fires: readonly PlannedFires[]): PlannedHour[] {
  const hourOf = ({ firstAt }: PlannedFires) => Math.floor((firstAt % DAY_MS) / HOUR_MS);
  const hours = [...new Set(fires.map(hourOf))].sort((a, b) => a - b);
  return hours.map((hour) => ({
    hour,
    fires: fires
      .filter((fire) => hourOf(fire) === hour)
      .sort((a, b) => a.firstAt - b.firstAt || (a.sourceId < b.sourceId ? -1 : 1)),
  }));
}
