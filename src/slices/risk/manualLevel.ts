/**
 * A level that a person has given a client, with a reason and an end. It raises, or lowers with a
 * second person, never below an override of the policy that fired. One that lowers was given of
 * what was known then: it ends where the policy comes to a higher level.
 */
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { RiskResult } from './compilePolicy.ts';
import type { ManualLevel, RiskClient } from './tables.ts';
import { FORCES, higher, isLower, type Level } from './words.ts';

/** Months that a level of a person may hold. */
export const MANUAL_MONTHS_MAX = 12;
export const MANUAL_REASON_CHARS_MIN = 50;
export const MANUAL_REASON_CHARS_MAX = 4_000;

/** The lowest level that the overrides that fired leave open. */
export const forcedLevel = ({ overrides }: Pick<RiskResult, 'overrides'>): Level =>
  overrides.reduce<Level>((level, { force }) => higher(level, FORCES[force]), 'LOW');

/** Whether the level of the policy is higher than what a person gives. */
export const lowers = (level: Level, evaluated: Level): boolean => isLower(level, evaluated);

/** The one that holds now; undefined: the policy alone decides. */
export function holdingManual(
  manual: ManualLevel | undefined,
  { level }: Pick<RiskResult, 'level'>,
  now: EpochMs,
): ManualLevel | undefined {
  if (manual === undefined || manual.until <= now) return undefined;
  const isOutrun = lowers(manual.level, manual.from) && isLower(manual.from, level);
  return isOutrun ? undefined : manual;
}

/** As it counts for the client. */
export function countedLevel(
  result: Pick<RiskResult, 'level' | 'overrides'>,
  manual: ManualLevel | undefined,
): Level {
  if (manual === undefined) return result.level;
  return lowers(manual.level, manual.from)
    ? higher(manual.level, forcedLevel(result))
    : higher(manual.level, result.level);
}

/** What a person wants. */
export interface WantedLevel {
  readonly level: Level;
  readonly reason: string;
  readonly until: EpochMs;
}

/** Throws `body-invalid` where the end is not ahead, or further than MANUAL_MONTHS_MAX. */
export function requireUntil(until: EpochMs, now: EpochMs): void {
  const last = new Date(now);
  last.setUTCMonth(last.getUTCMonth() + MANUAL_MONTHS_MAX);
  if (until > now && until <= last.getTime()) return;
  const detail = `expected a time within the next ${MANUAL_MONTHS_MAX} months`;
  throw new DomainError('body-invalid', {
    violations: [{ code: 'range', detail, pointer: '/until' }],
  });
}

/** Throws `override-forbidden` where a fired override of the policy forces a higher level. */
export function requireAboveForced(level: Level, result: Pick<RiskResult, 'overrides'>): void {
  const forced = forcedLevel(result);
  if (!isLower(level, forced)) return;
  const detail = `an override of the policy that fired forces ${forced} at the least`;
  throw new DomainError('override-forbidden', { detail });
}

/** Throws `dual-control-header-missing` where the level is lower than this one. */
export function requireNoLower(level: Level, than: Level): void {
  if (!isLower(level, than)) return;
  const detail = `the client stands at ${than}: a level that lowers is signed by a second person`;
  throw new DomainError('dual-control-header-missing', { detail });
}

/** Throws `override-forbidden` where the client would stand lower without the level of a person. */
export function requireNoLowerWithout(
  manual: ManualLevel | undefined,
  result: Pick<RiskResult, 'level' | 'overrides'>,
): void {
  if (!isLower(result.level, countedLevel(result, manual))) return;
  const detail = 'the client would stand lower: have a level signed that lowers, or let it end';
  throw new DomainError('override-forbidden', { detail });
}

/** Members of the record by which the end of a level is found. */
export const manualMembers = (
  manual: ManualLevel | undefined,
): Pick<RiskClient, 'manual' | 'manualState' | 'manualUntil'> =>
  manual === undefined ? {} : { manual, manualState: 'set', manualUntil: manual.until };
