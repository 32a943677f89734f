/** Rows that somebody has written past the service: nothing is decided or shown by them. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import {
  alertFacts,
  alertSubject,
  approveSuppression,
  checkEvaluated,
  checkResults,
  checkRules,
  DEFAULT_PACK,
  evaluatedBetween,
  type Rule,
  ruleAlertTable,
  rulePositionTable,
  ruleResultTable,
  ruleTable,
  type StoredRuleAlert,
  suppress,
  suppressionTable,
} from '#slices/rules';
import { openRuleHouse, type RuleHouse, structuring, TENANT } from './house.ts';

let house: RuleHouse;
beforeEach(() => {
  house = openRuleHouse();
});

describe('who writes past the service', () => {
  test('cannot put the position on, or back', async () => {
    await house.publish();
    await house.take(structuring('A-1', 1));
    await house.evaluate();
    house.alter(rulePositionTable, { tenantId: TENANT }, { tseq: 1 });
    const position = await house.parts.tables.find(rulePositionTable, {
      shard: 0,
      tenantId: TENANT,
    });
    expect(position?.tseq).toBe(1);
    expect(await checkEvaluated(house.parts, TENANT, { alerts: [], position })).toEqual([
      expect.stringContaining('position: '),
      expect.stringContaining('its record is gone'),
    ]);
  });

  describe('what rules have said', () => {
    const RANGE = { tenantId: TENANT, tseqFrom: 1, tseqTo: 3 };
    beforeEach(async () => {
      await house.publish();
      await house.take(structuring('A-1', 1));
      await house.evaluate();
    });

    test('cannot let a payment pass', async () => {
      expect((await evaluatedBetween(house.reading(), RANGE))?.[2]?.decision).toBe('review');
      house.alter(ruleResultTable, { tenantId: TENANT }, { hits: [] });
      await expect(evaluatedBetween(house.reading(), RANGE)).rejects.toMatchObject({
        code: 'evidence-altered',
      });
      expect((await checkResults(house.reading(), TENANT, Date.now())).refusals).toEqual([
        expect.stringContaining('result of transactions 1 to 3: '),
      ]);
    });

    test('cannot take a part away', async () => {
      await house.take(structuring('A-2', 4));
      await house.evaluate();
      const all = { ...RANGE, tseqTo: 6 };
      expect(await evaluatedBetween(house.reading(), all)).toHaveLength(6);
      const { page } = house.parts.tables;
      const without = (gone: number) => ({
        ...house.reading(),
        tables: {
          ...house.parts.tables,
          page: (async (table: never, ask: never) => {
            const found = await page(table, ask);
            const records = found.records.filter(
              (one: { tseqFrom?: number }) => one.tseqFrom !== gone,
            );
            return { ...found, records };
          }) as typeof page,
        },
      });
      // The last one would let them pass; of the first nobody says anything any more.
      await expect(evaluatedBetween(without(4), all)).rejects.toMatchObject({
        code: 'evidence-altered',
      });
      expect(await evaluatedBetween(without(1), all)).toBeUndefined();
      for (const gone of [1, 4]) {
        expect((await checkResults(without(gone), TENANT, Date.now())).refusals).toEqual([
          `result of transactions ${gone} to ${gone + 2}: it is gone`,
        ]);
      }
    });

    test('cannot change what an alert says', async () => {
      const [alert] = await house.alerts();
      const [stored] = await house.stored();
      const ports = house.shown();
      const place = { alertId: alert?.alertId ?? '', tenantId: TENANT };
      expect(await alertFacts(ports)(place)).toMatchObject({ triggering_tx_ids: ['S-3'] });
      const other = { ...stored?.alert, triggers: [] } as StoredRuleAlert['alert'];
      house.alter(ruleAlertTable, { tenantId: TENANT }, { alert: other });
      for (const read of [alertFacts(ports)(place), alertSubject(ports)(place, true)]) {
        await expect(read).rejects.toMatchObject({ code: 'evidence-altered' });
      }
    });
  });

  test('cannot take a rule out of force', async () => {
    await house.publish();
    house.alter(ruleTable, { ruleId: 'TM-CASH-01' }, { status: 'archived' });
    expect((await checkRules(house.parts, TENANT)).refusals).toHaveLength(1);
  });

  test('cannot leave a rule out of what is evaluated', async () => {
    await house.publish();
    await house.take(structuring('A-1', 1));
    await house.evaluate();
    house.alter(ruleTable, { ruleId: 'TM-CASH-01' }, { status: 'discarded' });
    await house.take(structuring('A-2', 4));
    await expect(house.evaluate()).rejects.toMatchObject({ code: 'state-altered' });
    await expect(house.evaluate(true)).rejects.toMatchObject({ code: 'state-altered' });
    expect((await house.position())?.tseq).toBe(3);
  });

  test('cannot agree with their own suppression, nor make a rule less severe for it', async () => {
    await house.publish();
    await house.take(structuring('A-1', 1));
    await house.evaluate();
    const [alert] = await house.alerts();
    const wanted = {
      alertId: alert?.alertId ?? '',
      expiresAt: (Date.now() + 20 * 86_400_000) as EpochMs,
      reason: 'A shop that closes late',
    };
    const { suppressionId } = await suppress(house.parts, house.as('lena'), wanted);
    house.alter(suppressionTable, { suppressionId }, { createdBy: 'person:somebody' });
    await expect(
      approveSuppression(house.parts, house.as('lena'), suppressionId),
    ).rejects.toMatchObject({ code: 'state-altered' });
    const content = { ...(DEFAULT_PACK[0] as Rule), severity: 'Low' } as const;
    house.alter(ruleTable, { ruleId: 'TM-CASH-01' }, { content });
    await expect(suppress(house.parts, house.as('omar'), wanted)).rejects.toMatchObject({
      code: 'state-altered',
    });
  });
});
