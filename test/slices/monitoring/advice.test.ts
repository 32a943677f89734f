/** Advice in line: a listed party is held whether or not rules ever say anything. */
import { describe, expect, test } from 'vitest';
import {
  type AdvicePorts,
  adviseOn,
  type EvaluateTransactions,
  type PartyVerdict,
} from '#slices/monitoring';
import { openLedger, TENANT, transactionOf } from './ledger.ts';

const LISTED = { decision: 'MATCH_DIRECT_SANCTIONS', role: 'creditor' } as PartyVerdict;
const ALIKE = { decision: 'MATCH_PEP', role: 'creditor' } as PartyVerdict;

/** One row a list of parties, and what the rules were asked. */
async function advise(
  parties: readonly (readonly PartyVerdict[])[],
  evaluate: EvaluateTransactions,
) {
  const asked: { from: number; to: number; waitMs: number }[] = [];
  const own = parties.map((of, at) => ({ parties: of, tseq: at + 1, txId: `T-${at + 1}` }));
  const ports = {
    evaluate: (ask) => {
      asked.push({ from: ask.tseqFrom, to: ask.tseqTo, waitMs: ask.waitMs });
      return evaluate(ask);
    },
    isAlerted: async () => () => false,
  } as Partial<AdvicePorts> as AdvicePorts;
  const txIds = own.map(({ txId }) => txId);
  const advised = await adviseOn(ports, { own, tenantId: TENANT, txIds, waitMs: 5_000 });
  const told = advised.results.map(({ decidedBy, decision, txId }) => [txId, decision, decidedBy]);
  return { asked, isWhole: advised.isWhole, told };
}

const silent: EvaluateTransactions = async () => undefined;
const passing: EvaluateTransactions = async ({ tseqFrom, tseqTo }) =>
  Array.from({ length: tseqTo - tseqFrom + 1 }, (_, at) => ({
    alerts: [],
    decision: 'pass',
    tseq: tseqFrom + at,
  }));

describe('where rules say nothing', () => {
  test('a listed party is held at once, and nobody waits', async () => {
    expect(await advise([[LISTED], [LISTED]], silent)).toEqual({
      asked: [{ from: 1, to: 2, waitMs: 0 }],
      isWhole: true,
      told: [
        ['T-1', 'block', ['screening']],
        ['T-2', 'block', ['screening']],
      ],
    });
  });

  test('the others of its body are waited for, and are not said to pass', async () => {
    const { asked, isWhole, told } = await advise([[ALIKE], [LISTED], []], silent);
    expect(asked).toEqual([{ from: 1, to: 3, waitMs: 5_000 }]);
    expect(isWhole).toBe(false);
    expect(told).toEqual([['T-2', 'block', ['screening']]]);
  });
});

test('where rules say something, both have decided', async () => {
  const { isWhole, told } = await advise([[ALIKE], [LISTED], []], passing);
  expect(isWhole).toBe(true);
  expect(told).toEqual([
    ['T-1', 'review', ['screening', 'rules']],
    ['T-2', 'block', ['screening', 'rules']],
    ['T-3', 'pass', ['screening', 'rules']],
  ]);
});

test('where there are no rules at all, screening alone decides', async () => {
  const { isWhole, told } = await advise([[]], async () => []);
  expect([isWhole, told]).toEqual([true, [['T-1', 'pass', ['screening']]]]);
});

test('payments of over twenty parts of the log are not compared while a caller waits', async () => {
  const ledger = openLedger();
  const txIds = Array.from({ length: 21 }, (_, at) => `T-${at + 1}`);
  for (const at of txIds.keys()) await ledger.take([transactionOf(at + 1)]);
  const ports = {
    ...ledger.ports,
    evaluate: async () => [],
    isAlerted: async () => () => false,
  };
  const ask = { own: [], tenantId: TENANT, txIds, waitMs: 0 };
  expect(await adviseOn(ports, ask)).toEqual({ isWhole: false, results: [] });
  const { isWhole, results } = await adviseOn(ports, { ...ask, txIds: txIds.slice(1) });
  expect(isWhole).toBe(true);
  expect(results.map(({ decision, tseq }) => [decision, tseq])).toEqual(
    txIds.slice(1).map((_, at) => ['pass', at + 2]),
  );
});
