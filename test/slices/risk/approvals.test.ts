/** Shadow, backtest and approval: two persons of two roles sign exactly what was tried. */
import { afterEach, describe, expect, test } from 'vitest';
import { approvalMessage } from '#core/identity';
import { type Hold, Hold as WorkHold } from '#core/work';
import { toTimestamp } from '#platform/clock';
import { signerFromSeed, verifyEd25519 } from '#platform/crypto';
import { type ApprovalPorts, askForChange, signRequest } from '#slices/approvals';
import { patchCase } from '#slices/customers';
import {
  activateDue,
  activateShadow,
  approveRiskPolicy,
  backtestShare,
  createRiskPolicy,
  deactivateShadow,
  editRiskPolicy,
  evaluateClient,
  findRiskBacktest,
  quarterOf,
  type RiskBacktest,
  readRiskReport,
  rejectRiskPolicy,
  remindApprovers,
  reportMessage,
  requestRiskBacktest,
  requirePolicy,
  riskAuthorOf,
  riskBacktestTable,
  riskPublicationSubject,
  runRiskBacktest,
  SHIPPED_ID,
  shadowMetrics,
  submitPolicy,
  withdrawPolicy,
} from '#slices/risk';
import { approvals } from '../../../src/slices/risk/edge/approvals.ts';
import { stageOperations } from '../../../src/slices/risk/edge/stageRoutes.ts';
import { BY, CLI, callerOf, openRiskDesk, person, type RiskDesk, TENANT } from './riskDesk.ts';

const SEEDS = { carl: 1, cora: 2, dina: 3, dora: 4 } as const;
type Name = keyof typeof SEEDS;
const ROLE = {
  carl: 'compliance_officer',
  cora: 'compliance_director',
  dina: 'dsi_admin',
  dora: 'dsi_admin',
} as const;
const signerOf = (name: Name) => signerFromSeed(new Uint8Array(32).fill(SEEDS[name]));
const PERSONS = (Object.keys(SEEDS) as Name[]).map((name) => ({
  ...person(name, ROLE[name]),
  keys: [
    {
      keyId: `key-${name}`,
      publicKey: Buffer.from(signerOf(name).publicKey.raw).toString('base64'),
      validFrom: 0 as never,
    },
  ],
}));
const JUSTIFICATION = 'Countries of high risk weigh more since the decision of the board in June';

let desks: RiskDesk[] = [];
afterEach(async () => {
  for (const desk of desks) await desk.close();
  desks = [];
});

async function open() {
  const desk = await openRiskDesk(PERSONS);
  desks.push(desk);
  return desk;
}

const by = (name: Name) => ({ principal: callerOf(name, ROLE[name]), tenantId: TENANT });

/** Works the one open backtest off, as a worker does. */
async function work(desk: RiskDesk): Promise<void> {
  const { ports, tables } = desk;
  const [lane] = await tables.lanes(riskBacktestTable, { limit: 1, now: desk.clock.now() });
  const ask = { holder: 'test', lane: lane ?? [], limit: 1, now: desk.clock.now() };
  const [leased] = await tables.lease(riskBacktestTable, ask);
  if (leased === undefined) throw new Error('nothing to do');
  const times = { leaseMs: 60_000, renewMs: 20_000 };
  const hold: Hold<RiskBacktest, 'btrId' | 'tenantId'> = new WorkHold(
    { clock: desk.clock, tables },
    riskBacktestTable,
    leased,
    { times },
  );
  await runRiskBacktest(ports, hold);
  await hold.end();
}

/** Three clients, evaluated; one of them moves when countries weigh more. */
async function withClients(desk: RiskDesk): Promise<void> {
  for (const [ref, country] of [
    ['client-1', 'TN'],
    ['client-2', 'KP'],
    ['client-3', 'VE'],
  ] as const) {
    const { caseId } = await desk.newClient(ref, { country_residence: country });
    await evaluateClient(desk.ports, { ...BY, caseId, isAsked: true });
    desk.clock.advance(1);
  }
}

/** A draft of Carl’s with both reports, submitted. */
async function submitted(desk: RiskDesk, more: { readonly effective_at?: string } = {}) {
  const { clock, ports } = desk;
  const { policyId } = await createRiskPolicy(ports, by('carl'), {
    name: 'Countries',
    thresholds: { high: 45, standard: 25 },
  });
  const place = { policyId, tenantId: TENANT };
  await activateShadow(ports, { ...by('carl'), policyId });
  await withClients(desk);
  await requestRiskBacktest(
    ports,
    { ...by('carl'), policyId },
    { from: 0 as never, to: (clock.now() + 1) as never },
  );
  await work(desk);
  const tried = await requirePolicy(ports, place);
  await submitPolicy(
    ports,
    { ...by('carl'), policyId },
    {
      backtestReportId: tried.backtestReport?.reportId ?? '',
      justification: JUSTIFICATION,
      shadowReportId: tried.shadow?.shadowReportId ?? '',
      ...more,
    },
  );
  return policyId;
}

async function approve(desk: RiskDesk, name: Name, policyId: string, comment = 'Looked at both') {
  const { clock, ports } = desk;
  const policy = await requirePolicy(ports, { policyId, tenantId: TENANT });
  const timestamp = toTimestamp(clock.now());
  const message = approvalMessage(riskPublicationSubject(policy), {
    approver: name,
    author: riskAuthorOf(policy),
    timestamp,
  });
  const signature = Buffer.from(signerOf(name).sign(message)).toString('base64');
  const given = { comment, signature, timestamp };
  const again = () => approveRiskPolicy(ports, { ...by(name), policyId }, given);
  return { again, policy: await again() };
}

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

describe('a backtest whose workers die', () => {
  test('comes to the same report and the same pages as one that was never interrupted', async () => {
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

describe('approval', () => {
  test('two persons of two roles publish it, and the next evaluation is by it', async () => {
    const desk = await open();
    const { clock, entries, ports } = desk;
    const policyId = await submitted(desk);
    const first = await approve(desk, 'cora', policyId);
    expect(first.policy).toMatchObject({ approvals: [{ personId: 'cora' }] });
    await expect(first.again()).rejects.toMatchObject({ code: 'dual-control-same-person' });
    await expect(approve(desk, 'carl', policyId)).rejects.toMatchObject({
      code: 'dual-control-same-person',
    });
    const { policy } = await approve(desk, 'dina', policyId);
    expect(policy).toMatchObject({ policyVersion: 2, standing: 'in_force', status: 'published' });
    expect((await ports.inForce.of(TENANT)).policyId).toBe(policyId);
    expect((await requirePolicy(ports, { policyId: SHIPPED_ID, tenantId: TENANT })).status).toBe(
      'archived',
    );
    const { evaluation } = await evaluateClient(ports, {
      ...BY,
      externalRef: 'client-1',
      isAsked: true,
    });
    expect(evaluation.members).toMatchObject({ policy_id: policyId, policy_version: 2 });
    expect(await entries('risk.policy.published')).toMatchObject([
      { approvals: [{ person_id: 'cora' }, { person_id: 'dina' }], policy_version: 2 },
    ]);
    await expect(editRiskPolicy(ports, { ...CLI, policyId }, {})).rejects.toMatchObject({
      code: 'policy-immutable',
    });
    clock.advance(1);
    const next = await submitted(desk2(desk));
    await approve(desk, 'dora', next);
    await approve(desk, 'cora', next);
    const former = await requirePolicy(ports, { policyId, tenantId: TENANT });
    expect(former).toMatchObject({ policyVersion: 2, status: 'archived' });
    expect((await ports.inForce.of(TENANT)).policyVersion).toBe(3);
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });

  test('one role twice, another content, no reports, two at once', async () => {
    const desk = await open();
    const { ports } = desk;
    const policyId = await submitted(desk);
    const seen = await requirePolicy(ports, { policyId, tenantId: TENANT });
    const stamp = toTimestamp(desk.clock.now());
    const other = { ...seen, contentHash: 'f'.repeat(64) };
    const message = approvalMessage(riskPublicationSubject(other), {
      approver: 'cora',
      author: 'carl',
      timestamp: stamp,
    });
    const signature = Buffer.from(signerOf('cora').sign(message)).toString('base64');
    const wrong = { comment: 'Yes', signature, timestamp: stamp };
    await expect(
      approveRiskPolicy(ports, { ...by('cora'), policyId }, wrong),
    ).rejects.toMatchObject({ code: 'dual-control-signature-invalid' });
    await approve(desk, 'dina', policyId);
    await expect(approve(desk, 'dora', policyId)).rejects.toMatchObject({
      code: 'dual-control-roles',
    });
    const both = await Promise.allSettled([
      approve(desk, 'cora', policyId),
      approve(desk, 'cora', policyId),
    ]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await desk.entries('risk.policy.published')).toHaveLength(1);
    const bare = await createRiskPolicy(ports, CLI, { name: 'Bare' });
    const nothing = { backtestReportId: 'x', justification: JUSTIFICATION, shadowReportId: 'y' };
    await expect(
      submitPolicy(ports, { ...CLI, policyId: bare.policyId }, nothing),
    ).rejects.toMatchObject({ code: 'report-missing' });
  });

  test('rejected or withdrawn it may be edited, and old reports do not count', async () => {
    const desk = await open();
    const { ports } = desk;
    const policyId = await submitted(desk);
    const ask = { ...by('carl'), policyId };
    await expect(editRiskPolicy(ports, ask, {})).rejects.toMatchObject({ code: 'state-conflict' });
    expect((await withdrawPolicy(ports, ask)).status).toBe('draft');
    const { backtestReport } = await editRiskPolicy(ports, ask, { thresholds: { high: 46 } });
    await expect(
      submitPolicy(ports, ask, {
        backtestReportId: backtestReport?.reportId ?? '',
        justification: JUSTIFICATION,
        shadowReportId: 'x',
      }),
    ).rejects.toMatchObject({ code: 'report-stale' });
    const next = await submitted(desk2(desk));
    const rejected = await rejectRiskPolicy(
      ports,
      { ...by('dina'), policyId: next },
      'No. '.repeat(30),
    );
    expect(rejected).toMatchObject({ status: 'REJECTED' });
    const edited = await editRiskPolicy(ports, { ...by('carl'), policyId: next }, { name: 'Anew' });
    expect(edited.status).toBe('draft');
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });

  test('published for a day to come it waits for it', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    const at = clock.now() + 3_600_000;
    const policyId = await submitted(desk, { effective_at: toTimestamp(at as never) });
    await approve(desk, 'cora', policyId);
    const { policy } = await approve(desk, 'dina', policyId);
    expect(policy).toMatchObject({ standing: 'scheduled', status: 'published' });
    expect(await activateDue(ports)).toBe(0);
    expect((await ports.inForce.of(TENANT)).policyId).toBe(SHIPPED_ID);
    clock.advance(3_600_000);
    expect(await activateDue(ports)).toBe(1);
    expect((await ports.inForce.of(TENANT)).policyId).toBe(policyId);
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });

  test('waiting for its day it can be withdrawn, and the next one has its number', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    const far = toTimestamp((clock.now() + 400 * 86_400_000) as never);
    await expect(submitted(desk, { effective_at: far })).rejects.toMatchObject({
      code: 'body-invalid',
      violations: [{ pointer: '/effective_at' }],
    });
    const at = toTimestamp((clock.now() + 3_600_000) as never);
    const policyId = await submitted(desk2(desk), { effective_at: at });
    await approve(desk, 'cora', policyId);
    await approve(desk, 'dina', policyId);
    const withdrawn = await withdrawPolicy(ports, { ...by('carl'), policyId });
    expect(withdrawn).toMatchObject({ status: 'draft' });
    expect(withdrawn.standing).toBeUndefined();
    clock.advance(3_600_000);
    expect(await activateDue(ports)).toBe(0);
    expect((await ports.inForce.of(TENANT)).policyId).toBe(SHIPPED_ID);
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });

  test('while the chain is broken nothing of a policy changes', async () => {
    const desk = await open();
    const { ports } = desk;
    const policyId = await submitted(desk);
    desk.lock.broken = { seq: 7 };
    const locked = { code: 'audit-chain-broken' };
    const ask = { ...by('carl'), policyId };
    await expect(createRiskPolicy(ports, by('carl'), { name: 'N' })).rejects.toMatchObject(locked);
    await expect(withdrawPolicy(ports, ask)).rejects.toMatchObject(locked);
    await expect(approve(desk, 'cora', policyId)).rejects.toMatchObject(locked);
    desk.lock.broken = undefined;
    expect((await approve(desk, 'cora', policyId)).policy.approvals).toHaveLength(1);
  });

  test('is reminded of every 48 hours and escalated on day 7, each once', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    const policyId = await submitted(desk);
    const HOUR_MS = 3_600_000;
    const remind = () => Promise.all([remindApprovers(ports), remindApprovers(ports)]);
    expect(await remind()).toEqual([0, 0]);
    clock.advance(48 * HOUR_MS);
    await remind();
    clock.advance(-30 * HOUR_MS);
    await remind();
    expect(await desk.entries('risk.policy.reminded')).toMatchObject([
      { missing_roles: ['compliance_director', 'dsi_admin'], step: 1 },
    ]);
    await approve(desk, 'cora', policyId);
    // Three steps at once: the last one counts.
    clock.advance(160 * HOUR_MS);
    await remind();
    await remind();
    clock.advance(20 * HOUR_MS);
    await remind();
    expect(await desk.entries('risk.policy.reminded')).toMatchObject([
      { escalated: false, step: 1 },
      { escalated: true, missing_roles: ['dsi_admin'], step: 3 },
      { escalated: false, step: 4 },
    ]);
    await approve(desk, 'dina', policyId);
    clock.advance(48 * HOUR_MS);
    expect(await remind()).toEqual([0, 0]);
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });

  test('one login of the command line hands in one of the two signatures', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    const policyId = await submitted(desk);
    const handIn = async (operator: string, name: Name) => {
      const policy = await requirePolicy(ports, { policyId, tenantId: TENANT });
      const timestamp = toTimestamp(clock.now());
      const signers = { approver: name, author: riskAuthorOf(policy), timestamp };
      const message = approvalMessage(riskPublicationSubject(policy), signers);
      const signature = Buffer.from(signerOf(name).sign(message)).toString('base64');
      const principal = { actor: `cli:${operator}`, kind: 'cli' } as const;
      const given = { comment: 'Agreed', signature, signer: name, timestamp };
      return approveRiskPolicy(ports, { policyId, principal, tenantId: TENANT }, given);
    };
    await handIn('ops1', 'cora');
    await expect(handIn('ops1', 'dina')).rejects.toMatchObject({
      code: 'dual-control-same-person',
    });
    expect((await handIn('ops2', 'dina')).status).toBe('published');
  });

  test('in the inbox both approvers sign one request, and the author none', async () => {
    const desk = await open();
    const { ports, store, tables } = desk;
    const policyId = await submitted(desk);
    const process = { once: () => ports } as never;
    const approvable = approvals(process)['risk-policy'];
    if (approvable === undefined) throw new Error('expected an approvable');
    const inbox: ApprovalPorts = {
      ...ports,
      approvableOf: async () => ({ approvable, id: policyId }),
      audit: store,
      tables,
    };
    const policy = await requirePolicy(ports, { policyId, tenantId: TENANT });
    const { field, newValue, resource } = riskPublicationSubject(policy);
    const wanted = {
      field,
      newValue: newValue as never,
      reason: 'Both reports are there',
      resource,
    };
    await expect(
      askForChange(inbox, { ...wanted, principal: callerOf('cora', ROLE.cora) }),
    ).rejects.toMatchObject({ code: 'dual-control-roles' });
    const asked = await askForChange(inbox, { ...wanted, principal: by('carl').principal });
    expect(asked.signerRoles).toEqual(['compliance_director', 'dsi_admin']);
    const sign = (name: Name) => {
      const timestamp = toTimestamp(desk.clock.now());
      const signers = { approver: name, author: 'carl', timestamp };
      const message = approvalMessage(riskPublicationSubject(policy), signers);
      const signature = Buffer.from(signerOf(name).sign(message)).toString('base64');
      const { approvalId } = asked;
      const { principal, tenantId } = by(name);
      return signRequest(inbox, { approvalId, principal, signature, tenantId, timestamp });
    };
    await expect(sign('carl')).rejects.toMatchObject({ code: 'dual-control-same-person' });
    const first = await sign('dina');
    expect(first.request.state).toBe('open');
    await expect(sign('dora')).rejects.toMatchObject({ code: 'dual-control-roles' });
    const second = await sign('cora');
    expect(second.request).toMatchObject({ endedBy: 'cora', state: 'applied' });
    expect((await ports.inForce.of(TENANT)).policyId).toBe(policyId);
    expect(await desk.entries('APPROVAL_SIGNED')).toHaveLength(1);
    expect(await desk.entries('APPROVAL_APPLIED')).toHaveLength(1);
  });

  test('an answer of a publication is kept under the key of its caller', async () => {
    const desk = await open();
    const { clock, ports, store } = desk;
    const at = clock.now() + 3_600_000;
    const policyId = await submitted(desk, { effective_at: toTimestamp(at as never) });
    await approve(desk, 'cora', policyId);
    await approve(desk, 'dina', policyId);
    clock.advance(3_600_000);
    const options = { ports: () => ports } as never;
    const publish = stageOperations(options).find(({ id }) => id === 'publishRiskPolicy');
    const idempotency = { fingerprint: 'f'.repeat(64), scope: 'a'.repeat(64) };
    const params = { policy_id: policyId };
    const answer = await publish?.handle({ ...by('carl'), idempotency, ip: '', params } as never);
    expect(await store.findIdempotency(idempotency.scope, 0 as never)).toMatchObject({
      answer: { body: answer?.body, status: 200 },
    });
  });
});

/** The same desk, with clients of other names. */
const desk2 = (desk: RiskDesk): RiskDesk => ({
  ...desk,
  newClient: (ref, subject) => desk.newClient(`second-${ref}`, subject),
});
