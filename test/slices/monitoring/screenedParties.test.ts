/**
 * Parties in the log: compared once, named afterwards by the transaction at which they were; who is
 * on a list has an event of his own, and his transactions are found by it. The engine is a fake one
 * whose list is a set of names; test/slices/monitoring/ingestScreening.test.ts has the real one.
 */

import { describe, expect, test } from 'vitest';
import { logStream, matchesOf, type PartyOutcome } from '#slices/monitoring';
import { fitting } from '../../../src/slices/monitoring/segmentParties.ts';
import { openLedger, TENANT, transactionOf } from './ledger.ts';
import { listOf } from './listedParties.ts';

const between = (n: number, debtor: string, creditor: string) =>
  transactionOf(n, { creditor: { name: creditor }, debtor: { name: debtor } });

describe('parties in the log', () => {
  test('are compared once, and stand on the transaction at which they were', async () => {
    const { compared, screening } = listOf('Listed');
    const ledger = openLedger(screening);
    await ledger.take([between(1, 'Anna', 'Bert'), between(2, 'Bert', 'Anna')]);
    await ledger.take([between(3, 'Anna', 'Carl')]);
    expect(compared).toEqual(['Anna', 'Bert', 'Carl']);
    const { row } = await ledger.find('T-3');
    expect(row.parties).toEqual([
      { decision: 'CLEAR', role: 'debtor', since: 1 },
      {
        candidates: expect.stringMatching(/^[0-9a-f]{64}$/),
        decision: 'CLEAR',
        role: 'creditor',
        since: 3,
      },
    ]);
    expect((await ledger.find('T-2')).row.parties).toMatchObject([{ since: 1 }, { since: 1 }]);
    expect(await ledger.check()).toEqual({ count: 3, refusals: [] });
  });

  test('who are listed have one event, and their transactions are found by it', async () => {
    const { screening } = listOf('Listed');
    const ledger = openLedger(screening);
    await ledger.take([between(1, 'Listed', 'Bert'), between(2, 'Listed', 'Listed')]);
    await ledger.take([between(3, 'Anna', 'Listed')]);
    const events = ledger.house.events.filter(({ type }) => type === 'screening');
    expect(events).toHaveLength(1);
    const screeningId = events[0]?.screeningId ?? '';
    const { row } = await ledger.find('T-3');
    expect(row.parties?.[1]).toEqual({
      decision: 'MATCH_PEP',
      role: 'creditor',
      screeningId,
      since: 1,
    });
    const { count, named } = await matchesOf(ledger.house, { screeningId, tenantId: TENANT });
    expect([count, ...named.map(({ txId }) => txId)]).toEqual([3, 'T-1', 'T-2', 'T-3']);
    const told = ledger.house.bus.filter(({ topic }) => topic === 'sanctions.screening.completed');
    expect(told).toHaveLength(1);
  });

  test('of a body with hundreds of hits are taken in several commits, none lost', async () => {
    const names = Array.from({ length: 240 }, (_, at) => `Listed ${at}`);
    const { screening } = listOf(...names);
    const ledger = openLedger(screening);
    const body = names.map((name, at) => between(at + 1, name, name));
    expect(await ledger.take(body)).toMatchObject({ accepted: 240, tseqs: [1, 240] });
    const segments = ledger.house.events.filter(
      ({ action }) => action === 'aml.transactions.recorded',
    );
    expect(segments.length).toBeGreaterThan(1);
    expect(ledger.house.events.filter(({ type }) => type === 'screening')).toHaveLength(240);
    expect(await ledger.check()).toEqual({ count: 240, refusals: [] });
  });

  test('have as many hits in one commit as the register of screenings has room for', () => {
    const hits = Array.from({ length: 20 }, (_, at) => ({ ftm_id: `E-${at}` }));
    const items = Array.from({ length: 30 }, () => {
      const record = { verdict: { decision: 'MATCH_PEP', hits } };
      const outcome = { screened: { record } } as unknown as PartyOutcome;
      return { parties: [{ outcome, role: 'debtor' } as const], transaction: {} };
    });
    // A row a screening and one a hit, 400 in all: of the last ones none would be found.
    expect(fitting(items, new Map())).toBe(19);
  });

  test('whose verdict somebody changes are not shown', async () => {
    const { screening } = listOf('Listed');
    const ledger = openLedger(screening);
    await ledger.take([between(1, 'Listed', 'Bert')]);
    const table = (await import('#slices/monitoring')).transactionLogTable;
    ledger.alter(
      table,
      { tseq: 1 },
      { parties: [{ decision: 'CLEAR', role: 'debtor', since: 1 }] },
    );
    await expect(ledger.find('T-1')).rejects.toMatchObject({ code: 'evidence-altered' });
  });

  test('whose alert is given a payment of somebody else are not shown with it', async () => {
    const { screening } = listOf('Listed');
    const ledger = openLedger(screening);
    await ledger.take([between(1, 'Listed', 'Bert'), between(2, 'Anna', 'Bert')]);
    const [{ screeningId = '' } = {}] = (await ledger.find('T-1')).row.parties ?? [];
    const of = { screeningId, tenantId: TENANT };
    expect((await matchesOf(ledger.ports, of)).named).toMatchObject([{ txId: 'T-1' }]);
    const { transactionMatchTable } = await import('#slices/monitoring');
    ledger.alter(transactionMatchTable, { tseq: 1 }, { tseq: 2, txId: 'T-2' });
    await expect(matchesOf(ledger.ports, of)).rejects.toMatchObject({ code: 'evidence-altered' });
  });

  test('are streamed to rules in order, with what their segment was taken with', async () => {
    const { screening } = listOf('Listed');
    const ledger = openLedger(screening);
    await ledger.take([between(1, 'Listed', 'Bert'), between(2, 'Anna', 'Bert')]);
    await ledger.take([between(3, 'Anna', 'Carl')]);
    const stream = logStream(ledger.ports);
    expect(await stream.head(TENANT)).toBe(3);
    const seen = [];
    for await (const some of stream.read({ from: 2, tenantId: TENANT })) seen.push(...some);
    expect(seen.map(({ tseq, transaction }) => [tseq, transaction?.tx_id])).toEqual([
      [2, 'T-2'],
      [3, 'T-3'],
    ]);
    expect(seen[0]?.pins).toEqual({
      factsSeq: 0,
      listVersion: 'f'.repeat(64),
      policyVersion: 1,
      ratesVersion: 0,
    });
  });
});
