/** Who approves a policy: reminded, at the command line, and in the inbox. */
import { afterEach, describe, expect, test } from 'vitest';
import { approvalMessage, signedAuthorOf } from '#core/identity';
import { toTimestamp } from '#platform/clock';
import { type ApprovalPorts, askForChange, signRequest } from '#slices/approvals';
import {
  approveRiskPolicy,
  remindApprovers,
  requirePolicy,
  riskPublicationSubject,
  signedRisk,
} from '#slices/risk';
import { approvals } from '../../../src/slices/risk/edge/approvals.ts';
import { callerOf, TENANT } from './riskDesk.ts';
import {
  approve,
  by,
  closeDesks,
  type Name,
  open,
  ROLE,
  signerOf,
  submitted,
} from './stagesDesk.ts';

afterEach(closeDesks);

describe('approvers', () => {
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

  test('by two workers whose clocks jump an hour each step is told once, on its time', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    const policyId = await submitted(desk);
    const HOUR_MS = 3_600_000;
    const { at } = (await requirePolicy(ports, { policyId, tenantId: TENANT })).submission ?? {};
    const begun = at ?? clock.now();
    const workers = [-HOUR_MS, HOUR_MS].map((jump, nth) => {
      // What a process knows is its own.
      const signed = signedRisk({
        audit: desk.store,
        clock,
        keyRing: ports.keyRing,
        tables: desk.tables,
      });
      let looks = 0;
      const now = () => (clock.now() + (looks++ % 3 === nth ? jump : 0)) as never;
      const monotonicMs = () => clock.monotonicMs();
      return { ...ports, clock: { monotonicMs, now }, signed };
    });
    for (let hour = 0; hour <= 200; hour++) {
      await Promise.all(workers.map((worker) => remindApprovers(worker)));
      clock.advance(HOUR_MS);
    }
    const told = await desk.entries('risk.policy.reminded');
    expect(told.map(({ escalated, step }) => [escalated, step])).toEqual([
      [false, 1],
      [false, 2],
      [false, 3],
      [true, 3],
      [false, 4],
    ]);
    for (const [place, due] of [48, 96, 144, 168, 192].entries()) {
      const hours = (Date.parse(String(told[place]?.occurred_at)) - begun) / HOUR_MS;
      expect(Math.abs(hours - due)).toBeLessThanOrEqual(1);
    }
  });

  test('one login of the command line hands in one of the two signatures', async () => {
    const desk = await open();
    const { clock, ports } = desk;
    const policyId = await submitted(desk);
    const handIn = async (operator: string, name: Name) => {
      const policy = await requirePolicy(ports, { policyId, tenantId: TENANT });
      const timestamp = toTimestamp(clock.now());
      const signers = { approver: name, author: signedAuthorOf(policy), timestamp };
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
});
