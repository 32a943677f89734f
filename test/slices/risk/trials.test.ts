/** Shadow and backtest: what a policy would have made of the past and of what comes. */
import { afterEach, describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { chainOf } from '#core/kernel';
import { Hold as WorkHold } from '#core/work';
import { verifyEd25519 } from '#platform/crypto';
import { patchCase } from '#slices/customers';
import {
  activateShadow,
  addCase,
  type BacktestReport,
  backtestShare,
  createRiskPolicy,
  deactivateShadow,
  editRiskPolicy,
  evaluateClient,
  findRiskBacktest,
  newTally,
  onAlertCreated,
  quarterOf,
  type RiskBacktest,
  readRiskReport,
  reportedOf,
  reportMessage,
  requestRiskBacktest,
  requirePolicy,
  riskBacktestTable,
  riskShadowTable,
  runRiskBacktest,
  SHADOW_EVERY_MS,
  SHIPPED_HASH,
  type ShadowCount,
  shadowMetrics,
} from '#slices/risk';
import { BY, CLI, TENANT } from './riskDesk.ts';
import { closeAlert, rejected, screened } from './screened.ts';
import {
  by,
  closeDesks,
  countOne,
  desk2,
  open,
  signerOf,
  withClients,
  work,
} from './stagesDesk.ts';

afterEach(closeDesks);

describe('a policy in shadow', () => {
  test('is compared with every evaluation since, and decides nothing', async () => {
    const desk = await open();
    const { ports } = desk;
    await withClients(desk);
    const { policyId } = await createRiskPolicy(ports, CLI, {
      name: 'Strict',
      thresholds: { high: 35, standard: 10 },
    });
    const ask = { ...CLI, policyId };
    const broken = await createRiskPolicy(ports, CLI, { name: 'Broken', weights: { geo: 0 } });
    await expect(
      activateShadow(ports, { ...CLI, policyId: broken.policyId }),
    ).rejects.toMatchObject({ code: 'policy-invalid', violations: [{ code: 'weights-sum' }] });
    const shadowed = await activateShadow(ports, ask);
    const { caseId } = await desk.newClient('client-4');
    const { client } = await evaluateClient(ports, { ...BY, caseId, isAsked: true });
    expect(client.policyVersion).toBe(1);
    const metrics = await shadowMetrics(ports, shadowed);
    expect(metrics).toMatchObject({
      confusion: { total: 1 },
      errors: 0,
      evaluations: 1,
      movement: [{ count: 1, from: 'STANDARD', to: 'HIGH' }],
      needed: { days: 0, evaluations: 1 },
      ready: true,
    });
    const out = await deactivateShadow(ports, ask);
    expect(out).toMatchObject({ shadowReport: { contentHash: out.contentHash }, status: 'draft' });
    expect(out.shadow).toBeUndefined();
  });

  test('is counted by workers, of whom one goes on from what another has signed', async () => {
    const desk = await open();
    const { clock, ports, tables } = desk;
    const { policyId } = await createRiskPolicy(ports, CLI, {
      name: 'Strict',
      thresholds: { high: 35, standard: 10 },
    });
    const { shadow } = await activateShadow(ports, { ...CLI, policyId });
    const key = { shadowReportId: shadow?.shadowReportId ?? '', tenantId: TENANT };
    await withClients(desk);
    const look = () => countOne(desk);
    expect(await look()).toBe(true);
    const counted = await tables.find(riskShadowTable, key);
    const progress = JSON.parse(counted?.progress ?? '').progress as ShadowCount;
    expect(progress.tally.cases).toBe(3);
    // Not due yet, then only what has come since is compared.
    expect(await look()).toBe(false);
    clock.advance(SHADOW_EVERY_MS);
    const { caseId } = await desk.newClient('client-9');
    await evaluateClient(ports, { ...BY, caseId, isAsked: true });
    let read = 0;
    const events = {
      ...ports.events,
      read: (...of: Parameters<typeof ports.events.read>) => {
        read += 1;
        return ports.events.read(...of);
      },
    };
    expect(await countOne(desk, { ...ports, events })).toBe(true);
    expect(read).toBe(1);
    // Whoever writes the row without the signer has it counted anew.
    const forged = { ...progress, tally: { ...progress.tally, cases: 900 } };
    const saved = JSON.stringify({ progress: forged, signature: 'AAAA' });
    await tables.saveWork(riskShadowTable, { key, work: { progress: saved } });
    const policy = await requirePolicy(ports, { policyId, tenantId: TENANT });
    expect(await shadowMetrics(ports, policy)).toMatchObject({ complete: true, evaluations: 4 });
    await editRiskPolicy(ports, { ...CLI, policyId }, { name: 'Edited' });
    clock.advance(SHADOW_EVERY_MS);
    expect(await look()).toBe(true);
    expect((await tables.find(riskShadowTable, key))?.progress).toBeUndefined();
    clock.advance(SHADOW_EVERY_MS);
    expect(await look()).toBe(false);
  });

  test('ends over HTTP once workers are through, and says how far they are', async () => {
    const desk = await open();
    const { ports } = desk;
    const { policyId } = await createRiskPolicy(ports, by('carl'), {
      name: 'Strict',
      thresholds: { high: 35, standard: 10 },
    });
    const ask = { ...by('carl'), policyId };
    await activateShadow(ports, ask);
    await withClients(desk);
    // As if there were more behind a look than it compares.
    const audit = { ...ports.audit, head: async () => ({ hash: '', seq: 1_000 }) as never };
    const readEvents = async (of: Parameters<typeof ports.audit.readEvents>[0]) => {
      const page = await ports.audit.readEvents(of);
      return Array.from({ length: 2_001 }, (_, at) => page[at % page.length]).filter(
        (one) => one !== undefined,
      );
    };
    const behind = { ...ports, audit: { ...audit, readEvents } } as typeof ports;
    await expect(deactivateShadow(behind, ask)).rejects.toMatchObject({
      code: 'state-conflict',
      message: expect.stringMatching(/\d+ of \d+ entries/),
    });
    expect(await deactivateShadow(ports, ask)).toMatchObject({ status: 'draft' });
  });

  test('is one of three, and an edit ends it', async () => {
    const { ports } = await open();
    const ids: string[] = [];
    for (let made = 0; made < 4; made++) {
      ids.push((await createRiskPolicy(ports, CLI, { name: `N${made}` })).policyId);
    }
    const results = await Promise.allSettled(
      ids.map((policyId) => activateShadow(ports, { ...CLI, policyId })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const policyId = ids[results.findIndex(({ status }) => status === 'fulfilled')] ?? '';
    const edited = await editRiskPolicy(ports, { ...CLI, policyId }, { name: 'Edited' });
    expect(edited).toMatchObject({ status: 'draft' });
    expect(edited.shadowSlot).toBeUndefined();
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });
});

describe('a backtest', () => {
  test('takes the last of each client and quarter, and signs what it found', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    await withClients(desk);
    const { caseId } = await desk.newClient('client-9', { country_residence: 'FR' });
    await evaluateClient(ports, { ...BY, caseId, isAsked: true });
    clock.advance(1);
    await patchCase(
      desk.casePorts,
      { ...BY, caseId },
      { subject: { country_residence: 'KP' } },
      {
        source: 'api',
      },
    );
    await evaluateClient(ports, { ...BY, caseId, isAsked: true });
    const { policyId } = await createRiskPolicy(ports, CLI, {
      name: 'Strict',
      thresholds: { high: 50 },
    });
    const time = { from: 0 as never, to: (clock.now() + 1) as never };
    const { btrId } = await requestRiskBacktest(ports, { ...CLI, policyId }, time);
    await expect(requestRiskBacktest(ports, { ...CLI, policyId }, time)).rejects.toMatchObject({
      code: 'state-conflict',
    });
    await work(desk);
    const { backtestReport } = await requirePolicy(ports, { policyId, tenantId: TENANT });
    expect(backtestReport?.reportId).toBe(btrId);
    const report = (await readRiskReport(ports, backtestReport?.sha256 ?? '')) as {
      readonly signature: string;
      readonly key_id: string;
    };
    expect(report).toMatchObject({
      facts: { missing: 4, rescreened: 0, stored: 4 },
      metrics: { baseline_mismatch: 0 },
      population: { cases: 4 },
      warnings: ['unrepresentative'],
    });
    const { signature, ...signed } = report;
    const { key_id: _, ...told } = signed;
    const key = ports.signer.publicKey.raw;
    expect(verifyEd25519(key, reportMessage(told), Buffer.from(signature, 'base64'))).toBe(true);
    expect(quarterOf(Date.UTC(2026, 11, 31) as never)).toBe('2026Q4');
  });
});

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

const BLANK = {
  dimensions: [],
  incomplete: false,
  level: 'STANDARD',
  level_by_score: 'STANDARD',
  missing: [],
  overrides: [],
} as const;

describe('a backtest that somebody wrote in the store', () => {
  async function asked() {
    const desk = await open();
    const { clock, ports, tables } = desk;
    await withClients(desk);
    const { policyId } = await createRiskPolicy(ports, CLI, {
      name: 'N',
      thresholds: { high: 45 },
    });
    const time = { from: 0 as never, to: (clock.now() + 1) as never };
    const { btrId } = await requestRiskBacktest(ports, { ...CLI, policyId }, time);
    const key = { btrId, tenantId: TENANT };
    const alter = async (members: Partial<RiskBacktest>): Promise<void> => {
      const row = await tables.find(riskBacktestTable, key);
      if (row === undefined) throw new Error('no such backtest');
      const next = { ...row, ...members, version: row.version + 1 };
      await ports.commit(chainOf(TENANT), {
        bus: [],
        changes: [riskBacktestTable.put(next, row.version)],
        events: [
          entry(ports, { action: 'risk.policy.drafted', actor: 'system:test', target: 'x' }),
        ],
      });
    };
    const place = { ...key, policyId };
    const find = () => findRiskBacktest(ports, place);
    return { alter, desk, find, place };
  }
  const altered = { code: 'state-altered' };

  test('is not worked off over another time', async () => {
    const { alter, desk } = await asked();
    await alter({ from: 1 as never });
    await expect(work(desk)).rejects.toMatchObject(altered);
  });

  test('goes on from no figures but those that a worker signed', async () => {
    const { alter, desk, find } = await asked();
    const progress = { fromSeq: 0, tally: { cases: 9_000 } };
    await alter({ progress: '{' });
    expect(backtestShare(await find())).toBe(0);
    await alter({ progress: JSON.stringify({ progress, signature: 'AAAA' }) });
    await work(desk);
    const report = await readRiskReport(desk.ports, (await find()).reportSha256 ?? '');
    expect(report).toMatchObject({ confusion: { total: 3 } });
  });

  test('shows no report while it is worked on', async () => {
    const { alter, find } = await asked();
    await alter({ pdfs: { en: 'a'.repeat(64) }, reportSha256: 'a'.repeat(64) });
    await expect(find()).rejects.toMatchObject(altered);
  });

  test('shows no report but the one that it ended with', async () => {
    const { desk, find, place } = await asked();
    await work(desk);
    const { pdfs } = await find();
    const { ports, tables } = desk;
    const written = (members: Partial<RiskBacktest>) => {
      const row = async (...of: Parameters<typeof tables.find>) => ({
        ...(await tables.find(...of)),
        ...members,
      });
      return findRiskBacktest({ ...ports, tables: { ...tables, find: row as never } }, place);
    };
    expect((await written({})).status).toBe('ready');
    for (const members of [
      { pdfs: { ...pdfs, en: 'a'.repeat(64) } },
      { reportSha256: 'a'.repeat(64) },
      { contentHash: 'a'.repeat(64) },
      { failure: 'report-stale', status: 'failed' as const },
      { status: 'queued' as const },
    ]) {
      await expect(written(members), JSON.stringify(members)).rejects.toMatchObject(altered);
    }
  });
});

describe('a backtest whose workers die', () => {
  test('comes to the same report as one that was never interrupted', async () => {
    const desk = await open();
    const { clock, ports, tables } = desk;
    await withClients(desk);
    await withClients(desk2(desk));
    const time = { from: 0 as never, to: (clock.now() + 1) as never };
    const reports: object[] = [];
    for (const kills of [0, 4]) {
      const { policyId } = await createRiskPolicy(ports, CLI, {
        name: 'N',
        thresholds: { high: 45 },
      });
      const { btrId } = await requestRiskBacktest(ports, { ...CLI, policyId }, time);
      const [lane] = await tables.lanes(riskBacktestTable, { limit: 1, now: clock.now() });
      const asked = { holder: 'test', lane: lane ?? [], limit: 1, now: clock.now() };
      const [leased] = await tables.lease(riskBacktestTable, asked);
      if (leased === undefined) throw new Error('nothing to do');
      const times = { leaseMs: 60_000, renewMs: 20_000 };
      const hold = new WorkHold({ clock, tables }, riskBacktestTable, leased, { times });
      for (let killed = 0; killed <= kills; killed++) {
        // Whoever goes on begins with what was saved alone.
        const going = {
          expected: hold.expected,
          record: hold.record,
          async saveNow() {
            await hold.saveNow();
            if (killed < kills) throw new Error('killed');
          },
          signal: hold.signal,
          tell: (work: object) => hold.tell(work),
        };
        const run = runRiskBacktest(ports, going as never, 1);
        if (killed < kills) await expect(run).rejects.toThrow('killed');
        else await run;
      }
      await hold.end();
      const found = await findRiskBacktest(ports, { btrId, policyId, tenantId: TENANT });
      expect(backtestShare(found)).toBe(1);
      for (const lang of ['ar', 'en', 'fr']) {
        const pdf = Buffer.from(desk.kept.get(found.pdfs?.[lang] ?? '') ?? []);
        expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
        expect(pdf.toString('latin1')).toContain(btrId);
      }
      const report = (await readRiskReport(ports, found.reportSha256 ?? '')) as {
        readonly confusion: { readonly total: number };
        readonly metrics: object;
        readonly movement: object;
        readonly population: object;
      };
      expect(report.confusion.total).toBe(6);
      const { confusion, metrics, movement } = report;
      reports.push({ confusion, metrics, movement });
    }
    expect(reports[1]).toEqual(reports[0]);
  });
});
