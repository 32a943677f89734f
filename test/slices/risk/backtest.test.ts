/** Backtest: runs over the past, whose workers die and whose rows somebody writes. */
import { afterEach, describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { chainOf } from '#core/kernel';
import { Hold as WorkHold } from '#core/work';
import { verifyEd25519 } from '#platform/crypto';
import { patchCase } from '#slices/customers';
import {
  backtestShare,
  contentChanges,
  createRiskPolicy,
  evaluateClient,
  evaluationsBack,
  evaluationsIn,
  type Factor,
  findRiskBacktest,
  givenOf,
  type Override,
  quarterOf,
  type RiskBacktest,
  readRiskReport,
  reportMessage,
  requestRiskBacktest,
  requirePolicy,
  riskBacktestTable,
  runRiskBacktest,
  SHIPPED,
} from '#slices/risk';
import { BY, CLI, TENANT } from './riskDesk.ts';
import { closeDesks, desk2, open, withClients, work } from './stagesDesk.ts';

afterEach(closeDesks);

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

describe('the population of a backtest', () => {
  async function asked() {
    const desk = await open();
    await withClients(desk);
    const { clock, ports } = desk;
    const { policyId } = await createRiskPolicy(ports, CLI, { name: 'N' });
    const time = { from: 0 as never, to: (clock.now() + 1) as never };
    const { btrId } = await requestRiskBacktest(ports, { ...CLI, policyId }, time);
    const report = async () => {
      const found = await findRiskBacktest(ports, { btrId, policyId, tenantId: TENANT });
      return readRiskReport(ports, found.reportSha256 ?? '');
    };
    return { desk, report };
  }

  test('has nobody who opposes it, and the report says how many', async () => {
    const { desk, report } = await asked();
    const purposes: string[] = [];
    const mayProcessEach: typeof desk.ports.mayProcessEach = async ({ subjectRefs }, purpose) => {
      purposes.push(purpose);
      return subjectRefs.map((ref) => ref !== 'client-2');
    };
    await work({ ...desk, ports: { ...desk.ports, mayProcessEach } });
    expect(purposes).toEqual(['backtest-cohort']);
    expect(await report()).toMatchObject({
      population: { cases: 2, left_out: { restricted: 1 } },
    });
  });

  test('loses nobody whom somebody has erased in the store alone', async () => {
    const { desk } = await asked();
    expect(await desk.alter('kyc_subject', '{', '{"erasedAt":1,')).toBe(3);
    await expect(work(desk)).rejects.toMatchObject({ code: 'state-altered' });
  });

  test('loses nobody whose evaluation was moved to another time', async () => {
    const { desk } = await asked();
    const { store } = desk;
    const audit: typeof store = Object.assign(Object.create(store), store, {
      searchEvents: async (of: Parameters<typeof store.searchEvents>[0]) => {
        const found = await store.searchEvents(of);
        return found.map((one) => ({ ...one, occurredAt: Number.MAX_SAFE_INTEGER }));
      },
    });
    const moved = { ...desk, ports: { ...desk.ports, audit } };
    await expect(work(moved)).rejects.toMatchObject({ code: 'evidence-altered' });
  });

  test('is counted by factors and overrides of any name', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    await withClients(desk);
    const given = givenOf(SHIPPED);
    const [factor, ...factors] = given.factors;
    const [override, ...overrides] = given.overrides;
    const { content, policyId } = await createRiskPolicy(ports, CLI, {
      factors: [{ ...factor, id: 'constructor' } as Factor, ...factors],
      name: 'Named',
      overrides: [{ ...override, id: 'constructor' } as Override, ...overrides],
    });
    const time = { from: 0 as never, to: (clock.now() + 1) as never };
    await requestRiskBacktest(ports, { ...CLI, policyId }, time);
    await work(desk);
    const { backtestReport } = await requirePolicy(ports, { policyId, tenantId: TENANT });
    const report = (await readRiskReport(ports, backtestReport?.sha256 ?? '')) as {
      readonly contributions: readonly { readonly factor: string; readonly mean: unknown }[];
    };
    const { mean } = report.contributions.find((one) => one.factor === 'constructor') ?? {};
    expect(mean).toEqual(expect.any(Number));
    const named = contentChanges(SHIPPED, content).filter(({ new: after }) => after !== null);
    expect(named).toMatchObject([
      { new: { id: 'constructor' }, old: null, pointer: '/factors/constructor' },
      { new: { id: 'constructor' }, old: null, pointer: '/overrides/constructor' },
    ]);
  });

  test('is read through pages, in both orders', async () => {
    const { desk } = await asked();
    const { ports, store } = desk;
    const throughSeq = (await store.head(chainOf(TENANT))).seq;
    const whole = { afterSeq: 0, tenantId: TENANT, throughSeq };
    const seqsOf = async (pages: ReturnType<typeof evaluationsIn>) => {
      const seqs: number[][] = [];
      for await (const page of pages) seqs.push(page.map(({ event }) => event.seq));
      return seqs;
    };
    const all = (await seqsOf(evaluationsIn(ports, whole, 500))).flat();
    expect(all).toHaveLength(3);
    for (const size of [1, 2, 3, 4]) {
      const up = await seqsOf(evaluationsIn(ports, whole, size));
      const down = await seqsOf(evaluationsBack(ports, whole, size));
      expect([up.flat(), down.flat()]).toEqual([all, all.toReversed()]);
      for (const page of [...up, ...down]) expect(page.length).toBeLessThanOrEqual(size);
    }
    const [first = 0, , last = 0] = all;
    const inner = { ...whole, afterSeq: first, throughSeq: last - 1 };
    expect((await seqsOf(evaluationsIn(ports, inner, 1))).flat()).toEqual([all[1]]);
    expect((await seqsOf(evaluationsBack(ports, inner, 1))).flat()).toEqual([all[1]]);
    expect(await seqsOf(evaluationsIn(ports, { ...whole, afterSeq: throughSeq }))).toEqual([]);
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
