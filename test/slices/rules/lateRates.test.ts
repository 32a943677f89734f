/** Rates that come after the payments that need them: nothing stays unsaid or changes twice. */
import { beforeEach, expect, test } from 'vitest';
import { everyRecord } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { alertTable } from '#slices/alerts';
import { checkEvaluated, RuleReplay, storedDigest } from '#slices/rules';
import { entryOf } from '../../../src/slices/rules/entry.ts';
import { ratedBy } from '../../../src/slices/rules/lateRates.ts';
import { CONTEXT, openEngine, ruleOf } from './desk.ts';
import { openRuleHouse, type RuleHouse, structuring, TENANT } from './house.ts';

let house: RuleHouse;
const DAY = '2026-03-05';
/** Nine thousand euro each, once anybody knows a rate. */
const dollars = (account: string, first: number) =>
  structuring(account, first, DAY).map((one) => ({ ...one, amount: '10000.00', currency: 'USD' }));

beforeEach(async () => {
  house = openRuleHouse();
  await house.publish();
});

const ofRule = async () => (await house.alerts()).filter(({ ruleId }) => ruleId === 'TM-CASH-01');

test('without a rate nothing is said, and one Medium alert a day says so', async () => {
  await house.take(dollars('A-1', 1));
  await house.evaluate();
  await house.take(dollars('A-2', 11));
  await house.evaluate();
  expect(await house.alerts()).toMatchObject([
    {
      ruleId: 'RULES_NOT_EVALUATED',
      severity: 'Medium',
      subjectId: 'fx:missing',
      typology: 'fx:missing',
      version: 1,
    },
  ]);
  expect(house.told).toContain('fx:missing');
});

test('rules in shadow miss nothing that anybody has to bring', async () => {
  const other = openRuleHouse();
  await other.take(dollars('A-1', 1));
  await other.evaluate();
  expect(other.told).toContain('fx:missing');
  const ask = { equal: { tenantId: TENANT }, index: 'newest' };
  for await (const one of everyRecord(other.house.tables, alertTable, ask)) {
    expect(one).toBeUndefined();
  }
});

test('once it is loaded they are evaluated; a later version changes nothing of it', async () => {
  await house.take(dollars('A-1', 1));
  await house.evaluate();
  expect(await ofRule()).toEqual([]);
  await house.rate('0.9', DAY);
  await house.evaluate();
  const [alert, ...others] = await ofRule();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ rule: { aggregate: { value: '3' }, txIds: ['S-3'] } });
  expect(await house.position()).toMatchObject({ ratesVersion: 1 });
  const before = await house.stored();
  await house.rate('0.5', DAY);
  await house.evaluate(true);
  expect(await house.position()).toMatchObject({ ratesVersion: 2 });
  expect(await house.stored()).toEqual(before);
  // Whoever reads the log again converts alike, and the chain tells all of it.
  const told = before.map(({ alert: one, alertId }) => ({ alert: one, alertId }));
  expect(await new RuleReplay(house.parts, TENANT).run()).toEqual(told);
  const kept = before.map((one) => ({ digest: storedDigest(one), key: one.alertId }));
  const position = await house.position();
  expect(await checkEvaluated(house.parts, TENANT, { alerts: kept, position })).toEqual([]);
});

test('a version without their currency leaves them waiting for one that has it', async () => {
  await house.take(dollars('A-1', 1));
  await house.evaluate();
  await house.rate('0.9', '2026-01-01');
  await house.evaluate();
  expect(await ofRule()).toEqual([]);
  await house.rate('0.9', DAY);
  await house.evaluate();
  expect(await ofRule()).toHaveLength(1);
});

test('a turnover that was declared in another currency waits likewise', () => {
  const rule = ruleOf({ let: {}, when: { gt: ['tx.amount', 'fact.expected_turnover'] } });
  const context = {
    ...CONTEXT,
    factsOf: () => ({ expectedTurnover: { amount: '1.00', currency: 'GBP' } }),
  };
  const [row] = structuring('A-1', 1, DAY).map((one) =>
    entryOf(
      { parties: [], receivedAt: Date.parse(one.occurred_at) as EpochMs, tseq: 1, txId: one.tx_id },
      { ...one, customer_id: 'C-1' },
      context,
    ),
  );
  if (row === undefined) throw new Error('no entry');
  const engine = openEngine([rule]);
  expect(engine.take([row]).notEvaluated).toEqual([
    { count: 1, reason: 'fx:missing', ruleId: 'TEST-1' },
  ]);
  const rated = ratedBy(row, { toBase: () => 115n, version: 1 });
  expect(rated?.facts.expectedTurnover).toBe(115);
  expect(rated).not.toHaveProperty('unrated');
  engine.replace(rated === undefined ? [] : [rated]);
  expect(engine.deferred.map(({ tseq }) => tseq)).toEqual([1]);
  engine.catchUp(10);
  expect([...engine.alerts.values()].map(({ holds }) => holds)).toEqual([true]);
});

test('who dies on the way begins again, and raises it once', async () => {
  await house.take(dollars('A-1', 1));
  await house.evaluate();
  await house.rate('0.9', DAY);
  house.dieAt((point) => {
    if (point === 'before commit') throw new Error('killed');
  });
  await expect(house.evaluate()).rejects.toThrow('killed');
  house.dieAt(undefined);
  expect(await house.position()).not.toHaveProperty('ratesVersion');
  await house.evaluate(true);
  expect(await ofRule()).toMatchObject([{ version: 1 }]);
  // Payments that come now stand beside those of then.
  await house.take(dollars('A-1', 21));
  await house.evaluate(true);
  expect((await ofRule())[0]?.rule?.txTotal).toBe(4);
});
