/**
 * What a comparison of two policies counts, case by case. A tally is plain JSON, so that work that
 * was interrupted goes on with it, and the same cases in the same order give the same bytes.
 */
import type { RiskResult } from './compilePolicy.ts';
import type { Facts } from './facts.ts';
import { EXAMPLES_MAX, LISTS_MAX, MOVERS_MAX, POINTS_MAX, SEGMENTS_MAX, UNIT } from './limits.ts';
import { segmentsOf } from './segments.ts';
import { isLower, LEVELS, type Level } from './words.ts';

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
  /** Those whose scores have moved the most, up and down, the strongest first. */
  readonly movers: { readonly up: Mover[]; readonly down: Mover[] };
  /** Cases by the hash of the policy of then. */
  readonly baselines: Record<string, number>;
  /** Cases by the list of then: `source list_digest content_digest`. */
  readonly lists: Record<string, number>;
  /** What became of clients later. */
  readonly outcomes: Record<string, OutcomeTally>;
  /** Alerts of which nobody can say whom they are about. */
  unread: number;
}

/** A case whose score has moved; it names nobody. */
export interface Mover {
  readonly evaluation_id: string;
  readonly from: Level;
  readonly to: Level;
  /** New score minus the old one, in parts of a point. */
  readonly shift: number;
}

/** Cases that came to something later; how many of them each policy has at HIGH or above. */
export interface OutcomeTally {
  cases: number;
  highBefore: number;
  highAfter: number;
}

/** Nothing yet. */
export const newTally = (): RiskTally => ({
  baselines: {},
  bandsNew: zeros(BANDS),
  bandsOld: zeros(BANDS),
  cases: 0,
  confusion: zeros(SIDE * SIDE),
  contributions: {},
  examples: {},
  leftOut: {},
  lists: {},
  mismatches: 0,
  missing: 0,
  movers: { down: [], up: [] },
  outcomes: {},
  overrides: {},
  scoreNew: 0,
  scoreOld: 0,
  segments: {},
  unread: 0,
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
  readonly policyHash: string;
  /** Lists of its screenings, as `source list_digest content_digest`. */
  readonly lists: readonly string[];
  /** Words for what became of the client since; a shadow asks for none. */
  readonly outcomes?: readonly string[];
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
  addMover(tally, one);
  count(tally.baselines, one.policyHash, 1);
  for (const list of one.lists) {
    if (Object.hasOwn(tally.lists, list) || Object.keys(tally.lists).length < LISTS_MAX) {
      count(tally.lists, list, 1);
    }
  }
  for (const outcome of one.outcomes ?? []) addOutcome(tally, outcome, one);
}

const isHigh = ({ level }: Pick<RiskResult, 'level'>): boolean => !isLower(level, 'HIGH');

function addOutcome(
  { outcomes }: RiskTally,
  name: string,
  { after, before }: Pick<ComparedCase, 'after' | 'before'>,
): void {
  const tally = outcomes[name] ?? { cases: 0, highAfter: 0, highBefore: 0 };
  tally.cases += 1;
  if (isHigh(before)) tally.highBefore += 1;
  if (isHigh(after)) tally.highAfter += 1;
  outcomes[name] = tally;
}

/** The first that was met stays in front of its equals. */
function addMover(
  { movers }: RiskTally,
  { after, before, evaluationId }: Pick<ComparedCase, 'after' | 'before' | 'evaluationId'>,
): void {
  const shift = after.score - before.score;
  if (shift === 0) return;
  const known = shift > 0 ? movers.up : movers.down;
  const place = known.findIndex((one) => Math.abs(one.shift) < Math.abs(shift));
  if (place === -1 && known.length === MOVERS_MAX) return;
  const mover = { evaluation_id: evaluationId, from: before.level, shift, to: after.level };
  known.splice(place === -1 ? known.length : place, 0, mover);
  if (known.length > MOVERS_MAX) known.pop();
}

/** Counts a case that is not compared. */
export const leaveOut = (tally: RiskTally, why: string): void => count(tally.leftOut, why, 1);

function bump(counts: number[], at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

function count(counts: Record<string, number>, name: string, more: number): void {
  // A factor may be called `constructor`, as the prototype of any object has it.
  counts[name] = (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0) + more;
}

/** Ten bands of ten points; the highest score is of the last one. */
const bandOf = (score: number): number =>
  Math.min(BANDS - 1, Math.floor((score * BANDS) / (POINTS_MAX * UNIT)));

/** Beyond SEGMENTS_MAX no further segment is begun: what is counted stays bounded. */
function addSegment({ segments }: RiskTally, name: string, place: number): void {
  const known =
    segments[name] ?? (Object.keys(segments).length < SEGMENTS_MAX && zeros(SIDE * SIDE));
  if (known === false) return;
  bump(known, place);
  segments[name] = known;
}
