/**
 * Approvals that are given at `/v1/approvals` (decision 8.6): the last editor asks once the policy
 * was submitted, and both approvers sign the very bytes of `POST …/approve` there. The first
 * signature is kept, and the request waits for the second, which publishes.
 */
import type { AppliedChange, ApprovedBy, ShownChange } from '#core/identity';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { requireUnlocked } from '#slices/policies';
import {
  approverRole,
  commitApproval,
  countedApprovals,
  requireOther,
  riskPublicationSubject,
} from './approvePolicy.ts';
import { requireStatus } from './changeStage.ts';
import { checkContent } from './checkContent.ts';
import { contentChanges } from './contentChanges.ts';
import { SHIPPED } from './policyContent.ts';
import { type RiskPolicyPlace, requirePolicy } from './policyRecord.ts';
import type { RiskDeskPorts } from './ports.ts';
import { readRiskReport } from './riskReports.ts';
import type { PolicyApproval, RiskPolicy } from './tables.ts';

const APPROVERS = 2;

/** Which publication is meant: with other reports or another day it is another one. */
export type AskedPolicy = RiskPolicyPlace & { readonly newValue: unknown };

/** Throws `policy-unknown`, `audit-chain-broken`, `state-conflict`. */
export async function submittedPolicy(
  ports: RiskDeskPorts,
  { newValue, ...place }: AskedPolicy,
): Promise<RiskPolicy> {
  await requireUnlocked(ports, place.tenantId);
  const policy = await requirePolicy(ports, place);
  requireStatus(policy, 'PENDING_APPROVAL');
  const subject = riskPublicationSubject(policy);
  if (canonicalJson(subject.newValue as never) === canonicalJson(newValue as never)) return policy;
  throw new DomainError('state-conflict', { detail: 'what was submitted is another publication' });
}

/**
 * Old and new for whoever signs: what changes of the policy in force, and what both reports say,
 * with their strongest movers. Throws `blob-damaged`.
 */
export async function shownPolicy(ports: RiskDeskPorts, policy: RiskPolicy): Promise<ShownChange> {
  const { content, editors = [], submission, tenantId, updatedBy } = policy;
  const active = await ports.signed.inForce(tenantId);
  const before = active?.content ?? SHIPPED;
  return {
    about: {
      author: updatedBy,
      changes: contentChanges(before, content),
      content,
      content_in_force: before,
      editors,
      effective_at: submission?.effectiveAt ?? null,
      justification: submission?.justification ?? null,
      reports: {
        backtest: submission && (await readRiskReport(ports, submission.backtestSha256)),
        shadow: submission && (await readRiskReport(ports, submission.shadowSha256)),
      },
      signatures: {
        content_hash: policy.contentHash,
        needed: APPROVERS,
      },
      warnings: checkContent(content).warnings,
    },
    new: riskPublicationSubject(policy).newValue,
    old:
      active === undefined
        ? null
        : { content_hash: active.contentHash, policy_id: active.policyId },
  };
}

/** Signatures that are missing still. */
export async function approvalsLeft(ports: RiskDeskPorts, policy: RiskPolicy): Promise<number> {
  const persons = await ports.listPersons(policy.tenantId);
  return APPROVERS - countedApprovals(policy, { now: ports.clock.now(), persons }).length;
}

/** Keeps the approval; the second one publishes. Throws `dual-control-…`, `state-conflict`. */
export async function approveAsked(
  ports: RiskDeskPorts,
  of: AskedPolicy & {
    readonly answerOf: (policy: RiskPolicy) => AppliedChange;
    readonly by: ApprovedBy;
  },
): Promise<RiskPolicy> {
  const { answerOf, by } = of;
  const before = await submittedPolicy(ports, of);
  const { approver, keyId, signature, timestamp } = by.approval;
  const now = ports.clock.now();
  const approval: PolicyApproval = {
    at: now,
    comment: by.reason,
    keyId,
    personId: approver.id,
    role: approverRole(before, approver),
    signature,
    timestamp,
  };
  const persons = await ports.listPersons(of.tenantId);
  const standing = countedApprovals(before, { now, persons });
  requireOther(approver, standing);
  const { alongside, idempotency, ip } = by;
  return commitApproval(
    ports,
    {
      ...(idempotency && { idempotency: (made: RiskPolicy) => idempotency(answerOf(made)) }),
      ...(ip !== undefined && { ip }),
    },
    {
      alongside,
      approvals: [...standing.map((one) => one.approval), approval],
      before,
      by: approver,
      verified: by.approval,
    },
  );
}
