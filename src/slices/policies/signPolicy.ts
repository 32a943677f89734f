/**
 * Two persons sign a draft, one of compliance and one of DSI, and the second signature puts it into
 * force (decision 3.3). Both sign the same bytes: the content's hash, its version and the version
 * that it follows upon. The editor may be one of them.
 */
import { type Actor, entry, overwrite, StaleChange } from '#core/audit';
import {
  asOneUse,
  type CountedSignature,
  type DualControlSubject,
  type FreshSignature,
  type GivenSignature,
  type Person,
  presentSignature,
  signedAuthorOf,
  twoSigners,
} from '#core/identity';
import { chainOf, DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  editorOf,
  type PlannedDraft,
  type PolicyAsk,
  planDraft,
  requireActive,
  requireUnlocked,
} from './draftPolicy.ts';
import { SIGNED_MS } from './limits.ts';
import {
  findPolicy,
  heldMembers,
  nextRecord,
  type PolicyPlace,
  putNext,
  requireDraft,
  requireEtag,
  signaturesOf,
  targetOf,
} from './policyRecord.ts';
import type { PolicyDeskPorts } from './ports.ts';
import { publish } from './publication.ts';
import { POLICY_ROLE_PAIR } from './roles.ts';
import { refuseCadences, refuseInvalid, type WantedPolicy } from './rules.ts';
import { signedPolicy } from './signedPolicies.ts';
import type { PolicyRecord } from './tables.ts';

/** Who may sign, and which signatures count. */
export const policySigners = twoSigners(POLICY_ROLE_PAIR);

/** What a signer sends with it. */
export interface SignAsk extends PolicyAsk {
  /** One, or both. */
  readonly signatures: readonly GivenSignature[];
  readonly comment?: string;
}

/** What both persons sign of a draft. */
export const publicationSubject = ({
  baseVersion,
  contentHash,
  policyVersion,
}: Pick<PolicyRecord, 'baseVersion' | 'contentHash' | 'policyVersion'>): DualControlSubject => ({
  field: 'publish',
  newValue: { base_version: baseVersion, content_hash: contentHash, version: policyVersion },
  resource: 'sanctions_policy',
});

/**
 * The policy: in force where both have signed now, else waiting for the second person. Throws
 * `policy-unknown`, `policy-immutable`, `policy-invalid`, `dual-control-…`, and `state-conflict`
 * where another version came into force since it was drafted.
 */
export async function signPolicy(
  ports: PolicyDeskPorts,
  ask: SignAsk & PolicyPlace,
): Promise<PolicyRecord> {
  await requireUnlocked(ports, ask.tenantId);
  const actor = await editorOf(ports, ask);
  return overwrite(async () => {
    // Read first: what comes into force meanwhile is then no draft any more, and said to be so.
    const active = await requireActive(ports, ask.tenantId);
    const found = await signedPolicy(ports, await findPolicy(ports, ask));
    requireDraft(found);
    requireEtag(found, ask.isExpected);
    requireBase(found, active);
    const wanted = { content: found.content, justification: found.justification };
    refuseInvalid(wanted, active.content);
    await refuseCadences(ports, ask.tenantId, found.content);
    return sign(ports, {
      actor,
      ask,
      planned: { active, before: found, draft: nextRecord(found, {}) },
    });
  }, asOneUse(ask.signatures));
}

/**
 * Saved and published in one commit, with the signatures of both persons over the new content.
 * Throws what `saveDraft` and `signPolicy` do.
 */
export async function saveAndPublish(
  ports: PolicyDeskPorts,
  ask: SignAsk,
  wanted: WantedPolicy,
): Promise<PolicyRecord> {
  const { tenantId } = ask;
  await requireUnlocked(ports, tenantId);
  const editor = await editorOf(ports, ask);
  return overwrite(async () => {
    const planned = await planDraft(ports, { editor, tenantId, wanted });
    requireEtag(planned.before ?? planned.active, ask.isExpected);
    refuseInvalid(wanted, planned.active.content);
    await refuseCadences(ports, tenantId, wanted.content);
    return sign(ports, { actor: editor, ask, planned });
  }, asOneUse(ask.signatures));
}

export function requireBase(draft: PolicyRecord, active: PolicyRecord): void {
  if (draft.baseVersion === active.policyVersion) return;
  const detail =
    `version ${active.policyVersion} came into force since this was drafted upon ` +
    `${draft.baseVersion}: save the draft anew`;
  throw new DomainError('state-conflict', { detail });
}

interface Signing {
  readonly actor: Actor;
  readonly ask: SignAsk;
  readonly planned: PlannedDraft;
}

async function sign(ports: PolicyDeskPorts, signing: Signing): Promise<PolicyRecord> {
  const { actor, ask, planned } = signing;
  const now = ports.clock.now();
  const persons = await ports.listPersons(ask.tenantId);
  const { tenantId } = ask;
  const signed = signedBy(planned.draft, { now, persons });
  const fresh = ask.signatures.map((given) =>
    policySigners.verify(given, { ...signed, caller: actor, tenantId }),
  );
  const standing = fresh.length > 1 ? [] : countedSignatures(planned.draft, { now, persons });
  const [first, second] = [...standing, ...fresh];
  if (first === undefined) throw new DomainError('dual-control-signature-invalid');
  if (second === undefined) return waitForSecond(ports, signing, { fresh, now });
  policySigners.requireBoth(first.person, second.person);
  const { comment, idempotency, ip } = ask;
  return publish(ports, {
    ...planned,
    actor,
    consume: fresh.map(({ verified }) => verified.consume),
    signatures: [first.signature, second.signature],
    ...(comment !== undefined && { comment }),
    ...(idempotency !== undefined && { idempotency }),
    ...(ip !== undefined && { ip }),
  });
}

interface Known {
  readonly now: EpochMs;
  readonly persons: readonly Person[];
}

/** What is signed of a draft, in whose name. */
const signedBy = (draft: PolicyRecord, known: Known) => ({
  ...known,
  author: signedAuthorOf(draft),
  subject: publicationSubject(draft),
});

/** What was signed before and counts still. */
export const countedSignatures = (draft: PolicyRecord, known: Known): readonly CountedSignature[] =>
  policySigners.counted(signaturesOf(draft, known.now), signedBy(draft, known));

/** The first of two signatures: it is kept, and counts for SIGNED_MS. */
async function waitForSecond(
  ports: PolicyDeskPorts,
  { actor, ask, planned: { before, draft } }: Signing,
  { fresh, now }: { readonly fresh: readonly FreshSignature[]; readonly now: EpochMs },
): Promise<PolicyRecord> {
  const { comment, idempotency, ip, tenantId } = ask;
  if (before === undefined) throw new StaleChange(fresh.length);
  const pending: PolicyRecord = {
    ...draft,
    signatures: fresh.map(({ signature }) => signature),
    signedUntil: (now + SIGNED_MS) as EpochMs,
    status: 'PENDING_SIGNATURE',
  };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [...fresh.map(({ verified }) => verified.consume), putNext(before, pending)],
    events: [
      entry(ports, {
        action: 'SANCTIONS_POLICY_SIGNED',
        actor,
        at: now,
        ...(ip !== undefined && { ip }),
        members: {
          ...heldMembers(pending),
          content_hash: pending.contentHash,
          signatures: pending.signatures.map(presentSignature),
        },
        ...(comment !== undefined && { open: { comment } }),
        target: targetOf(pending),
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(pending) }),
  });
  return pending;
}
