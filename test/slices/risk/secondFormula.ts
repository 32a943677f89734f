/**
 * The formula once more, as the page tells it and by other means: big integers, no compilation, and
 * conditions read as they stand. It shares nothing with src/slices/risk but the catalogue.
 */
import type { Condition } from '#core/conditions';
import { FACTS, type Facts, type RiskContent } from '#slices/risk';

const ORDER = ['LOW', 'STANDARD', 'HIGH', 'PROHIBITED'];
const NAMES = ['client', 'geo', 'product', 'channel', 'aml_screening'] as const;

export interface SecondResult {
  readonly score: number;
  readonly level: string;
  readonly byScore: string;
  readonly missing: readonly string[];
  readonly fired: readonly string[];
  readonly dimensions: Readonly<Record<string, number>>;
}

export function secondFormula(content: RiskContent, facts: Facts): SecondResult {
  const missing = new Set<string>();
  const dimensions: Record<string, number> = {};
  let sum = 0n;
  for (const name of NAMES) {
    const all: bigint[] = [];
    for (const factor of content.factors) {
      if (factor.dimension !== name) continue;
      all.push(BigInt(pointsOf(factor, facts, missing)));
    }
    let score = 0n;
    if (content.combine[name] === 'sum') for (const one of all) score += one;
    else for (const one of all) if (one > score) score = one;
    if (score > 100n) score = 100n;
    dimensions[name] = Number(score);
    sum += BigInt(content.weights[name]) * score;
  }
  let place = 0;
  const { high, prohibited, standard } = content.thresholds;
  if (sum >= BigInt(standard) * 10_000n) place = 1;
  if (sum >= BigInt(high) * 10_000n) place = 2;
  if (prohibited !== null && sum >= BigInt(prohibited) * 10_000n) place = 3;
  const byScore = place;
  const fired: string[] = [];
  for (const { force, id, when } of content.overrides) {
    for (const one of lacking(when, facts)) missing.add(one);
    if (!holds(when, facts)) continue;
    fired.push(id);
    place = Math.max(place, force === 'mustProhibit' ? 3 : 2);
  }
  return {
    byScore: ORDER[byScore] ?? '',
    dimensions,
    fired,
    level: ORDER[place] ?? '',
    missing: [...missing].sort(),
    score: Number(sum),
  };
}

const isTheirs = (name: string, facts: Facts): boolean => {
  const type = facts['client.type'];
  return !FACTS[name]?.of || type === undefined || FACTS[name]?.of === type;
};

function pointsOf(factor: RiskContent['factors'][number], facts: Facts, missing: Set<string>) {
  if ('when' in factor) {
    const lacks = lacking(factor.when, facts);
    for (const one of lacks) missing.add(one);
    const met = holds(factor.when, facts) ? factor.points : 0;
    return lacks.length > 0 && met < factor.missing_points ? factor.missing_points : met;
  }
  const { fact } = factor;
  if (!isTheirs(fact, facts)) return 0;
  const value = facts[fact];
  if (value === undefined) {
    missing.add(fact);
    return factor.missing_points;
  }
  if ('bands' in factor) {
    for (const { lt, points } of factor.bands) {
      if (lt === undefined || (value as number) < lt) return points;
    }
    return 0;
  }
  const values = Array.isArray(value) ? value : [value];
  let most = 0;
  for (const one of values) {
    const own = Object.entries(factor.table).find(([name]) => name === `${one}`);
    most = Math.max(most, own?.[1] ?? factor.table['*'] ?? 0);
  }
  return most;
}

function lacking(condition: Condition, facts: Facts): string[] {
  const leaves = leavesOf(condition);
  const asked = leaves.filter(({ op }) => op === 'present' || op === 'absent');
  return leaves
    .filter(({ field }) => !asked.some((one) => one.field === field))
    .map(({ field }) => field)
    .filter((field) => facts[field] === undefined && isTheirs(field, facts));
}

type Leaf = Extract<Condition, { field: string }>;
function leavesOf(condition: Condition): Leaf[] {
  if ('all' in condition) return condition.all.flatMap(leavesOf);
  if ('any' in condition) return condition.any.flatMap(leavesOf);
  return 'not' in condition ? leavesOf(condition.not) : [condition];
}

function holds(condition: Condition, facts: Facts): boolean {
  if ('all' in condition) return !condition.all.some((one) => !holds(one, facts));
  if ('any' in condition) return condition.any.filter((one) => holds(one, facts)).length > 0;
  if ('not' in condition) return !holds(condition.not, facts);
  const value = facts[condition.field];
  const has = (wanted: unknown) =>
    Array.isArray(value) ? value.includes(wanted) : value === wanted;
  switch (condition.op) {
    case 'present':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'eq':
      return has(condition.value);
    case 'ne':
      return !has(condition.value);
    case 'in':
      return condition.value.filter(has).length > 0;
    case 'not_in':
      return condition.value.filter(has).length === 0;
    default: {
      if (typeof value !== 'number') return false;
      const by = value - Number(condition.value);
      return { ge: by >= 0, gt: by > 0, le: by <= 0, lt: by < 0 }[condition.op];
    }
  }
}
