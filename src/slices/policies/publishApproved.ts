/**
 * The second signature of a draft, given at `/v1/approvals` (decision 8.6): the editor asks once
 * the first one stands, another person signs the very bytes of `POST …/publish`, and the draft
 * comes into force with the end of the request, in one commit.
 */
import type { AppliedChange, ApprovedBy, CountedSignature, ShownChange } from '#core/identity';
import { chainOf, DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { requireActive, requireUnlocked } from './draftPolicy.ts';
import { findPolicy, nextRecord, type PolicyPlace, requireDraft } from './policyRecord.ts';
import type { PolicyDeskPorts } from './ports.ts';
import { publicationOf } from './publication.ts';
import { refuseCadences, refuseInvalid } from './rules.ts';
import { signedPolicy } from './signedPolicies.ts';
import { countedSignatures, policySigners, publicationSubject, requireBase } from './signPolicy.ts';
import type { PolicyRecord } from './tables.ts';

/** A draft that waits for its second signature, and what stands. */
export interface AwaitedPolicy {
  readonly active: PolicyRecord;
  readonly draft: PolicyRecord;
  readonly first: CountedSignature;
}

/**
 * Throws `audit-chain-broken`, `policy-unknown`, `policy-immutable`, `policy-invalid`, and
 * `state-conflict` where nobody has signed it, it is another one now, or another version came into
 * force since it was drafted.
 */
export async function awaitedPolicy(
  ports: PolicyDeskPorts,
  of: PolicyPlace & { readonly newValue: unknown },
): Promise<AwaitedPolicy> {
  const { newValue, tenantId } = of;
  await requireUnlocked(ports, tenantId);
  const draft = await signedPolicy(ports, await findPolicy(ports, of));
  requireDraft(draft);
  const active = await requireActive(ports, tenantId);
  requireBase(draft, active);
  if (canonicalJson(publicationSubject(draft).newValue) !== canonicalJson(newValue)) {
    throw new DomainError('state-conflict', { detail: 'the draft was edited since' });
  }
  refuseInvalid({ content: draft.content, justification: draft.justification }, active.content);
  await refuseCadences(ports, tenantId, draft.content);
  const persons = await ports.listPersons(tenantId);
  const [first] = countedSignatures(draft, { now: ports.clock.now(), persons });
  if (first !== undefined) return { active, draft, first };
  const detail = 'nobody has signed it: the first signature is given at POST …/publish';
  throw new DomainError('state-conflict', { detail });
}

/** Old and new for whoever signs. */
export const shownPublication = ({ active, draft, first }: AwaitedPolicy): ShownChange => ({
  about: {
    change_summary: draft.changeSummary,
    justification: draft.justification,
    signed_by: first.signature.signer,
  },
  new: publicationSubject(draft).newValue,
  old: publicationSubject(active).newValue,
});

/** Puts it into force. Throws as `awaitedPolicy`, and `dual-control-…` for the second person. */
export async function publishApproved(
  ports: PolicyDeskPorts,
  of: PolicyPlace & {
    readonly by: ApprovedBy;
    readonly newValue: unknown;
    readonly answerOf: (published: PolicyRecord) => AppliedChange;
  },
): Promise<PolicyRecord> {
  const { answerOf, by } = of;
  const { active, draft, first } = await awaitedPolicy(ports, of);
  const { approver, consume } = by.approval;
  const second = policySigners.secondOf(first.person, by.approval);
  const { commit, published } = publicationOf(ports, {
    active,
    actor: `person:${approver.id}`,
    before: draft,
    comment: by.reason,
    consume: [consume],
    draft: nextRecord(draft, {}),
    signatures: [first.signature, second],
    ...(by.ip !== undefined && { ip: by.ip }),
  });
  const { alongside, idempotency } = by;
  await ports.commit(chainOf(of.tenantId), {
    ...commit,
    bus: [...commit.bus, ...(alongside?.bus ?? [])],
    changes: [...commit.changes, ...(alongside?.changes ?? [])],
    events: [...commit.events, ...(alongside?.events ?? [])],
    ...(idempotency !== undefined && { idempotency: () => idempotency(answerOf(published)) }),
  });
  return published;
}
