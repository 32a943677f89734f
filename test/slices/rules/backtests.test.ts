/** Reports of backtests: what persons publish a rule by is what a worker has signed. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import {
  type Backtest,
  backtestTable,
  checkBacktests,
  failBacktest,
  findBacktest,
  listBacktests,
  requestBacktest,
  runBacktest,
} from '#slices/rules';
import { openRuleHouse, type RuleHouse, structuring, TENANT } from './house.ts';

const PLACE = { ruleId: 'TM-CASH-01', ruleVersion: 1, tenantId: TENANT };
const MARCH = {
  from: Date.parse('2026-03-01T00:00:00.000Z') as EpochMs,
  to: Date.parse('2026-04-01T00:00:00.000Z') as EpochMs,
};

let house: RuleHouse;
beforeEach(async () => {
  house = openRuleHouse();
  await house.take(structuring('A-1', 1));
});

const asked = () => requestBacktest(house.parts, { ...house.as('carl'), ...PLACE }, MARCH);

/** As a worker holds it. */
function held(record: Backtest) {
  const { backtestId, tenantId } = record;
  return {
    expected: backtestTable.expect({ backtestId, tenantId }, {}),
    record,
    replace: () => undefined,
    signal: new AbortController().signal,
  } as never;
}

const found = ({ backtestId }: Backtest) =>
  findBacktest(house.parts, { backtestId, tenantId: TENANT });
const ALTERED = { code: 'state-altered' };

test('one is shown while it waits, and with its report once it has ended', async () => {
  const backtest = await asked();
  expect(await found(backtest)).toEqual(backtest);
  await runBacktest(house.parts, held(backtest));
  expect(await found(backtest)).toMatchObject({
    report: { alerts: 1, evaluated: 3, matched: 1, subjects: 1 },
    status: 'completed',
  });
  expect(await listBacktests(house.parts, PLACE)).toHaveLength(1);
  expect(await checkBacktests(house.parts, TENANT)).toEqual({ count: 1, refusals: [] });
});

test('one that failed says why', async () => {
  const backtest = await asked();
  await failBacktest(house.parts, held(backtest), 'evidence-altered');
  expect(await found(backtest)).toMatchObject({ failure: 'evidence-altered', status: 'failed' });
  expect((await checkBacktests(house.parts, TENANT)).refusals).toEqual([]);
});

test('one that nobody asked for is unknown', async () => {
  const stranger = { backtestId: crypto.randomUUID(), tenantId: TENANT };
  await expect(findBacktest(house.parts, stranger)).rejects.toMatchObject({
    code: 'backtest-unknown',
  });
});

describe('who writes past the service', () => {
  const REPORT = { alerts: 0, alerts_per_day: 0, evaluated: 3, matched: 3 };
  test.each([
    ['makes a rule look quiet', { report: REPORT }],
    ['moves the time that was looked at', { to: MARCH.from + 1 }],
    ['has it begin anew', { status: 'queued' }],
    ['has it failed', { failure: 'evidence-altered', status: 'failed' }],
  ])('and %s, is told of', async (_what, members) => {
    const backtest = await asked();
    await runBacktest(house.parts, held(backtest));
    house.alter(backtestTable, { tenantId: TENANT }, members as Partial<Backtest>);
    await expect(found(backtest)).rejects.toMatchObject(ALTERED);
    await expect(listBacktests(house.parts, PLACE)).rejects.toMatchObject(ALTERED);
    expect((await checkBacktests(house.parts, TENANT)).refusals).toEqual([
      expect.stringContaining(`backtest ${backtest.backtestId}: `),
    ]);
  });

  test('and ends one without a worker, is told of', async () => {
    const backtest = await asked();
    house.alter(
      backtestTable,
      { tenantId: TENANT },
      { report: REPORT as never, status: 'completed' },
    );
    await expect(found(backtest)).rejects.toMatchObject(ALTERED);
  });

  test('and takes one away, is told of by name', async () => {
    const backtest = await asked();
    await runBacktest(house.parts, held(backtest));
    const { tables } = house.parts;
    const parts = { ...house.parts, tables: { ...tables, page: async () => ({ records: [] }) } };
    expect((await checkBacktests(parts as never, TENANT)).refusals).toEqual([
      `backtest ${backtest.backtestId}: its record is gone`,
    ]);
  });
});
