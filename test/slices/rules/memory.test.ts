/** What leaves memory: what no window reaches changes nothing; what is too much is told, not no. */
import { describe, expect, test } from 'vitest';
import { everyRecord } from '#core/kernel';
import { checkEvaluated, ruleResultTable } from '#slices/rules';
import { planRules } from '../../../src/slices/rules/compileRule.ts';
import { RuleEngine } from '../../../src/slices/rules/ruleEngine.ts';
import { bytesOf, DAY_MS, entry, keyOf, ruleOf } from './desk.ts';
import { openRuleHouse, structuring, TENANT } from './house.ts';

const engineOf = (heldMax?: number, cut?: number): RuleEngine =>
  new RuleEngine({
    baseCurrency: 'EUR',
    cut,
    heldMax,
    keyOf,
    plan: planRules(
      [
        {
          mode: 'live',
          rule: ruleOf({
            let: { figure: { agg: 'count', window: { sliding: 'P30D' } } },
            when: { gte: ['let.figure', 5] },
          }),
          version: 1,
        },
      ],
      2,
    ),
    zone: 'UTC',
  });

/** One a day of an account, and in the last days of another one. */
const life = (days: number, account = 'A-1') =>
  Array.from({ length: days }, (_, at) =>
    entry(at + 1, { account_id: account, after: at * DAY_MS }),
  );

describe('what no window reaches', () => {
  test('leaves, with its series, and every alert stays what it is', () => {
    const [pruned, whole] = [engineOf(), engineOf()];
    const early = entry(1, { account_id: 'A-0', after: 0 });
    for (const one of [early, ...life(900).slice(1)]) {
      whole.take([{ ...one, series: {} }]);
      pruned.take([one]);
      pruned.prune();
    }
    // 400 days for those who come late, 30 that it looks back, one between clocks, one of a look.
    expect(pruned.size).toBeGreaterThanOrEqual(431);
    expect(pruned.size).toBeLessThanOrEqual(433);
    expect(whole.size).toBe(900);
    expect(pruned.cut).toBe(undefined);
    expect(pruned.entryOf('T-1')).toBe(undefined);
    expect(bytesOf(pruned)).toEqual(bytesOf(whole));
    // The latest that may still come late finds all that its window holds.
    const late = entry(901, { after: 899 * DAY_MS - 399 * DAY_MS });
    const received = { ...late, receivedAt: whole.entryOf('T-900')?.receivedAt ?? 0 };
    whole.take([{ ...received, series: {} }]);
    pruned.take([received]);
    expect(bytesOf(pruned)).toEqual(bytesOf(whole));
  });
});

describe('what is too much for memory', () => {
  test('leaves, the bound holds, and a rule that reaches behind it does not know', () => {
    const engine = engineOf(20);
    let unknown = 0;
    for (const one of life(60)) {
      const step = engine.take([one]);
      unknown += step.notEvaluated
        .filter(({ reason }) => reason === 'history:not-held')
        .reduce((sum, { count }) => sum + count, 0);
      engine.prune();
      expect(engine.size).toBeLessThanOrEqual(20);
    }
    // The first cut is at the twenty-first; from then on thirty days are never held.
    expect(unknown).toBe(60 - 21);
    expect(engine.cut).toBeGreaterThan(0);
    // What was raised before stays raised: a rule that does not know takes nothing back.
    expect([...engine.alerts.values()].filter(({ holds }) => holds).length).toBe(21 - 4);
  });

  test('an engine made anew from the cut says the same', () => {
    const one = engineOf(40);
    for (const given of life(60)) {
      one.take([given]);
      one.prune();
    }
    const other = engineOf(40, one.cut);
    other.restore(
      life(60).filter(({ at }) => at >= (one.cut ?? 0)),
      one.alerts.values(),
    );
    const next = life(61).slice(60);
    const told = [one, other].map((each) => each.take(next.map((a) => ({ ...a, series: {} }))));
    expect(told[0]).toEqual(told[1]);
  });

  test('transactions of one time leave together, so that the bound holds', () => {
    const engine = engineOf(10);
    engine.take(Array.from({ length: 12 }, (_, at) => entry(at + 1, { after: 0 })));
    engine.prune();
    expect(engine.size).toBe(0);
    expect(engine.cut).toBeGreaterThan(0);
  });
});

test('the position names the cut, and whoever goes on from it keeps the bound', async () => {
  const house = openRuleHouse();
  house.hold(10);
  for (let day = 10; day < 16; day += 1) {
    await house.take(structuring(`A-${day}`, day * 10, `2026-03-${day}`));
    // Each time by an evaluator that knows nothing but the store.
    await house.evaluate(true);
  }
  const position = await house.position();
  expect(position?.cut).toBeGreaterThanOrEqual(Date.parse('2026-03-10T10:00:00.000Z'));
  const refusals = await checkEvaluated(house.parts, TENANT, { alerts: [], position });
  expect(refusals.filter((one) => one.startsWith('position'))).toEqual([]);
  const told: string[] = [];
  const ask = { equal: { tenantId: TENANT }, index: 'key' };
  for await (const one of everyRecord(house.house.tables, ruleResultTable, ask)) {
    told.push(...one.notEvaluated.map(({ reason }) => reason));
  }
  expect(told).toContain('history:not-held');
  expect(house.told.filter((reason) => reason === 'history:not-held').length).toBe(
    told.filter((reason) => reason === 'history:not-held').length,
  );
});
