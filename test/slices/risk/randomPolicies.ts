/** Random policies and facts of the catalogue. */
import fc from 'fast-check';
import type { Condition } from '#core/conditions';
import {
  contentOf,
  DIMENSIONS,
  FACTS,
  type Fact,
  type Factor,
  type Facts,
  isList,
  type Override,
  type RiskContent,
} from '#slices/risk';

const NAMES = Object.keys(FACTS);
const TEXTS = ['a', 'b', 'c', 'cash', 'trust'];
const COUNTRIES = ['TN', 'FR', 'IR', 'KP', 'US', 'MA'];
const points = fc.integer({ max: 100, min: 0 });

const single = ({ kind, words }: Fact): fc.Arbitrary<boolean | number | string> => {
  if (kind === 'boolean') return fc.boolean();
  if (kind === 'integer') return fc.integer({ max: 120, min: 0 });
  if (kind === 'country' || kind === 'countries') return fc.constantFrom(...COUNTRIES);
  return fc.constantFrom(...(words ?? TEXTS));
};
const factValue = (fact: Fact): fc.Arbitrary<NonNullable<Facts[string]>> =>
  isList(fact)
    ? fc.uniqueArray(single(fact) as fc.Arbitrary<string>, { maxLength: 3 })
    : single(fact);

/** Each fact is there or is not. */
export const randomFacts: fc.Arbitrary<Facts> = fc.record(
  Object.fromEntries(NAMES.map((name) => [name, factValue(FACTS[name] as Fact)])),
  { requiredKeys: [] },
) as fc.Arbitrary<Facts>;

const comparison: fc.Arbitrary<Condition> = fc.constantFrom(...NAMES).chain((field) => {
  const fact = FACTS[field] as Fact;
  const one = single(fact);
  const rows: fc.Arbitrary<object>[] = [
    fc.record({ field: fc.constant(field), op: fc.constantFrom('present', 'absent') }),
    fc.record({ field: fc.constant(field), op: fc.constantFrom('eq', 'ne'), value: one }),
    fc.record({
      field: fc.constant(field),
      op: fc.constantFrom('in', 'not_in'),
      value: fc.array(one, { maxLength: 3, minLength: 1 }),
    }),
  ];
  if (fact.kind === 'integer') {
    const op = fc.constantFrom('lt', 'le', 'gt', 'ge');
    rows.push(fc.record({ field: fc.constant(field), op, value: one }));
  }
  return fc.oneof(...rows) as fc.Arbitrary<Condition>;
});

const inner = fc.array(comparison, { maxLength: 3, minLength: 1 });
/** Groups of comparisons. */
export const randomCondition: fc.Arbitrary<Condition> = fc.oneof(
  comparison,
  fc.record({ all: inner }),
  fc.record({ any: inner }),
  fc.record({ not: comparison }),
  fc.record({ all: fc.tuple(fc.record({ any: inner }), comparison) }),
) as fc.Arbitrary<Condition>;

const factorOf = (dimension: Factor['dimension'], id: string): fc.Arbitrary<Factor> => {
  const common = {
    dimension: fc.constant(dimension),
    id: fc.constant(id),
    missing_points: points,
  };
  const weighed = fc.constantFrom(...NAMES).chain((name): fc.Arbitrary<object> => {
    const fact = FACTS[name] as Fact;
    if (fact.kind === 'integer') {
      const lts = fc.uniqueArray(fc.integer({ max: 100, min: 1 }), { maxLength: 3 });
      const bands = lts.chain((found) =>
        fc.tuple(
          ...[...found.toSorted((a, b) => a - b), undefined].map((lt) =>
            points.map((one) => (lt === undefined ? { points: one } : { lt, points: one })),
          ),
        ),
      );
      return fc.record({ ...common, bands, fact: fc.constant(name) });
    }
    const table = fc
      .tuple(fc.dictionary(single(fact).map(String), points, { maxKeys: 4 }), points)
      .map(([own, other]) => ({ ...own, '*': other }));
    return fc.record({ ...common, fact: fc.constant(name), table });
  });
  const conditional = fc.record({ ...common, points, when: randomCondition });
  return fc.oneof(weighed, conditional) as fc.Arbitrary<Factor>;
};

/** Five parts that sum to 10,000. */
const weights = fc
  .array(fc.integer({ max: 10_000, min: 0 }), { maxLength: 4, minLength: 4 })
  .map((cuts) => {
    const bounds = [0, ...cuts.toSorted((a, b) => a - b), 10_000];
    const parts = DIMENSIONS.map((name, at) => [name, (bounds[at + 1] ?? 0) - (bounds[at] ?? 0)]);
    return Object.fromEntries(parts) as RiskContent['weights'];
  });

/** Policies of which only HIGH may be out of reach. */
export const randomPolicy: fc.Arbitrary<RiskContent> = fc
  .record({
    combine: fc
      .tuple(...DIMENSIONS.map(() => fc.constantFrom('max', 'sum')))
      .map((ways) => Object.fromEntries(DIMENSIONS.map((name, at) => [name, ways[at]]))),
    factors: fc
      .array(fc.constantFrom(...DIMENSIONS), { maxLength: 5 })
      .chain((more) =>
        fc.tuple(...[...DIMENSIONS, ...more].map((name, at) => factorOf(name, `factor_${at}`))),
      ),
    on_incomplete: fc.constantFrom('review', 'accept'),
    overrides: fc
      .array(fc.tuple(randomCondition, fc.constantFrom('mustHigh', 'mustProhibit')), {
        maxLength: 3,
      })
      .map((rows) =>
        rows.map(
          ([when, force], at): Override => ({ force, id: `override_${at}`, when }) as Override,
        ),
      ),
    thresholds: fc
      .uniqueArray(fc.integer({ max: 100, min: 1 }), { maxLength: 3, minLength: 3 })
      .chain((three) => {
        const [standard = 1, high = 2, last = 3] = three.toSorted((a, b) => a - b);
        return fc.constantFrom(last, null).map((prohibited) => ({ high, prohibited, standard }));
      }),
    weights,
  })
  .map((given) => contentOf(given as never));

/** One number of one factor, higher. */
export const raise =
  (nth: number, more: number) =>
  (factor: RiskContent['factors'][number], at: number, all: RiskContent['factors']) => {
    const up = (points: number): number => Math.min(100, points + more);
    if (at !== nth % all.length) return factor;
    if (nth % 2 === 0) return { ...factor, missing_points: up(factor.missing_points) };
    if ('when' in factor) return { ...factor, points: up(factor.points) };
    if ('bands' in factor) {
      const bands = factor.bands.map((band) => ({ ...band, points: up(band.points) }));
      return { ...factor, bands };
    }
    const table = Object.entries(factor.table).map(([name, points]) => [name, up(points)]);
    return { ...factor, table: Object.fromEntries(table) };
  };
