/**
 * What a comparison of two policies counts, case by case. A tally is plain JSON, so that work that
 * was interrupted goes on with it, and the same cases in the same order give the same bytes.
 */
import type { RiskResult } from './compilePolicy.ts';
import type { Facts } from './facts.ts';
import { EXAMPLES_MAX, POINTS_MAX, SEGMENTS_MAX, UNIT } from './limits.ts';
import { LEVELS } from './words.ts';

const SIDE = LEVELS.length;
const BANDS = 10;

/** Counts so far. Of matrices rows are old levels and columns new ones, row by row. */
export interface RiskTally {
  cases: number;
  readonly confusion: number[];
  /** Evaluations whose level the policy of then does not give again; must be 0. */
  mismatches: number;
  /** Cases of which the new policy lacks facts. */
  missing: number;
  readonly bandsOld: number[];
  readonly bandsNew: number[];
  /** Sums of S. */
  scoreOld: number;
  scoreNew: number;
  /** Points of factors times weight, summed, by factor of the new policy. */
  readonly contributions: Record<string, number>;
  /** How often overrides of the new policy fired. */
  readonly overrides: Record<string, number>;
  /** Evaluations that moved, by `OLD>NEW`; the first of each. */
  readonly examples: Record<string, string[]>;
  /** Matrices by `country:TN`, `product:…`, `channel:…`. */
  readonly segments: Record<string, number[]>;
  /** Cases that were not counted, by why. */
  readonly leftOut: Record<string, number>;
}

/** Nothing yet. */
export const newTally = (): RiskTally => ({
  bandsNew: zeros(BANDS),
  bandsOld: zeros(BANDS),
  cases: 0,
  confusion: zeros(SIDE * SIDE),
  contributions: {},
  examples: {},
  leftOut: {},
  mismatches: 0,
  missing: 0,
  overrides: {},
  scoreNew: 0,
  scoreOld: 0,
  segments: {},
});

const zeros = (length: number): number[] => Array.from({ length }, () => 0);

/** One case under both policies. */
export interface ComparedCase {
  readonly evaluationId: string;
  readonly facts: Facts;
  readonly before: RiskResult;
  readonly after: RiskResult;
  /** As the evaluation was signed. */
  readonly signedLevel: string;
}

/** Counts a case. */
export function addCase(tally: RiskTally, one: ComparedCase): void {
  const { after, before, evaluationId, facts, signedLevel } = one;
  const place = LEVELS.indexOf(before.level) * SIDE + LEVELS.indexOf(after.level);
  tally.cases += 1;
  bump(tally.confusion, place);
  if (before.level !== signedLevel) tally.mismatches += 1;
  if (after.incomplete) tally.missing += 1;
  bump(tally.bandsOld, bandOf(before.score));
  bump(tally.bandsNew, bandOf(after.score));
  tally.scoreOld += before.score;
  tally.scoreNew += after.score;
  for (const { factors, weight_bp } of after.dimensions) {
    for (const { id, points } of factors) count(tally.contributions, id, points * weight_bp);
  }
  for (const { id } of after.overrides) count(tally.overrides, id, 1);
  if (before.level !== after.level) {
    const key = `${before.level}>${after.level}`;
    const known = tally.examples[key] ?? [];
    if (known.length < EXAMPLES_MAX) tally.examples[key] = [...known, evaluationId];
  }
  for (const segment of segmentsOf(facts)) addSegment(tally, segment, place);
}

/** Counts a case that is not compared. */
export const leaveOut = (tally: RiskTally, why: string): void => count(tally.leftOut, why, 1);

function bump(counts: number[], at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

function count(counts: Record<string, number>, name: string, more: number): void {
  counts[name] = (counts[name] ?? 0) + more;
}

/** Ten bands of ten points; the highest score is of the last one. */
const bandOf = (score: number): number =>
  Math.min(BANDS - 1, Math.floor((score * BANDS) / (POINTS_MAX * UNIT)));

function segmentsOf(facts: Facts): readonly string[] {
  const products = facts['product.codes'];
  return [
    ...named('country', facts['geo.residence']),
    ...named('channel', facts['channel.onboarding']),
    ...(Array.isArray(products) ? products.flatMap((one) => named('product', one)) : []),
  ];
}

const named = (kind: string, value: unknown): string[] =>
  value === undefined ? [] : [`${kind}:${String(value)}`];

/** Beyond SEGMENTS_MAX no further segment is begun: what is counted stays bounded. */
function addSegment({ segments }: RiskTally, name: string, place: number): void {
  const known =
    segments[name] ?? (Object.keys(segments).length < SEGMENTS_MAX && zeros(SIDE * SIDE));
  if (known === false) return;
  bump(known, place);
  segments[name] = known;
}
