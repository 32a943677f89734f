/** The formula against a second one, and what no policy may do: make a worse client better. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import {
  checkContent,
  compilePolicy,
  contentOf,
  type Facts,
  givenOf,
  LEVELS,
  type Level,
  type RiskContent,
  resultMembers,
  SHIPPED,
  shownScore,
} from '#slices/risk';
import { raise, randomFacts, randomPolicy } from './randomPolicies.ts';
import { secondFormula } from './secondFormula.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 400);
const rank = (level: Level): number => LEVELS.indexOf(level);

/** One factor a dimension whose points are what the fact says. */
function workedExample(weights: RiskContent['weights'], overrides: RiskContent['overrides'] = []) {
  const bands = Array.from({ length: 100 }, (_, at) => ({ lt: at + 1, points: at }));
  const factor = (dimension: 'client', fact: string) => ({
    bands: [...bands, { points: 100 }],
    dimension,
    fact,
    id: dimension,
    missing_points: 60,
  });
  return contentOf({
    ...givenOf(SHIPPED),
    factors: [
      factor('client', 'client.age'),
      factor('geo' as 'client', 'client.years_known'),
      factor('product' as 'client', 'client.ownership_layers'),
      factor('channel' as 'client', 'aml.open_alerts'),
      factor('aml_screening' as 'client', 'aml.max_score'),
    ],
    overrides,
    weights,
  });
}
const WEIGHTS = { aml_screening: 2_500, channel: 1_000, client: 2_500, geo: 2_500, product: 1_500 };
const POINTS: Facts = {
  'aml.max_score': 0,
  'aml.open_alerts': 50,
  'aml.typologies': [],
  'client.age': 40,
  'client.ownership_layers': 30,
  'client.years_known': 60,
};

describe('the worked example', () => {
  test.each([
    [WEIGHTS, POINTS, 345_000],
    [{ ...WEIGHTS, client: 2_000, geo: 3_000 }, POINTS, 355_000],
    [WEIGHTS, { ...POINTS, 'aml.max_score': 70 }, 520_000],
  ])('%j', (weights, facts, score) => {
    const result = compilePolicy(workedExample(weights))(facts);
    expect(result).toMatchObject({ incomplete: false, level: 'STANDARD', score });
    expect(shownScore(result.score).toFixed(4)).toBe((score / 10_000).toFixed(4));
  });

  test('overrides raise whatever the score', () => {
    const overrides = givenOf(SHIPPED).overrides;
    const evaluate = compilePolicy(workedExample(WEIGHTS, overrides));
    const pep = { ...POINTS, 'aml.max_score': 70, 'aml.typologies': ['MATCH_PEP'] };
    const known = { ...pep, 'aml.confirmed_hits': 0, 'geo.residence': 'TN' };
    expect(evaluate(known)).toMatchObject({
      level: 'HIGH',
      level_by_score: 'STANDARD',
      overrides: [{ force: 'mustHigh', id: 'politically_exposed' }],
    });
    const listed = {
      ...known,
      'aml.confirmed_hits': 1,
      'aml.typologies': ['MATCH_DIRECT_SANCTIONS'],
    };
    expect(evaluate(listed)).toMatchObject({ level: 'PROHIBITED', level_by_score: 'STANDARD' });
  });
});

describe('any policy over any facts', () => {
  test('is what a second implementation makes of it', () => {
    fc.assert(
      fc.property(randomPolicy, fc.array(randomFacts, { maxLength: 4 }), (content, all) => {
        const evaluate = compilePolicy(content);
        for (const facts of all) {
          const own = evaluate(facts);
          const second = secondFormula(content, facts);
          expect({
            byScore: own.level_by_score,
            dimensions: Object.fromEntries(own.dimensions.map((one) => [one.name, one.score])),
            fired: own.overrides.map(({ id }) => id),
            level: own.level,
            missing: own.missing,
            score: own.score,
          }).toEqual(second);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('never goes down where points go up', () => {
    fc.assert(
      fc.property(
        randomPolicy,
        randomFacts,
        fc.nat(),
        fc.integer({ max: 100, min: 1 }),
        (content, facts, nth, more) => {
          const raised = { ...content, factors: content.factors.map(raise(nth, more)) };
          const [before, after] = [content, raised].map((one) => compilePolicy(one)(facts));
          expect(after?.score).toBeGreaterThanOrEqual(before?.score ?? 0);
          expect(rank(after?.level ?? 'LOW')).toBeGreaterThanOrEqual(rank(before?.level ?? 'LOW'));
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('overrides only raise, and the same bytes come again', () => {
    fc.assert(
      fc.property(randomPolicy, randomFacts, (content, facts) => {
        const result = compilePolicy(content)(facts);
        const without = compilePolicy({ ...content, overrides: [] })(facts);
        expect(rank(result.level)).toBeGreaterThanOrEqual(rank(without.level));
        expect(Number.isSafeInteger(result.score)).toBe(true);
        const again = compilePolicy(JSON.parse(canonicalJson(content as never)) as RiskContent);
        expect(canonicalJson(resultMembers(again(facts)))).toBe(
          canonicalJson(resultMembers(result)),
        );
      }),
      { numRuns: RUNS },
    );
  });

  test('is told wrong only where HIGH is out of reach', () => {
    fc.assert(
      fc.property(randomPolicy, (content) => {
        const { violations } = checkContent(content);
        expect(violations.filter(({ code }) => code !== 'high-unreachable')).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('what a policy must keep', () => {
  const given = givenOf(SHIPPED);
  const codesOf = (change: object): string[] =>
    checkContent(contentOf({ ...given, ...change })).violations.map(
      ({ code, pointer }) => `${code} ${pointer}`,
    );
  const [first, ...others] = given.factors;

  test('the one that ships keeps everything', () => {
    expect(checkContent(SHIPPED)).toEqual({ violations: [], warnings: [] });
  });

  test.each([
    ['weights', { weights: { ...given.weights, geo: 2_501 } }, 'weights-sum /weights'],
    [
      'thresholds',
      { thresholds: { high: 30, prohibited: null, standard: 30 } },
      'not-monotone /thresholds',
    ],
    [
      'the last threshold',
      { thresholds: { high: 60, prohibited: 60, standard: 30 } },
      'not-monotone /thresholds',
    ],
    [
      'a dimension',
      { factors: given.factors.filter(({ dimension }) => dimension !== 'channel') },
      'dimension-empty /factors',
    ],
    ['ids', { factors: [first, ...given.factors] }, 'repeated /factors/1/id'],
    [
      'facts',
      { factors: [{ ...first, fact: 'client.revenue' }, ...others] },
      'unknown /factors/0/fact',
    ],
    [
      'values',
      { factors: [{ ...first, table: { '*': 1, robot: 10 } }, ...others] },
      'unknown /factors/0/table/robot',
    ],
    [
      'what the table leaves out',
      { factors: [{ ...first, table: { business: 10 } }, ...others] },
      'not-total /factors/0/table',
    ],
    ['kinds', { factors: [{ ...first, fact: 'client.age' }, ...others] }, 'type /factors/0/table'],
    [
      'conditions',
      { overrides: [{ force: 'mustHigh', id: 'a', when: { field: 'x', op: 'present' } }] },
      'unknown /overrides/0/when/field',
    ],
    [
      'countries',
      {
        overrides: [
          { force: 'mustHigh', id: 'a', when: { field: 'geo.birth', op: 'eq', value: 'XX' } },
        ],
      },
      'unknown /overrides/0/when/value',
    ],
    [
      'HIGH',
      { thresholds: { high: 100, prohibited: null, standard: 30 } },
      'high-unreachable /thresholds/high',
    ],
  ])('%s', (_, change, wrong) => {
    expect(codesOf(change)).toContain(wrong);
  });

  test('all that is wrong is told at once, and who dominates is a warning', () => {
    expect(
      codesOf({
        thresholds: { high: 20, prohibited: null, standard: 30 },
        weights: { ...given.weights, geo: 0 },
      }),
    ).toEqual(['weights-sum /weights', 'not-monotone /thresholds']);
    const heavy = { aml_screening: 1_000, channel: 500, client: 500, geo: 7_500, product: 500 };
    const { violations, warnings } = checkContent(contentOf({ ...given, weights: heavy }));
    expect(violations).toEqual([]);
    expect(warnings.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'dominant /weights/geo',
      'dominant /factors/4',
      'dominant /factors/5',
    ]);
  });

  test('absence never makes a client safer than the points of what is missing', () => {
    const evaluate = compilePolicy(SHIPPED);
    const none = evaluate({});
    expect(none).toMatchObject({ incomplete: true, level: 'STANDARD' });
    expect(none.missing).toContain('aml.decision');
    const clear = evaluate({ 'aml.decision': 'CLEAR', 'aml.open_alerts': 0 });
    expect(clear.score).toBeLessThan(none.score);
  });
});
