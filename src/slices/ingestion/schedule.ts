/**
 * The rules of schedules (interface.md 4.9), and when they fire. They are analysed over 28 years of
 * days, after which weekdays and leap years repeat, so a collision on one day in years is found
 * too.
 *
 * "OFAC sources not more than once per hour" applies per source: two fires of one OFAC source, full
 * or delta, are an hour apart at least. Over both sources together it would refuse the schedules
 * that ship, which fetch both at midnight.
 */
import type { EpochMs } from '#platform/clock';
import { DAY_MS, fireTimes, type Gap, isFireDay, shortestGap } from './cronDays.ts';
import { CronError, type CronProblemCode, parseQuartz, type QuartzCron } from './quartz.ts';

const SPACING_SECONDS_MIN = 60;
const OFAC_SPACING_SECONDS_MIN = 3_600;
/** From 2024-01-01. */
const ANALYSED_DAYS = { count: 28 * 365 + 7, from: 19_723 };
/** Between two 29 Februaries lie eight years at most, and a weekday may narrow it down further. */
const SEARCHED_DAYS_MAX = 41 * 366;

export interface CronProblem {
  readonly field: 'cron_full' | 'cron_delta';
  readonly code:
    | CronProblemCode
    | 'spacing-under-60s'
    | 'full-delta-collision'
    | 'ofac-over-hourly';
  /** What was expected, with an example where fires are too close. */
  readonly detail: string;
}

/** Undefined where the expression is good by itself. */
export function validateCron(expression: string): Omit<CronProblem, 'field'> | undefined {
  try {
    const cron = parseQuartz(expression);
    if (nextFireOf(cron, 0 as EpochMs) === undefined) {
      return { code: 'cron-syntax', detail: 'expected a day that exists: it never fires' };
    }
    const gap = shortestGap(cron, cron, ANALYSED_DAYS);
    if (gap === undefined || gap.seconds >= SPACING_SECONDS_MIN) return undefined;
    const detail = `expected fires at least 60 s apart, got ${gapText(gap)}`;
    return { code: 'spacing-under-60s', detail };
  } catch (error) {
    if (error instanceof CronError) return { code: error.code, detail: error.message };
    throw error;
  }
}

/** All that is wrong with the schedules of one source, each by itself and both together. */
export function validateSchedule(schedule: {
  readonly sourceId: string;
  readonly cronFull?: string | undefined;
  readonly cronDelta?: string | undefined;
}): CronProblem[] {
  const given: { readonly field: CronProblem['field']; readonly text: string }[] = [];
  if (schedule.cronFull !== undefined) given.push({ field: 'cron_full', text: schedule.cronFull });
  if (schedule.cronDelta !== undefined)
    given.push({ field: 'cron_delta', text: schedule.cronDelta });
  const alone = given.flatMap(({ field, text }) => {
    const problem = validateCron(text);
    return problem === undefined ? [] : [{ ...problem, field }];
  });
  if (alone.length > 0) return alone;
  const crons = given.map(({ field, text }) => ({ cron: parseQuartz(text), field }));
  const isOfac = schedule.sourceId.startsWith('OFAC_');
  return [...collisions(crons), ...(isOfac ? overHourly(crons) : [])];
}

interface Named {
  readonly cron: QuartzCron;
  readonly field: CronProblem['field'];
}

function collisions([full, delta]: readonly Named[]): CronProblem[] {
  if (full === undefined || delta === undefined) return [];
  const gap = shortestGap(full.cron, delta.cron, ANALYSED_DAYS);
  if (gap === undefined || gap.seconds >= SPACING_SECONDS_MIN) return [];
  const detail = `expected full and delta at least 60 s apart, got ${gapText(gap)}`;
  return [{ code: 'full-delta-collision', detail, field: delta.field }];
}

function overHourly(crons: readonly Named[]): CronProblem[] {
  const problems: CronProblem[] = [];
  for (const [index, { cron, field }] of crons.entries()) {
    for (const other of crons.slice(0, index + 1)) {
      const gap = shortestGap(other.cron, cron, ANALYSED_DAYS);
      if (gap === undefined || gap.seconds >= OFAC_SPACING_SECONDS_MIN) continue;
      const detail = `expected runs an hour apart (OFAC), got ${gapText(gap)}`;
      problems.push({ code: 'ofac-over-hourly', detail, field });
      break;
    }
  }
  return problems;
}

/** The next `count` fires after `from`, UTC. Throws CronError where the expression is none. */
export function nextFires(expression: string, from: EpochMs, count: number): EpochMs[] {
  const cron = parseQuartz(expression);
  const fires: EpochMs[] = [];
  for (let after = from; fires.length < count; ) {
    const next = nextFireOf(cron, after);
    if (next === undefined) break;
    fires.push(next);
    after = next;
  }
  return fires;
}

/** The latest fire in (after, until]; undefined where there is none. */
export function latestFire(
  expression: string,
  { after, until }: { readonly after: EpochMs; readonly until: EpochMs },
): EpochMs | undefined {
  const cron = parseQuartz(expression);
  const times = [...fireTimes(cron)].reverse();
  const isIn = (at: number): boolean => at > after && at <= until;
  for (let day = Math.floor(until / DAY_MS); (day + 1) * DAY_MS > after; day--) {
    if (!isFireDay(cron, day)) continue;
    const time = times.find((seconds) => isIn(day * DAY_MS + seconds * 1_000));
    if (time !== undefined) return (day * DAY_MS + time * 1_000) as EpochMs;
  }
  return undefined;
}

function nextFireOf(cron: QuartzCron, after: EpochMs): EpochMs | undefined {
  const today = Math.floor(after / DAY_MS);
  for (let day = today; day < today + SEARCHED_DAYS_MAX; day++) {
    if (!isFireDay(cron, day)) continue;
    for (const seconds of fireTimes(cron)) {
      const at = day * DAY_MS + seconds * 1_000;
      if (at > after) return at as EpochMs;
    }
  }
  return undefined;
}

const gapText = ({ day, seconds }: Gap): string =>
  `${seconds} s on ${new Date(day * DAY_MS).toISOString().slice(0, 10)}`;
