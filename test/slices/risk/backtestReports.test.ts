/** What the report of a backtest tells: movers, lists, segments, outcomes. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  addCase,
  type BacktestReport,
  createRiskPolicy,
  evaluateClient,
  findRiskBacktest,
  newTally,
  onAlertCreated,
  readRiskReport,
  reportedOf,
  requestRiskBacktest,
  SHIPPED_HASH,
} from '#slices/risk';
import { BY, CLI, TENANT } from './riskDesk.ts';
import { closeAlert, rejected, screened } from './screened.ts';
import { closeDesks, open, signerOf, withClients, work } from './stagesDesk.ts';

afterEach(closeDesks);

const BLANK = {
  dimensions: [],
  incomplete: false,
  level: 'STANDARD',
  level_by_score: 'STANDARD',
  missing: [],
  overrides: [],
} as const;

describe('what a backtest tells', () => {
  async function tried(population: { readonly segments?: readonly string[] } = {}) {
    const desk = await open();
    const { clock, ports } = desk;
    await withClients(desk);
    const { policyId } = await createRiskPolicy(ports, CLI, {
      name: 'Strict',
      thresholds: { high: 35, standard: 10 },
    });
    const run = async () => {
      const time = { from: 0 as never, to: (clock.now() + 1) as never, ...population };
      const { btrId } = await requestRiskBacktest(ports, { ...CLI, policyId }, time);
      await work(desk);
      const ended = await findRiskBacktest(ports, { btrId, policyId, tenantId: TENANT });
      const report = (await readRiskReport(ports, ended.reportSha256 ?? '')) as BacktestReport;
      return { ended, report };
    };
    return { desk, run };
  }

  test('the strongest movers, the policies of then and the lists of then', async () => {
    const { desk, run } = await tried();
    await onAlertCreated(
      desk.ports,
      (await screened(desk, 'client-1', { typology: 'MATCH_PEP' })).raised,
    );
    const { report } = await run();
    expect(report).toMatchObject({
      baseline: [{ cases: 3, policy_hash: SHIPPED_HASH }],
      lists: [{ cases: 1, list_digest: '0'.padStart(64, 'd'), source: 'DEMO' }],
      metrics: { baseline_mismatch: 0 },
      population: { cases: 3 },
    });
    const { down, up } = report.movers;
    expect([...up, ...down]).toEqual([]);
  });

  test('the version of the list that each case met, over ten of them', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    const isListed = (version: number) => version >= 3 && version <= 6;
    for (let version = 0; version < 10; version++) {
      const name = `client-${version}`;
      const { caseId } = await desk.newClient(name);
      const typology = isListed(version) ? 'MATCH_PEP' : 'CLEAR';
      const { screeningId: rescreening } = await screened(desk, name, { typology, version });
      await evaluateClient(ports, { ...BY, caseId, isAsked: false, rescreening });
      clock.advance(1);
    }
    // The policy that is tried prohibits what the one of then has at HIGH.
    const { policyId } = await createRiskPolicy(ports, CLI, {
      name: 'N',
      overrides: [
        {
          force: 'mustProhibit',
          id: 'pep',
          when: { field: 'client.pep', op: 'eq', value: true },
        },
      ],
    });
    const time = { from: 0 as never, to: (clock.now() + 1) as never };
    const { btrId } = await requestRiskBacktest(ports, { ...CLI, policyId }, time);
    await work(desk);
    const ended = await findRiskBacktest(ports, { btrId, policyId, tenantId: TENANT });
    const report = (await readRiskReport(ports, ended.reportSha256 ?? '')) as BacktestReport;
    expect(report.metrics.baseline_mismatch).toBe(0);
    expect(report.lists).toEqual(
      Array.from({ length: 10 }, (_, version) => ({
        cases: 1,
        content_digest: 'c'.repeat(64),
        list_digest: String(version).padStart(64, 'd'),
        source: 'DEMO',
      })),
    );
    expect(report.movement).toMatchObject([{ count: 4, from: 'HIGH', to: 'PROHIBITED' }]);
    expect(report.facts.rescreened).toBe(0);
  });

  test('movers in the order of their shifts, twenty at the most', () => {
    const tally = newTally();
    const scored = (score: number) => ({ ...BLANK, score });
    for (let at = 0; at < 30; at++) {
      const shift = ((at * 7) % 30) - 10;
      addCase(tally, {
        after: scored(500_000 + shift),
        before: scored(500_000),
        evaluationId: `e${at}`,
        facts: {},
        lists: [],
        policyHash: 'h',
        signedLevel: 'STANDARD',
      });
    }
    const shifts = (of: 'down' | 'up') => tally.movers[of].map(({ shift }) => shift);
    expect(shifts('up')).toEqual(Array.from({ length: 19 }, (_, at) => 19 - at));
    expect(shifts('down')).toEqual(Array.from({ length: 10 }, (_, at) => at - 10));
  });

  test('clients of the wanted segments alone', async () => {
    const { run } = await tried({ segments: ['country:KP', 'country:VE', 'channel:api'] });
    expect((await run()).report).toMatchObject({
      population: {
        cases: 2,
        left_out: { other_segment: 1 },
        segments: ['country:KP', 'country:VE', 'channel:api'],
      },
    });
  });

  test('what became of clients later, and not before', async () => {
    const { desk, run } = await tried();
    const { clock, ports } = desk;
    // Before the evaluation that counts: not later.
    await rejected(desk, 'client-2');
    clock.advance(1);
    await evaluateClient(ports, { ...BY, externalRef: 'client-2', isAsked: true });
    clock.advance(1);
    const confirmed = await screened(desk, 'client-1', {
      channel: 'unit',
      typology: 'MATCH_PEP',
    });
    await closeAlert(desk, confirmed.alertId, 'closed_true_positive');
    const dismissed = await screened(desk, 'client-2', {
      channel: 'unit',
      ftmId: 'demo-3',
      typology: 'MATCH_PEP',
    });
    await closeAlert(desk, dismissed.alertId, 'closed_false_positive');
    await rejected(desk, 'client-3');
    desk.around.reported = [
      { at: clock.now(), refs: ['client-2', 'nobody'] },
      { at: (clock.now() + 1_000) as never, refs: ['client-1'] },
    ];
    const { ended, report } = await run();
    const share = (of: number) => expect.objectContaining({ share: of });
    expect(report.outcomes).toEqual({
      found: [
        {
          cases: 1,
          high_after: 1,
          high_before: 0,
          outcome: 'true_positive',
          recall_after: share(1),
          recall_before: share(0),
        },
        expect.objectContaining({ cases: 0, outcome: 'fraud', recall_after: null }),
        expect.objectContaining({ cases: 1, outcome: 'rejected' }),
      ],
      unread: 0,
    });
    expect(JSON.stringify(report)).not.toContain('reported');
    // Fewer than ten are told to nobody.
    expect(await readRiskReport(ports, ended.reportedSha256 ?? '')).toMatchObject({
      cases: null,
      high_after: null,
      recall_after: null,
    });
  });

  test('totals of reported clients, from ten on', () => {
    const tally = newTally();
    tally.outcomes.reported = { cases: 12, highAfter: 11, highBefore: 4 };
    const signer = signerOf('carl');
    expect(reportedOf({ signer }, { btrId: 'b' }, tally)).toMatchObject({
      cases: 12,
      high_after: 11,
      high_before: null,
      recall_after: { share: 11 / 12 },
      recall_before: null,
    });
  });
});
