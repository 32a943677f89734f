/**
 * The formula, version 1.0.0: S = Σ weight × points of a dimension, an integer 0..1,000,000. Pure,
 * and without a fraction anywhere, so that the same policy and facts give the same bytes on any
 * machine. What is missing counts `missing_points`: absence never makes a client safer.
 */
import { type Condition, compileCondition, fieldsOf, type Holds } from '#core/conditions';
import { type Facts, type FactValue, isApplicable } from './facts.ts';
import { POINTS_MAX, UNIT } from './limits.ts';
import type { Factor, Override, RiskContent } from './policyContent.ts';
import { DIMENSIONS, type Dimension, FORCES, higher, type Level } from './words.ts';

/** What one factor gave. */
export interface FactorScore {
  readonly id: string;
  /** Null for a factor with a condition. */
  readonly fact: string | null;
  readonly points: number;
  readonly missing: boolean;
}

/** What one dimension gave. */
export interface DimensionScore {
  readonly name: Dimension;
  readonly weight_bp: number;
  readonly score: number;
  /** Its part of S. */
  readonly contribution: number;
  readonly factors: readonly FactorScore[];
}

/** What a policy makes of facts. */
export interface RiskResult {
  /** S. */
  readonly score: number;
  readonly level: Level;
  /** By the score alone. */
  readonly level_by_score: Level;
  readonly dimensions: readonly DimensionScore[];
  /** Overrides that fired, in the policy's order. */
  readonly overrides: readonly { readonly id: string; readonly force: Override['force'] }[];
  readonly incomplete: boolean;
  /** Facts that were wanted and not known, in order. */
  readonly missing: readonly string[];
}

/** A policy, ready to be applied. */
export type CompiledPolicy = (facts: Facts) => RiskResult;

interface Measured {
  readonly points: number;
  readonly missing: readonly string[];
}
type Measure = (facts: Facts) => Measured;

/** Made once for many evaluations. It assumes that checkContent found nothing wrong. */
export function compilePolicy(content: RiskContent): CompiledPolicy {
  const dimensions = DIMENSIONS.map((name) => dimensionOf(content, name));
  const overrides = content.overrides.map(({ force, id, when }) => ({
    fired: { force, id },
    holds: compileCondition(when),
    wanted: wantedFacts(when),
  }));
  return (facts) => {
    const missing = new Set<string>();
    const scored = dimensions.map((measure) => measure(facts, missing));
    const score = scored.reduce((sum, { contribution }) => sum + contribution, 0);
    const byScore = levelOf(score, content.thresholds);
    const fired = overrides.filter(({ holds, wanted }) => {
      for (const name of missingOf(wanted, facts)) missing.add(name);
      return holds(facts);
    });
    return {
      dimensions: scored,
      incomplete: missing.size > 0,
      level: fired.reduce<Level>((level, one) => higher(level, FORCES[one.fired.force]), byScore),
      level_by_score: byScore,
      missing: [...missing].sort(),
      overrides: fired.map((one) => one.fired),
      score,
    };
  };
}

/** The level of a score. */
export function levelOf(score: number, { high, prohibited, standard }: RiskContent['thresholds']) {
  if (prohibited !== null && score >= prohibited * UNIT) return 'PROHIBITED';
  if (score >= high * UNIT) return 'HIGH';
  return score >= standard * UNIT ? 'STANDARD' : 'LOW';
}

function dimensionOf({ combine, factors, weights }: RiskContent, name: Dimension) {
  const measures = factors
    .filter(({ dimension }) => dimension === name)
    .map((factor) => ({ fact: factOfFactor(factor), id: factor.id, measure: measureOf(factor) }));
  const weight = weights[name];
  const isSum = combine[name] === 'sum';
  return (facts: Facts, missing: Set<string>): DimensionScore => {
    let score = 0;
    const told = measures.map(({ fact, id, measure }): FactorScore => {
      const found = measure(facts);
      for (const one of found.missing) missing.add(one);
      score = isSum ? score + found.points : Math.max(score, found.points);
      return { fact, id, missing: found.missing.length > 0, points: found.points };
    });
    score = Math.min(score, POINTS_MAX);
    return { contribution: weight * score, factors: told, name, score, weight_bp: weight };
  };
}

const factOfFactor = (factor: Factor): string | null => ('fact' in factor ? factor.fact : null);

const NOTHING: Measured = { missing: [], points: 0 };

function measureOf(factor: Factor): Measure {
  if ('when' in factor) return measureCondition(factor);
  const { fact, missing_points: points } = factor;
  const pointsOf = 'table' in factor ? tablePoints(factor.table) : bandPoints(factor.bands);
  const absent: Measured = { missing: [fact], points };
  return (facts) => {
    if (!isApplicable(fact, facts)) return NOTHING;
    const value = facts[fact];
    return value === undefined ? absent : { missing: [], points: pointsOf(value) };
  };
}

/** A condition that holds for certain counts, too: a missing fact never takes points away. */
function measureCondition({
  missing_points: missingPoints,
  points,
  when,
}: Extract<Factor, { when: Condition }>): Measure {
  const holds: Holds = compileCondition(when);
  const wanted = wantedFacts(when);
  return (facts) => {
    const missing = missingOf(wanted, facts);
    const met = holds(facts) ? points : 0;
    return { missing, points: missing.length > 0 ? Math.max(met, missingPoints) : met };
  };
}

function tablePoints(table: Readonly<Record<string, number>>): (value: FactValue) => number {
  const points = new Map(Object.entries(table));
  const other = points.get('*') ?? 0;
  const of = (value: boolean | number | string): number => points.get(String(value)) ?? other;
  return (value) =>
    typeof value === 'object' ? value.reduce((most, one) => Math.max(most, of(one)), 0) : of(value);
}

function bandPoints(
  bands: readonly { readonly lt?: number; readonly points: number }[],
): (value: FactValue) => number {
  return (value) => bands.find(({ lt }) => lt === undefined || Number(value) < lt)?.points ?? 0;
}

/**
 * Facts that a condition compares. Of one that it also asks `present` or `absent` about, its author
 * has said what its absence means.
 */
export function wantedFacts(condition: Condition): readonly string[] {
  const decided = new Set<string>();
  const visit = (one: Condition): void => {
    if ('all' in one) one.all.forEach(visit);
    else if ('any' in one) one.any.forEach(visit);
    else if ('not' in one) visit(one.not);
    else if (one.op === 'present' || one.op === 'absent') decided.add(one.field);
  };
  visit(condition);
  return fieldsOf(condition).filter((field) => !decided.has(field));
}

const missingOf = (wanted: readonly string[], facts: Facts): readonly string[] =>
  wanted.filter((name) => facts[name] === undefined && isApplicable(name, facts));

/** S as it is shown: 0 to 100, with four decimals at the most. */
export const shownScore = (score: number): number => score / UNIT;
