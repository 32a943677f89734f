/** What a version in shadow would have raised: counted of what was signed, and of nothing else. */
import { expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { ruleAlertTable, type StoredRuleAlert, shadowFigures } from '#slices/rules';
import { openRuleHouse, structuring, TENANT } from './house.ts';

const SHADOW = { ruleId: 'TM-CASH-01', ruleVersion: 1, since: 0 as EpochMs, tenantId: TENANT };

test('alerts come by their last transactions, and none of another version', async () => {
  const house = openRuleHouse();
  await house.take(structuring('A-1', 1));
  await house.take(structuring('A-2', 20, '2026-03-09'));
  await house.evaluate();
  const { alerts, isWhole } = await shadowFigures(house.parts, SHADOW);
  expect(isWhole).toBe(true);
  expect(alerts.map(({ alert }) => alert.mode)).toEqual(['shadow', 'shadow']);
  const times = alerts.map(({ lastAt }) => lastAt);
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  expect(new Set(alerts.map(({ alert }) => alert.subject.key)).size).toBe(2);

  const since = (times[0] ?? 0) as EpochMs;
  expect((await shadowFigures(house.parts, { ...SHADOW, since })).alerts).toHaveLength(1);
  expect((await shadowFigures(house.parts, { ...SHADOW, ruleVersion: 2 })).alerts).toEqual([]);
});

test('one that somebody has altered is refused, and not counted', async () => {
  const house = openRuleHouse();
  await house.take(structuring('A-1', 1));
  await house.evaluate();
  const [{ alert }] = (await shadowFigures(house.parts, SHADOW)).alerts as [StoredRuleAlert];
  house.alter(ruleAlertTable, { tenantId: TENANT }, { alert: { ...alert, holds: false } });
  await expect(shadowFigures(house.parts, SHADOW)).rejects.toMatchObject({
    code: 'evidence-altered',
  });
});
