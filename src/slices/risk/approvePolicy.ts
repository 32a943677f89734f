/**
 * A submitted policy is approved by two persons of two roles, neither of whom wrote it. Both sign
 * the same bytes: content, both reports, and from when on it decides. The second approval publishes
 * it in the same commit, so that none is signed and unpublished.
 */
import { type Actor, type Commit, type EventDraft, entry, overwrite } from '#core/audit';
import {
  type DualControlSubject,
  otherSignerRoles,
  type Person,
  RISK_ROLE_PAIR,
  type Role,
  requireRolePair,
  requireSigner,
  signatureKey,
  signedAuthorOf,
  type VerifiedSignature,
  verifySignature,
} from '#core/identity';
import { chainOf, DomainError, type TableChange } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { requirePerson } from '#slices/approvals';
import { requireUnlocked } from '#slices/policies';
import { commitStage, OUT_OF_SHADOW, requireStatus } from './changeStage.ts';
import { type RiskAsk, riskEditorOf } from './draftPolicy.ts';
import {
  nextPolicy,
  presentApproval,
  putPolicy,
  type RiskPolicyPlace,
  requireEtag,
  requirePolicy,
} from './policyRecord.ts';
import type { RiskDeskPorts } from './ports.ts';
import { publicationOf } from './publishPolicy.ts';
import { decidedEvent } from './remindApprovers.ts';
import { heldPolicies, policyTarget } from './signedRisk.ts';
import type { PolicyApproval, RiskPolicy } from './tables.ts';

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
  /** Person id, at the command line; absent: the caller. */
  readonly signer?: string;
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
    await requireUnlocked(ports, ask.tenantId);
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
  const person =
    principal.kind === 'cli'
      ? signerHandedIn(policy, principal.actor, { given, persons })
      : requirePerson(principal, persons);
  const author = signedAuthorOf(policy);
  const role = approverRole(policy, person);
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
    ...(principal.kind === 'cli' && { handedInBy: principal.actor }),
  };
  return { approval, person, verified };
}

/**
 * Whose signature an operator hands in. One login stands for one person: it hands in one of the two
 * signatures, and none of a policy that it wrote or submitted.
 */
function signerHandedIn(
  policy: RiskPolicy,
  operator: Actor,
  { given, persons }: Pick<Known, 'persons'> & { readonly given: GivenApproval },
): Person {
  const { approvals = [] } = policy;
  if (isOwnWork(policy, operator)) {
    const detail = `${operator} wrote or submitted the policy: another login hands approvals in`;
    throw new DomainError('dual-control-same-person', { detail });
  }
  if (approvals.some(({ handedInBy }) => handedInBy === operator)) {
    const detail = `${operator} has handed in the other approval: another login hands this one in`;
    throw new DomainError('dual-control-same-person', { detail });
  }
  const person = persons.find(({ id }) => id === given.signer);
  if (person !== undefined) return person;
  const detail = 'the signer is not registered';
  throw new DomainError('dual-control-signature-invalid', { detail });
}

/** Also an edit before the last one: what it changed is in what is signed. */
const isOwnWork = (
  { createdBy, editors = [], submission, updatedBy }: RiskPolicy,
  actor: Actor,
): boolean => [createdBy, updatedBy, submission?.by, ...editors].includes(actor);

/** Throws `dual-control-same-person`, `dual-control-roles`. */
export function approverRole(policy: RiskPolicy, person: Person): Role {
  if (isOwnWork(policy, `person:${person.id}`)) {
    const detail = 'whoever wrote or submitted a policy does not approve it';
    throw new DomainError('dual-control-same-person', { detail });
  }
  requireSigner(person, RISK_ROLE_PAIR);
  const role = PAIR_ROLES.find((one) => person.roles.includes(one));
  if (role === undefined) throw new DomainError('dual-control-roles');
  return role;
}

const PAIR_ROLES = [...RISK_ROLE_PAIR.first, ...RISK_ROLE_PAIR.second];

/** Approvals that count still: the signer holds a role, with a key that is not revoked. */
export function countedApprovals(policy: RiskPolicy, { now, persons }: Known): readonly Counted[] {
  const subject = riskPublicationSubject(policy);
  const author = signedAuthorOf(policy);
  return (policy.approvals ?? []).flatMap((approval) => {
    const person = persons.find(({ id }) => id === approval.personId);
    if (person === undefined || otherSignerRoles(person, RISK_ROLE_PAIR).length === 0) return [];
    // A former release took it.
    if (isOwnWork(policy, `person:${person.id}`)) return [];
    const { signature, timestamp } = approval;
    const key = signatureKey({ author, now, signature, signer: person, subject, timestamp });
    return key === undefined ? [] : [{ approval, person }];
  });
}

/** Throws where the same person, or another one of the same role alone, has approved. */
export function requireOther(person: Person, standing: readonly Counted[]): void {
  for (const other of standing) {
    if (other.person.id === person.id) {
      const detail = 'expected the approvals of two persons';
      throw new DomainError('dual-control-same-person', { detail });
    }
    requireRolePair(other.person, person, RISK_ROLE_PAIR);
  }
}

/** Kept where it is the first one; the second one publishes. */
export async function commitApproval(
  ports: RiskDeskPorts,
  { idempotency, ip }: Pick<RiskAsk, 'idempotency' | 'ip'>,
  of: {
    readonly alongside?: Partial<Pick<Commit, 'bus' | 'changes' | 'events'>> | undefined;
    readonly approvals: readonly PolicyApproval[];
    readonly before: RiskPolicy;
    readonly by: Person;
    readonly verified: VerifiedSignature;
  },
): Promise<RiskPolicy> {
  const { alongside, approvals, before, by, verified } = of;
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
    bus: [
      ...(record.status === 'published' ? [decidedEvent(record)] : []),
      ...(alongside?.bus ?? []),
    ],
    changes: [verified.consume, ...step.changes, ...(alongside?.changes ?? [])],
    events: [...step.events, ...(alongside?.events ?? [])],
    ...(idempotency !== undefined && { idempotency: () => idempotency(record) }),
  });
  return record;
}

/** Throws `comment-too-short`, `dual-control-…`, `state-conflict`. */
export async function rejectRiskPolicy(
  ports: RiskDeskPorts,
  ask: RiskAsk & RiskPolicyPlace,
  comment: string,
): Promise<RiskPolicy> {
  const { principal, tenantId } = ask;
  const by = await rejecterOf(ports, { principal, tenantId });
  return overwrite(async () => {
    await requireUnlocked(ports, tenantId);
    const before = await requirePolicy(ports, ask);
    requireEtag(before, ask.isExpected);
    requireStatus(before, 'PENDING_APPROVAL');
    if (by === before.updatedBy || by === before.submission?.by) {
      const detail = 'the author withdraws a policy, and does not reject it';
      throw new DomainError('dual-control-same-person', { detail });
    }
    return commitStage(ports, ask, {
      action: 'risk.policy.rejected',
      before,
      bus: (record) => [decidedEvent(record)],
      by,
      change: { ...ENDED, status: 'REJECTED' },
      open: { comment },
    });
  });
}

/** It has never decided: its number is the next one’s. */
const UNSCHEDULED = {
  effectiveAt: undefined,
  policyVersion: undefined,
  publishedAt: undefined,
  standing: undefined,
} as const;

const ENDED = { ...OUT_OF_SHADOW, approvals: undefined, submission: undefined } as const;

async function rejecterOf(
  { listPersons }: Pick<RiskDeskPorts, 'listPersons'>,
  { principal, tenantId }: Pick<RiskAsk, 'principal' | 'tenantId'>,
): Promise<Actor> {
  if (principal.kind === 'cli') return principal.actor;
  const person = requirePerson(principal, await listPersons(tenantId));
  if (PAIR_ROLES.some((role) => person.roles.includes(role))) return `person:${person.id}`;
  throw new DomainError('role-insufficient');
}

/**
 * By whoever wrote or submitted it, also where it is published and waits for its day; it is a draft
 * again. Throws `role-insufficient`.
 */
export async function withdrawPolicy(
  ports: RiskDeskPorts,
  ask: RiskAsk & RiskPolicyPlace,
): Promise<RiskPolicy> {
  const by = await riskEditorOf(ports, ask);
  return overwrite(async () => {
    const before = await requirePolicy(ports, ask);
    requireEtag(before, ask.isExpected);
    if (before.standing !== 'scheduled') requireStatus(before, 'PENDING_APPROVAL');
    if (by !== before.updatedBy && by !== before.submission?.by && !by.startsWith('cli:')) {
      throw new DomainError('role-insufficient');
    }
    const action = 'risk.policy.withdrawn';
    const change = { ...ENDED, ...UNSCHEDULED, status: 'draft' } as const;
    const bus = (record: RiskPolicy) => [decidedEvent(record)];
    return commitStage(ports, ask, { action, before, bus, by, change });
  });
}
