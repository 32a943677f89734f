/** Rules in memory: what they mean is what the naive oracle says, in whichever order. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRule } from '../../../src/slices/rules/checkRule.ts';
import { DEFAULT_PACK } from '../../../src/slices/rules/defaultPack.ts';
import type { Entry } from '../../../src/slices/rules/entry.ts';
import type { Aggregate, Rule } from '../../../src/slices/rules/ruleLanguage.ts';
import {
  bytesOf,
  copyOf,
  DAY_MS,
  entry,
  type Given,
  HOUR_MS,
  keyOf,
  openEngine,
  ruleOf,
  TENANT,
  triggersOf,
} from './desk.ts';
import { Oracle } from './oracle.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 12);

/** One of few, so that windows, parties and amounts meet. */
const GIVEN: fc.Arbitrary<Given> = fc.record(
  {
    account_id: fc.constantFrom('A-1', 'A-2', 'A-3'),
    after: fc.integer({ max: 6 * 24, min: 0 }).map((hours) => hours * HOUR_MS),
    amount: fc.constantFrom(
      '10.00',
      '999.99',
      '1000.00',
      '3000.00',
      '7000.00',
      '9999.99',
      '10000.00',
    ),
    channel: fc.constantFrom('cash', 'wire'),
    currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD', 'XAF'),
    customer_id: fc.constantFrom('C-1', 'C-2'),
    direction: fc.constantFrom('credit', 'debit'),
    status: fc.constantFrom('settled', 'settled', 'settled', 'rejected'),
    to: fc.constantFrom('B-1', 'B-2', 'A-2', 'A-3'),
  },
  { requiredKeys: ['after', 'account_id', 'amount', 'direction', 'currency'] },
);

/** JPY and XAF have no digits after the point. */
const settled = (given: Given): Given =>
  given.currency === 'XAF'
    ? { ...given, amount: String(given.amount).split('.')[0] ?? '1' }
    : given;

const AGGREGATES: readonly Aggregate[] = [
  { agg: 'count', window: { sliding: 'P2D' } },
  { agg: 'count', window: { self: false, sliding: 'PT36H' } },
  { agg: 'count', window: { sliding: 'P2D', until: 'P1D' } },
  { agg: 'count', window: { calendar: 'day' } },
  {
    agg: 'count',
    by: 'customer',
    where: { eq: ['tx.channel', 'cash'] },
    window: { calendar: 'month' },
  },
  { agg: 'distinct', of: 'counterparty', window: { sliding: 'P3D' } },
  { agg: 'distinct', by: 'customer', of: 'account', window: { sliding: 'P3D' } },
  { agg: 'first_seen', history: 'P5D', of: 'counterparty', window: { sliding: 'P1D' } },
  { agg: 'near_below', band: '0.7', threshold: 'param.limit', window: { sliding: 'P4D' } },
  { agg: 'round_share', unit: 1000, window: { sliding: 'P4D' } },
  { agg: 'same_amount', tolerance: '0.01', window: { sliding: 'P4D' } },
  { agg: 'in_out', lag: 'P2D' },
  { agg: 'fan', lag: 'P3D', of: 'in' },
  { agg: 'count', by: 'pair', window: { sliding: 'P3D' } },
  { agg: 'count', by: 'counterparty', window: { sliding: 'P3D' } },
];
const AMOUNTS: readonly Aggregate[] = [
  { agg: 'sum', window: { sliding: 'P2D' } },
  { agg: 'sum', where: { gte: ['tx.amount', 'param.limit'] }, window: { sliding: 'P4D' } },
  { agg: 'max', window: { sliding: 'P2D' } },
  { agg: 'min', window: { self: false, sliding: 'P2D' } },
  { agg: 'avg', window: { sliding: 'P3D' } },
];

const PARAMS = { limit: { type: 'amount', value: '9999.995' } } as const;

/** Rules of every aggregate, each with a bound that is met now and then. */
const RULES: readonly Rule[] = [
  ...AGGREGATES.map((figure, at) =>
    ruleOf({
      let: { figure },
      params: PARAMS,
      rule_id: `PLAIN-${at}`,
      when: {
        gte: ['let.figure', figure.agg === 'round_share' || figure.agg === 'in_out' ? '0.5' : 2],
      },
    }),
  ),
  ...AMOUNTS.map((figure, at) =>
    ruleOf({
      let: { figure },
      params: PARAMS,
      rule_id: `AMOUNT-${at}`,
      when: { gte: ['let.figure', 'param.limit'] },
    }),
  ),
  ruleOf({
    let: {
      into: { agg: 'sum', where: { eq: ['tx.direction', 'credit'] }, window: { sliding: 'P3D' } },
      part: { agg: 'ratio', of: ['tx.amount', 'let.into'] },
    },
    rule_id: 'RATIO-1',
    subject: 'customer',
    when: { all: [{ eq: ['tx.direction', 'debit'] }, { not: { lt: ['let.part', '0.7'] } }] },
  }),
  ruleOf({
    let: { since: { agg: 'since_last', window: { sliding: 'P6D' } } },
    params: { quiet: { type: 'duration', value: 'P1D' } },
    rule_id: 'SINCE-1',
    when: { gt: ['let.since', 'param.quiet'], on_missing: true },
  }),
];

function entriesOf(given: readonly Given[]): Entry[] {
  return given.map((one, at) => entry(at + 1, settled(one)));
}

const expected = (rules: readonly Rule[], entries: readonly Entry[]) =>
  new Map(rules.flatMap((rule) => [...new Oracle(rule, entries).alerts(TENANT, keyOf)]));

const sorted = (found: ReadonlyMap<string, readonly number[]>) =>
  [...found].sort(([one], [other]) => (one < other ? -1 : 1));

test('the rules of these tests, and of the pack, are rules', () => {
  for (const rule of [...RULES, ...DEFAULT_PACK]) {
    expect(checkRule(rule), rule.rule_id).toEqual({ rule });
  }
});

test('what a rule means is what the oracle says', () => {
  fc.assert(
    fc.property(fc.array(GIVEN, { maxLength: 40, minLength: 5 }), (given) => {
      const entries = entriesOf(given);
      const engine = openEngine(RULES);
      engine.take(entries);
      expect(sorted(triggersOf(engine))).toEqual(sorted(expected(RULES, entries)));
    }),
    { numRuns: RUNS },
  );
});

describe('the order in which transactions come', () => {
  /** Equal times are told apart by numbers, which an order gives: here each has its own. */
  const spread = (given: readonly Given[]): Given[] =>
    given.map((one, at) => ({ ...one, after: (one.after ?? 0) + at }));

  test('changes no alert, whichever it is, and whatever comes twice', () => {
    fc.assert(
      fc.property(
        fc
          .array(GIVEN, { maxLength: 30, minLength: 5 })
          .map(spread)
          .chain((given) => {
            const entries = entriesOf(given);
            return fc.tuple(
              fc.constant(entries),
              fc.shuffledSubarray(entries, {
                maxLength: entries.length,
                minLength: entries.length,
              }),
              fc.array(fc.integer({ max: 12, min: 1 }), { maxLength: 5 }),
            );
          }),
        ([entries, shuffled, cuts]) => {
          const rules = [...RULES, ...DEFAULT_PACK];
          const inOrder = openEngine(rules);
          inOrder.take([...entries].sort((one, other) => one.at - other.at).map(copyOf));
          const late = openEngine(rules);
          let at = 0;
          for (const cut of [...cuts, entries.length]) {
            late.take(shuffled.slice(at, at + cut).map(copyOf));
            at += cut;
          }
          late.take(shuffled.slice(at).map(copyOf));
          late.catchUp(10_000);
          expect([...bytesOf(late)]).toEqual([...bytesOf(inOrder)]);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('takes nothing back: an alert whose trigger is gone stays, and says so', () => {
    const first = ruleOf({
      let: {
        fresh: {
          agg: 'first_seen',
          history: 'P30D',
          of: 'counterparty',
          window: { sliding: 'PT1S' },
        },
      },
      when: { gte: ['let.fresh', 1] },
    });
    const engine = openEngine([first]);
    engine.take([entry(1, { after: 2 * DAY_MS, to: 'B-1' })]);
    expect([...engine.alerts.values()].map(({ holds }) => holds)).toEqual([true]);
    const step = engine.take([entry(2, { after: DAY_MS, to: 'B-1' })]);
    expect(step).toMatchObject({ late: 1 });
    expect(
      [...engine.alerts.values()].map(({ holds, triggers }) => [holds, triggers[0]?.tseq]),
    ).toEqual([
      [false, 1],
      [true, 2],
    ]);
  });

  test('more followers than are evaluated at once wait, and come to the same', () => {
    const many = Array.from({ length: 700 }, (_, at) =>
      entry(at + 2, { after: HOUR_MS + at * 1_000 }),
    );
    const rule = ruleOf({ when: { gte: ['let.figure', 650] } });
    const engine = openEngine([rule]);
    engine.take(many);
    const step = engine.take([entry(1, { after: 0 })]);
    expect(step.deferredBy).toEqual([1]);
    expect(engine.deferred).toHaveLength(200);
    engine.catchUp(10_000);
    const inOrder = openEngine([rule]);
    inOrder.take([entry(1, { after: 0 }), ...many.map(copyOf)]);
    expect([...bytesOf(engine)]).toEqual([...bytesOf(inOrder)]);
  });
});

describe('an engine that begins again', () => {
  test('from what was committed comes to the same alerts', () => {
    fc.assert(
      fc.property(
        fc.array(GIVEN, { maxLength: 30, minLength: 6 }),
        fc.integer({ max: 29, min: 1 }),
        (given, cut) => {
          const rules = [...RULES, ...DEFAULT_PACK];
          const entries = entriesOf(given);
          const whole = openEngine(rules);
          whole.take(entries.slice(0, cut));
          const committed = [...whole.alerts.values()];
          whole.take(entries.slice(cut));
          const again = openEngine(rules);
          again.restore(entries.slice(0, cut).map(copyOf), committed);
          again.take(entries.slice(cut).map(copyOf));
          expect([...bytesOf(again)]).toEqual([...bytesOf(whole)]);
          // What was committed before its position was is found there, and changes nothing.
          const repeated = openEngine(rules);
          repeated.restore(entries.slice(0, cut).map(copyOf), [...whole.alerts.values()]);
          repeated.take(entries.slice(cut).map(copyOf));
          expect([...bytesOf(repeated)]).toEqual([...bytesOf(whole)]);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe('reversals and revisions', () => {
  const two = ruleOf({ when: { gte: ['let.figure', 2] } });

  test('a reversal leaves the sums from its place on, and stays out of them', () => {
    const engine = openEngine([two]);
    engine.take([
      entry(1, { after: 0 }),
      entry(2, { after: 1_000 }),
      entry(3, { after: 2_000, reverses: 'T-1', status: 'reversed' }),
      entry(4, { after: 3_000, tx_id: 'T-4' }),
      entry(5, { after: DAY_MS + 1_500 }),
    ]);
    const [alert] = engine.alerts.values();
    // The second when both counted, and the fourth with the second; the fifth has the fourth.
    expect(alert?.triggers.map(({ tseq }) => tseq)).toEqual([2, 4]);
  });

  test('the next revision replaces the former one, and what it met', () => {
    const large = ruleOf({
      let: {},
      params: { limit: { type: 'amount', value: '1000' } },
      when: { gte: ['tx.amount', 'param.limit'] },
    });
    const engine = openEngine([large]);
    engine.take([entry(1, { amount: '5000.00' })]);
    engine.take([entry(2, { after: HOUR_MS, amount: '50.00', revision: 1, tx_id: 'T-1' })]);
    expect([...engine.alerts.values()].map(({ holds }) => holds)).toEqual([false]);
    engine.take([entry(3, { after: HOUR_MS, amount: '1000.00', revision: 2, tx_id: 'T-1' })]);
    expect(
      [...engine.alerts.values()].map(({ holds, triggers }) => [holds, triggers[0]?.tseq]),
    ).toEqual([[true, 3]]);
  });
});

test('a subject of the highest tier has its alerts one level up', () => {
  const engine = openEngine([
    ruleOf({ extras: [{ weight: '0.7', when: { exists: 'fact.risk_tier' } }] }),
  ]);
  engine.take([entry(1, { customer_id: 'VIP-1' })]);
  const [alert] = engine.alerts.values();
  expect(alert?.triggers[0]).toMatchObject({ score: 10_000, severity: 'High' });
});

test('what no window reaches any more is forgotten, and changes nothing', () => {
  const rules = [
    ruleOf({
      let: { figure: { agg: 'sum', window: { sliding: 'P400D' } } },
      params: { limit: { type: 'amount', value: '1000.00' } },
      when: { gte: ['let.figure', 'param.limit'] },
    }),
  ];
  const daily = Array.from({ length: 1_200 }, (_, day) =>
    entry(day + 1, { account_id: `A-${day % 3}`, after: day * DAY_MS }),
  );
  const [whole, forgetful] = [openEngine(rules), openEngine(rules)];
  for (const one of daily) {
    whole.take([one]);
    forgetful.take([copyOf(one)]);
    if (one.tseq % 100 === 0) forgetful.prune();
  }
  // Late by nearly as much as may be: its own window goes back over what was kept.
  const late = entry(1_201, { account_id: 'A-0', after: 801 * DAY_MS });
  for (const engine of [whole, forgetful]) {
    engine.take([copyOf(late)]);
    engine.catchUp(Number.MAX_SAFE_INTEGER);
  }
  expect([whole.size, forgetful.size]).toEqual([1_201, 802]);
  const known = bytesOf(whole);
  const kept = [...bytesOf(forgetful)];
  expect(kept.length).toBeGreaterThan(500);
  for (const [id, bytes] of kept) expect(bytes).toBe(known.get(id));
});

test('four hundred days before it came a transaction is history', () => {
  const old = { ...entry(1), receivedAt: entry(1).at + 401 * DAY_MS };
  const engine = openEngine([ruleOf()]);
  expect(engine.take([old])).toMatchObject({ changed: [], tooLate: 1 });
  expect(engine.size).toBe(0);
});
