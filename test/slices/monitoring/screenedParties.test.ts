/**
 * Parties in the log: compared once, named afterwards by the transaction at which they were; who is
 * on a list has an event of his own, and his transactions are found by it. The engine is a fake one
 * whose list is a set of names; test/slices/monitoring/ingestScreening.test.ts has the real one.
 */

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemRandom, uuidV7 } from '#platform/random';
import {
  logStream,
  matchesOf,
  type OpenPartyScreening,
  type PartyOutcome,
  partyQueries,
  VerdictMemo,
} from '#slices/monitoring';
import { type Hit, screeningSettings } from '#slices/screening';
import { fitting } from '../../../src/slices/monitoring/segmentParties.ts';
import { SETTINGS } from '../policies/policyDesk.ts';
import { openLedger, TENANT, transactionOf } from './ledger.ts';

function listOf(...listed: string[]) {
  const memo = new VerdictMemo();
  const compared: string[] = [];
  const outcomeOf = (name: string): PartyOutcome => {
    const key = createHash('sha256').update(name).digest();
    const known = memo.find(key);
    if (known !== undefined) return { key, known };
    compared.push(name);
    const isListed = listed.includes(name);
    const hit = { directScore: 1, ftm_id: 'E-1', primary_name: name, typology: 'MATCH_PEP' };
    const decision = isListed ? ('MATCH_PEP' as const) : ('CLEAR' as const);
    return {
      key,
      screened: {
        query: { names: [name], variants: [] },
        record: {
          members: { candidates: [] },
          verdict: {
            decision,
            hits: (isListed ? [hit] : []) as unknown as readonly Hit[],
            listVersion: 'v',
            policyVersion: 1,
            references: [],
            rerankerVersion: '2.0.0',
            screeningId: uuidV7(1, systemRandom),
            thresholds: {},
            weights: {},
          },
        },
      },
    };
  };
  const screening: OpenPartyScreening = async () => ({
    remember: ({ key, screened }, since) => {
      const { decision, screeningId } = screened?.record.verdict ?? {};
      if (key === undefined || decision === undefined) return;
      memo.add(key, {
        decision,
        since,
        ...(decision !== 'CLEAR' && { screeningId: screeningId ?? '' }),
      });
    },
    screen: async (transactions) => {
      const outcomes = new Map<string, PartyOutcome>();
      return transactions.map((one) => ({
        parties: partyQueries(one).map(({ query, role }) => {
          if (query === undefined) return { outcome: {}, role };
          const outcome = outcomes.get(query.name) ?? outcomeOf(query.name);
          outcomes.set(query.name, outcome);
          return { outcome, role };
        }),
      }));
    },
    terms: {
      listSet: { listVersion: 'f'.repeat(64), references: [] },
      settings: SETTINGS.defaults.of(screeningSettings),
    },
  });
  return { compared, screening };
}

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
