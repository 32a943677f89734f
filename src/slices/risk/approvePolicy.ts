/**
 * A policy is submitted with both reports and approved by two persons of two roles, neither of whom
 * wrote it. Both sign the same bytes: content, both reports, and from when on it decides. The
 * second approval publishes it in the same commit, so that none is signed and unpublished.
 */
import { type Actor, type EventDraft, entry, overwrite } from '#core/audit';
import {
  type DualControlSubject,
  otherSignerRoles,
  type Person,
  RISK_ROLE_PAIR,
  requireRolePair,
  signatureKey,
  type VerifiedSignature,
  verifySignature,
} from '#core/identity';
import { chainOf, DomainError, type TableChange } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { requirePerson } from '#slices/approvals';
import { commitStage, OUT_OF_SHADOW, requireStatus } from './changeStage.ts';
import { type RiskAsk, riskEditorOf } from './draftPolicy.ts';
import {
  nextPolicy,
  putPolicy,
  type RiskPolicyPlace,
  requireEtag,
  requirePolicy,
} from './policyRecord.ts';
import type { RiskDeskPorts } from './ports.ts';
import { publicationOf } from './publishPolicy.ts';
import { readRiskReport } from './riskReports.ts';
import { keepShadowReport, requireSound, type ShadowPorts, shadowMetrics } from './shadow.ts';
import { heldPolicies, policyTarget } from './signedRisk.ts';
import type { PolicyApproval, PolicyReport, PolicySubmission, RiskPolicy } from './tables.ts';

/** What somebody wants to have approved. */
export interface SubmitPolicy {
  readonly backtestReportId: string;
  readonly shadowReportId: string;
  readonly justification: string;
  /** RFC 3339; absent: at once. */
  readonly effective_at?: string;
}

/**
 * Waits for two approvals from now on. Throws `report-missing`, `report-stale`, `policy-invalid`,
 * `state-conflict`.
 */
export async function submitPolicy(
  ports: ShadowPorts,
  ask: RiskAsk & RiskPolicyPlace,
  given: SubmitPolicy,
): Promise<RiskPolicy> {
  const by = await riskEditorOf(ports, ask);
  return overwrite(async () => {
    const before = await requirePolicy(ports, ask);
    requireEtag(before, ask.isExpected);
    requireStatus(before, 'draft', 'shadow');
    requireSound(before);
    const at = ports.clock.now();
    const backtest = reportNamed(before, before.backtestReport, given.backtestReportId);
    const shadow = await shadowReportOf(ports, before, given.shadowReportId);
    const submission: PolicySubmission = {
      at,
      backtestSha256: backtest.sha256,
      by,
      justification: given.justification,
      shadowSha256: shadow.sha256,
      ...(given.effective_at !== undefined && { effectiveAt: given.effective_at }),
    };
    const change = { approvals: [], shadowReport: shadow, status: 'PENDING_APPROVAL', submission };
    return commitStage(ports, ask, {
      action: 'risk.policy.submitted',
      before,
      by,
      change: change as never,
      open: { justification: given.justification },
    });
  });
}

function reportNamed(
  { contentHash }: RiskPolicy,
  report: PolicyReport | undefined,
  reportId: string,
): PolicyReport {
  if (report?.reportId !== reportId) {
    throw new DomainError('report-missing', { detail: `expected the report ${reportId}` });
  }
  if (report.contentHash !== contentHash) throw new DomainError('report-stale');
  return report;
}

async function shadowReportOf(
  ports: ShadowPorts,
  policy: RiskPolicy,
  reportId: string,
): Promise<PolicyReport> {
  if (policy.shadow === undefined) {
    const kept = reportNamed(policy, policy.shadowReport, reportId);
    requireReady((await readRiskReport(ports, kept.sha256)) as { readonly ready?: boolean });
    return kept;
  }
  const metrics = await shadowMetrics(ports, policy);
  const report = await keepShadowReport(ports, metrics, ports.clock.now());
  requireReady(metrics);
  return reportNamed(policy, report, reportId);
}

function requireReady({ ready }: { readonly ready?: boolean }): void {
  if (ready === true) return;
  const detail = 'the policy was not long enough in shadow, or not for enough evaluations';
  throw new DomainError('report-missing', { detail });
}

/** The author of what is signed: a person’s id, else as entries name them. */
export const riskAuthorOf = ({ updatedBy }: Pick<RiskPolicy, 'updatedBy'>): string =>
  updatedBy.replace(/^person:/, '');

/** What both persons sign. Throws `state-conflict` where nothing was submitted. */
export function riskPublicationSubject(policy: RiskPolicy): DualControlSubject {
  const { contentHash, policyId, submission } = policy;
  if (submission === undefined) {
    throw new DomainError('state-conflict', { detail: 'expected a policy that was submitted' });
  }
  return {
    field: 'publish',
    newValue: {
      backtest_sha256: submission.backtestSha256,
      content_hash: contentHash,
      effective_at: submission.effectiveAt ?? null,
      shadow_sha256: submission.shadowSha256,
    },
    resource: `risk-policy:${policyId}`,
  };
}

/** What an approver sends. */
export interface GivenApproval {
  readonly signature: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
  readonly comment: string;
}

/** Throws `dual-control-…`, `state-conflict`. */
export async function approveRiskPolicy(
  ports: RiskDeskPorts,
  ask: RiskAsk & RiskPolicyPlace,
  given: GivenApproval,
): Promise<RiskPolicy> {
  const attempt = async (): Promise<RiskPolicy> => {
    const before = await requirePolicy(ports, ask);
    requireEtag(before, ask.isExpected);
    requireStatus(before, 'PENDING_APPROVAL');
    const persons = await ports.listPersons(ask.tenantId);
    const now = ports.clock.now();
    const { approval, person, verified } = verifiedApproval(before, ask, { given, now, persons });
    const standing = countedApprovals(before, { now, persons });
    requireOther(person, standing);
    const approvals = [...standing.map((one) => one.approval), approval];
    return commitApproval(ports, ask, { approvals, before, by: person, verified });
  };
  return overwrite(attempt, {
    mayRepeat: ({ changeIndex }) => {
      if (changeIndex === 0) throw new DomainError('dual-control-replayed');
      return true;
    },
  });
}

interface Known {
  readonly now: EpochMs;
  readonly persons: readonly Person[];
}
interface Counted {
  readonly approval: PolicyApproval;
  readonly person: Person;
}

function verifiedApproval(
  policy: RiskPolicy,
  { principal, tenantId }: RiskAsk,
  { given, now, persons }: Known & { readonly given: GivenApproval },
): Counted & { readonly verified: VerifiedSignature } {
  if (principal.kind === 'cli') throw new DomainError('person-required');
  const person = requirePerson(principal, persons);
  const author = riskAuthorOf(policy);
  if (person.id === author || policy.submission?.by === `person:${person.id}`) {
    const detail = 'whoever wrote or submitted a policy does not approve it';
    throw new DomainError('dual-control-same-person', { detail });
  }
  const role = PAIR_ROLES.find((one) => person.roles.includes(one));
  if (role === undefined || otherSignerRoles(person, RISK_ROLE_PAIR).length === 0) {
    const detail = `expected a signer with one of the roles ${PAIR_ROLES.join(', ')}`;
    throw new DomainError('dual-control-roles', { detail });
  }
  const { comment, signature, timestamp } = given;
  const subject = riskPublicationSubject(policy);
  const of = { author, now, signature, signer: person, subject, tenantId, timestamp };
  const verified = verifySignature(of);
  const approval: PolicyApproval = {
    at: now,
    comment,
    keyId: verified.keyId,
    personId: person.id,
    role,
    signature,
    timestamp,
  };
  return { approval, person, verified };
}

const PAIR_ROLES = [...RISK_ROLE_PAIR.first, ...RISK_ROLE_PAIR.second];

/** Approvals that count still: the signer holds a role, with a key that is not revoked. */
function countedApprovals(policy: RiskPolicy, { now, persons }: Known): readonly Counted[] {
  const subject = riskPublicationSubject(policy);
  const author = riskAuthorOf(policy);
  return (policy.approvals ?? []).flatMap((approval) => {
    const person = persons.find(({ id }) => id === approval.personId);
    if (person === undefined || otherSignerRoles(person, RISK_ROLE_PAIR).length === 0) return [];
    const { signature, timestamp } = approval;
    const key = signatureKey({ author, now, signature, signer: person, subject, timestamp });
    return key === undefined ? [] : [{ approval, person }];
  });
}

/** Throws where the same person, or another one of the same role alone, has approved. */
function requireOther(person: Person, standing: readonly Counted[]): void {
  for (const other of standing) {
    if (other.person.id === person.id) {
      const detail = 'expected the approvals of two persons';
      throw new DomainError('dual-control-same-person', { detail });
    }
    requireRolePair(other.person, person, RISK_ROLE_PAIR);
  }
}

async function commitApproval(
  ports: RiskDeskPorts,
  { idempotency, ip }: RiskAsk,
  of: {
    readonly approvals: readonly PolicyApproval[];
    readonly before: RiskPolicy;
    readonly by: Person;
    readonly verified: VerifiedSignature;
  },
): Promise<RiskPolicy> {
  const { approvals, before, by, verified } = of;
  const actor: Actor = `person:${by.id}`;
  const approved = nextPolicy(before, { approvals, updatedAt: ports.clock.now() });
  const step: {
    readonly changes: readonly TableChange[];
    readonly events: readonly EventDraft[];
    readonly record: RiskPolicy;
  } =
    approvals.length === 2
      ? await publicationOf(ports, { actor, before, ip, record: approved })
      : {
          changes: [putPolicy(before, approved)],
          events: [
            entry(ports, {
              action: 'risk.policy.approved',
              actor,
              members: {
                ...heldPolicies(approved),
                approvals: approvals.map(presentApproval),
                content_hash: approved.contentHash,
              },
              target: policyTarget(approved),
              ...(ip !== undefined && { ip }),
            }),
          ],
          record: approved,
        };
  const { record } = step;
  await ports.commit(chainOf(record.tenantId), {
    bus: [],
    changes: [verified.consume, ...step.changes],
    events: step.events,
    ...(idempotency !== undefined && { idempotency: () => idempotency(record) }),
  });
  return record;
}

/** An approval as it stands in evidence; its comment is free text, and stands in the record. */
export const presentApproval = ({
  keyId,
  personId,
  role,
  signature,
  timestamp,
}: PolicyApproval) => ({
  key_id: keyId,
  person_id: personId,
  role,
  signature,
  timestamp,
});

/** Throws `comment-too-short`, `dual-control-…`, `state-conflict`. */
export async function rejectRiskPolicy(
  ports: RiskDeskPorts,
  ask: RiskAsk & RiskPolicyPlace,
  comment: string,
): Promise<RiskPolicy> {
  const { principal, tenantId } = ask;
  if (principal.kind === 'cli') throw new DomainError('person-required');
  const person = requirePerson(principal, await ports.listPersons(tenantId));
  if (!PAIR_ROLES.some((role) => person.roles.includes(role))) {
    throw new DomainError('role-insufficient');
  }
  return overwrite(async () => {
    const before = await requirePolicy(ports, ask);
    requireEtag(before, ask.isExpected);
    requireStatus(before, 'PENDING_APPROVAL');
    if (person.id === riskAuthorOf(before)) {
      const detail = 'the author withdraws a policy, and does not reject it';
      throw new DomainError('dual-control-same-person', { detail });
    }
    return commitStage(ports, ask, {
      action: 'risk.policy.rejected',
      before,
      by: `person:${person.id}`,
      change: { ...ENDED, status: 'REJECTED' },
      open: { comment },
    });
  });
}

const ENDED = { ...OUT_OF_SHADOW, approvals: undefined, submission: undefined } as const;

/** By whoever wrote or submitted it; it is a draft again. Throws `role-insufficient`. */
export async function withdrawPolicy(
  ports: RiskDeskPorts,
  ask: RiskAsk & RiskPolicyPlace,
): Promise<RiskPolicy> {
  const by = await riskEditorOf(ports, ask);
  return overwrite(async () => {
    const before = await requirePolicy(ports, ask);
    requireEtag(before, ask.isExpected);
    requireStatus(before, 'PENDING_APPROVAL');
    if (by !== before.updatedBy && by !== before.submission?.by && !by.startsWith('cli:')) {
      throw new DomainError('role-insufficient');
    }
    const action = 'risk.policy.withdrawn';
    return commitStage(ports, ask, { action, before, by, change: { ...ENDED, status: 'draft' } });
  });
}
