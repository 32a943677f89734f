/** Approval: two persons of two roles sign exactly what was tried. */
import { afterEach, describe, expect, test } from 'vitest';
import { approvalMessage } from '#core/identity';
import { toTimestamp } from '#platform/clock';
import {
  activateDue,
  approveRiskPolicy,
  approverRole,
  countedApprovals,
  createRiskPolicy,
  editRiskPolicy,
  evaluateClient,
  rejectRiskPolicy,
  requirePolicy,
  riskPublicationSubject,
  SHIPPED_ID,
  submitPolicy,
  withdrawPolicy,
} from '#slices/risk';
import { stageOperations } from '../../../src/slices/risk/edge/stageRoutes.ts';
import { BY, CLI, TENANT } from './riskDesk.ts';
import {
  approve,
  by,
  closeDesks,
  desk2,
  JUSTIFICATION,
  open,
  signerOf,
  submitted,
} from './stagesDesk.ts';

afterEach(closeDesks);

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

  test('nobody approves what holds an edit of theirs, whoever edits it last', async () => {
    const desk = await open();
    const { ports } = desk;
    const first = await createRiskPolicy(ports, by('cora'), { name: 'Own' });
    // A copy of a draft is the work of whoever wrote the draft.
    const { policyId } = await createRiskPolicy(ports, by('carl'), {
      based_on: first.policyId,
      name: 'Copied',
    });
    expect((await requirePolicy(ports, { policyId, tenantId: TENANT })).editors).toEqual([
      'person:cora',
    ]);
    const edited = await editRiskPolicy(ports, { ...by('cora'), policyId: first.policyId }, {});
    expect(edited.editors).toBeUndefined();
    const next = await submitted(desk, {}, async (draft) => {
      await editRiskPolicy(ports, { ...by('cora'), policyId: draft }, { thresholds: { high: 44 } });
      await editRiskPolicy(ports, { ...by('carl'), policyId: draft }, { name: 'Countries II' });
    });
    await expect(approve(desk, 'cora', next)).rejects.toMatchObject({
      code: 'dual-control-same-person',
    });
    expect((await approve(desk, 'dina', next)).policy.approvals).toHaveLength(1);
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });

  test('who drafted it does not approve it where a former release named no editors', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    const policyId = await submitted(desk);
    await approve(desk, 'cora', policyId);
    const policy = await requirePolicy(ports, { policyId, tenantId: TENANT });
    const persons = await ports.listPersons(TENANT);
    const cora = persons.find(({ id }) => id === 'cora');
    if (cora === undefined) throw new Error('no cora');
    const known = { now: clock.now(), persons };
    expect(countedApprovals(policy, known)).toHaveLength(1);
    const hers = { ...policy, createdBy: 'person:cora' };
    expect(countedApprovals(hers, known)).toEqual([]);
    expect(() => approverRole(hers, cora)).toThrow(
      expect.objectContaining({ code: 'dual-control-same-person' }),
    );
  });

  test('a signature counts once, also for the same publication submitted again', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    const policyId = await submitted(desk);
    const first = await approve(desk, 'dina', policyId);
    const { shadowReport } = await withdrawPolicy(ports, { ...by('carl'), policyId });
    const { backtestReport } = await requirePolicy(ports, { policyId, tenantId: TENANT });
    clock.advance(60_000);
    await submitPolicy(
      ports,
      { ...by('carl'), policyId },
      {
        backtestReportId: backtestReport?.reportId ?? '',
        justification: JUSTIFICATION,
        shadowReportId: shadowReport?.reportId ?? '',
      },
    );
    await expect(first.again()).rejects.toMatchObject({ code: 'dual-control-replayed' });
    const { policy } = await approve(desk, 'dina', policyId);
    expect(policy).toMatchObject({ approvals: [{ personId: 'dina' }], status: 'PENDING_APPROVAL' });
  });

  test('a store that fails at the second approval has published nothing, or all', async () => {
    for (const isWritten of [false, true]) {
      const desk = await open();
      const { ports } = desk;
      const policyId = await submitted(desk);
      await approve(desk, 'cora', policyId);
      let fails = true;
      const commit: typeof ports.commit = async (...of) => {
        const sealed = isWritten || !fails ? await ports.commit(...of) : undefined;
        if (!fails && sealed) return sealed;
        fails = false;
        throw new Error('the process died');
      };
      const dying = { ...desk, ports: { ...ports, commit } };
      await expect(approve(dying, 'dina', policyId)).rejects.toThrow('the process died');
      const read = await requirePolicy(ports, { policyId, tenantId: TENANT });
      expect(read.status).toBe(isWritten ? 'published' : 'PENDING_APPROVAL');
      const again = approve(desk, 'dina', policyId);
      if (isWritten) await expect(again).rejects.toMatchObject({ code: 'state-conflict' });
      else expect((await again).policy.status).toBe('published');
      expect(await desk.entries('risk.policy.published')).toHaveLength(1);
      expect((await ports.inForce.of(TENANT)).policyId).toBe(policyId);
    }
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
