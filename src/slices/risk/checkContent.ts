/**
 * What a policy must keep beyond its shape, with every violation, and what its author should know.
 * A policy that breaks a rule may be kept as a draft; nothing is evaluated by it for good.
 */
import { type Condition, checkCondition } from '#core/conditions';
import type { Violation } from '#core/kernel';
import { type Fact, factOf, KNOWN_FACTS, wordsOf } from './facts.ts';
import {
  CONTENT_BYTES_MAX,
  FACTORS_MAX,
  OVERRIDES_MAX,
  POINTS_MAX,
  TABLE_VALUES_MAX,
  UNIT,
} from './limits.ts';
import {
  type BandsFactor,
  contentText,
  type Factor,
  type RiskContent,
  type TableFactor,
} from './policyContent.ts';
import { DIMENSIONS, type Dimension } from './words.ts';

/** The share of a weight over which one dimension dominates (EBA GL 3.6 a). */
const DOMINANT_BP = 5_000;
const OTHERS = '*';

/** What is wrong, and what is only worth a thought. */
export interface ContentCheck {
  readonly violations: readonly Violation[];
  readonly warnings: readonly Violation[];
}

/** Pointers are into the content. */
export function checkContent(content: RiskContent): ContentCheck {
  const violations = [
    ...wrongSizes(content),
    ...wrongWeights(content),
    ...wrongThresholds(content),
    ...repeatedIds(content.factors, '/factors'),
    ...repeatedIds(content.overrides, '/overrides'),
    ...content.factors.flatMap((factor, at) => wrongFactor(factor, `/factors/${at}`)),
    ...content.overrides.flatMap(({ when }, at) => wrongCondition(when, `/overrides/${at}/when`)),
    ...emptyDimensions(content),
  ];
  // What follows is counted from factors that make sense.
  if (violations.length > 0) return { violations, warnings: [] };
  return { violations: unreachable(content), warnings: dominant(content) };
}

const wrong = (pointer: string, code: string, detail: string): Violation => ({
  code,
  detail,
  pointer,
});

function wrongSizes(content: RiskContent): Violation[] {
  const bytes = Buffer.byteLength(contentText(content));
  return [
    ...(content.factors.length > FACTORS_MAX
      ? [wrong('/factors', 'range', `expected at most ${FACTORS_MAX}`)]
      : []),
    ...(content.overrides.length > OVERRIDES_MAX
      ? [wrong('/overrides', 'range', `expected at most ${OVERRIDES_MAX}`)]
      : []),
    ...(bytes > CONTENT_BYTES_MAX
      ? [wrong('', 'too-long', `expected at most ${CONTENT_BYTES_MAX} bytes, got ${bytes}`)]
      : []),
  ];
}

function wrongWeights({ weights }: RiskContent): Violation[] {
  const sum = DIMENSIONS.reduce((total, name) => total + weights[name], 0);
  if (sum === UNIT) return [];
  return [wrong('/weights', 'weights-sum', `expected a sum of ${UNIT} basis points, got ${sum}`)];
}

function wrongThresholds({ thresholds }: RiskContent): Violation[] {
  const { high, prohibited, standard } = thresholds;
  const isRising =
    standard > 0 &&
    standard < high &&
    high < (prohibited ?? POINTS_MAX + 1) &&
    (prohibited ?? high) <= POINTS_MAX;
  if (isRising) return [];
  const detail = `expected 0 < standard < high < prohibited <= ${POINTS_MAX}`;
  return [wrong('/thresholds', 'not-monotone', detail)];
}

function repeatedIds(rows: readonly { readonly id: string }[], pointer: string): Violation[] {
  const seen = new Set<string>();
  return rows.flatMap(({ id }, at) => {
    const isSeen = seen.has(id);
    seen.add(id);
    return isSeen ? [wrong(`${pointer}/${at}/id`, 'repeated', 'expected an id of its own')] : [];
  });
}

function emptyDimensions({ factors }: RiskContent): Violation[] {
  const held = new Set(factors.map(({ dimension }) => dimension));
  return DIMENSIONS.filter((name) => !held.has(name)).map((name) =>
    wrong('/factors', 'dimension-empty', `expected a factor of the dimension ${name}`),
  );
}

const wrongCondition = (when: Condition, pointer: string): readonly Violation[] =>
  checkCondition(when, { known: KNOWN_FACTS, pointer });

function wrongFactor(factor: Factor, pointer: string): readonly Violation[] {
  if ('when' in factor) return wrongCondition(factor.when, `${pointer}/when`);
  const fact = factOf(factor.fact);
  if (fact === undefined) {
    return [wrong(`${pointer}/fact`, 'unknown', 'expected a fact of the catalogue')];
  }
  return 'table' in factor
    ? wrongTable(factor, fact, pointer)
    : wrongBands(factor, fact, `${pointer}/bands`);
}

function wrongTable({ table }: TableFactor, fact: Fact, pointer: string): Violation[] {
  if (fact.kind === 'integer') {
    return [wrong(`${pointer}/table`, 'type', 'expected bands for a fact that is a number')];
  }
  const values = Object.keys(table).filter((value) => value !== OTHERS);
  const all = fact.kind === 'boolean' ? ['false', 'true'] : wordsOf(fact);
  const unknown = values
    .filter((value) => all !== undefined && !all.includes(value))
    .map((value) =>
      wrong(`${pointer}/table/${value}`, 'unknown', 'expected a value that the fact may have'),
    );
  const isTotal = all?.every((value) => Object.hasOwn(table, value)) ?? false;
  const lacks = isTotal || Object.hasOwn(table, OTHERS);
  const tooMany = values.length > TABLE_VALUES_MAX;
  return [
    ...unknown,
    ...(lacks ? [] : [wrong(`${pointer}/table`, 'not-total', 'expected points for "*"')]),
    ...(tooMany
      ? [wrong(`${pointer}/table`, 'range', `expected at most ${TABLE_VALUES_MAX} values`)]
      : []),
  ];
}

function wrongBands({ bands }: BandsFactor, fact: Fact, pointer: string): Violation[] {
  if (fact.kind !== 'integer') {
    return [wrong(pointer, 'type', 'expected a table for a fact that is no number')];
  }
  const isRising = bands.every(({ lt }, at) => {
    if (at === bands.length - 1) return lt === undefined;
    return lt !== undefined && (at === 0 || lt > (bands[at - 1]?.lt ?? lt));
  });
  if (isRising && bands.length > 0) return [];
  const detail = 'expected bands whose `lt` rise, and a last one without';
  return [wrong(pointer, 'not-monotone', detail)];
}

/** The most that a factor gives a client of whom everything is known. */
export function pointsMaxOf(factor: Factor): number {
  if ('when' in factor) return factor.points;
  const points =
    'table' in factor ? Object.values(factor.table) : factor.bands.map((band) => band.points);
  return Math.max(0, ...points);
}

function mostOf({ combine, factors }: RiskContent, name: Dimension): number {
  const points = factors.filter(({ dimension }) => dimension === name).map(pointsMaxOf);
  const most =
    combine[name] === 'sum' ? points.reduce((sum, one) => sum + one, 0) : Math.max(0, ...points);
  return Math.min(POINTS_MAX, most);
}

/** EBA GL 3.6 c: a client can come to HIGH by what is known, without an override. */
function unreachable(content: RiskContent): Violation[] {
  const { thresholds, weights } = content;
  const most = DIMENSIONS.reduce((sum, name) => sum + weights[name] * mostOf(content, name), 0);
  if (most >= thresholds.high * UNIT) return [];
  const detail = `expected HIGH to be reached by points alone: they come to ${most / UNIT} at most`;
  return [wrong('/thresholds/high', 'high-unreachable', detail)];
}

function dominant({ factors, thresholds, weights }: RiskContent): Violation[] {
  const heavy = DIMENSIONS.filter((name) => weights[name] > DOMINANT_BP).map((name) =>
    wrong(`/weights/${name}`, 'dominant', `weighs more than ${DOMINANT_BP} basis points`),
  );
  const alone = factors.flatMap((factor, at) =>
    weights[factor.dimension] * pointsMaxOf(factor) >= thresholds.high * UNIT
      ? [wrong(`/factors/${at}`, 'dominant', 'reaches HIGH alone')]
      : [],
  );
  return [...heavy, ...alone];
}
