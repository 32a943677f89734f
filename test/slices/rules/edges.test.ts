/** Money over several accounts, and the very edges of windows. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_PACK } from '../../../src/slices/rules/defaultPack.ts';
import { DAY_MS, entry, type Given, HOUR_MS, openEngine, ruleOf } from './desk.ts';

const pay = (tseq: number, from: string, to: string, given: Given = {}) =>
  entry(tseq, {
    account_id: from,
    amount: '5000.00',
    channel: 'wire',
    direction: 'debit',
    to,
    ...given,
  });
const rulesOf = (id: string) => DEFAULT_PACK.filter(({ rule_id }) => rule_id === id);
const met = (engine: ReturnType<typeof openEngine>) =>
  [...engine.alerts.values()].flatMap(({ triggers }) => triggers.map(({ tseq }) => tseq));

test('money that comes back to where it began is found, also where its middle comes last', () => {
  const circle = [
    pay(1, 'A', 'B'),
    pay(2, 'B', 'C', { amount: '4800.00' }),
    pay(3, 'C', 'A', { amount: '4700.00' }),
  ];
  const engine = openEngine(rulesOf('TM-FLOW-04'));
  engine.take(circle);
  expect(met(engine)).toEqual([3]);
  const late = openEngine(rulesOf('TM-FLOW-04'));
  late.take([pay(1, 'A', 'B'), pay(3, 'C', 'A', { amount: '4700.00' })]);
  expect(met(late)).toEqual([]);
  late.take([pay(2, 'B', 'C', { amount: '4800.00' })]);
  expect(met(late)).toEqual([3]);
});

test('a circle that takes too much to look for is unknown, and never no', () => {
  const engine = openEngine(rulesOf('TM-FLOW-04'));
  const many = Array.from({ length: 2_100 }, (_, at) =>
    pay(at + 1, `X-${at}`, 'A', { after: at * 1_000 }),
  );
  engine.take(many);
  const step = engine.take([pay(3_000, 'A', 'B', { after: 3 * HOUR_MS })]);
  expect(step.notEvaluated).toEqual([
    { count: 1, reason: 'budget:exceeded', ruleId: 'TM-FLOW-04' },
  ]);
});

describe('the edges of a window', () => {
  const two = ruleOf({
    let: { figure: { agg: 'count', window: { sliding: 'P1D' } } },
    when: { gte: ['let.figure', 2] },
  });

  test.each([
    ['a millisecond within', DAY_MS - 1, [2]],
    ['on the left bound, which is open', DAY_MS, []],
    ['a millisecond beyond', DAY_MS + 1, []],
    ['at the same time, with a smaller number', 0, [2]],
  ])('%s', (_, after, expected) => {
    const engine = openEngine([two]);
    engine.take([entry(1, { after: 0 }), entry(2, { after })]);
    expect(met(engine)).toEqual(expected);
  });

  test('a day begins at midnight of the zone, also on the day whose clocks go on', () => {
    const today = ruleOf({
      let: { figure: { agg: 'count', window: { calendar: 'day' } } },
      when: { gte: ['let.figure', 2] },
    });
    const at = (time: string) => ({ after: 0, occurred_at: time });
    const engine = openEngine([today], 'Europe/Paris');
    // 29 March 2026 began at 23:00 UTC the day before, and the next one at 22:00.
    engine.take([
      entry(1, at('2026-03-28T22:59:59.999Z')),
      entry(2, at('2026-03-28T23:00:00.000Z')),
      entry(3, at('2026-03-29T21:59:59.999Z')),
      entry(4, at('2026-03-29T22:00:00.000Z')),
    ]);
    expect(met(engine)).toEqual([3]);
  });
});
