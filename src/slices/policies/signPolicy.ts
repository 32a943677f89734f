/**
 * Two persons sign a draft, one of compliance and one of DSI, and the second signature puts it into
 * force (decision 3.3). Both sign the same bytes: the content's hash, its version and the version
 * that it follows upon. The editor may be one of them.
 */
import { type Actor, entry, overwrite, StaleChange } from '#core/audit';
import {
  type DualControlSubject,
  otherSignerRoles,
  type Person,
  requireRolePair,
  signatureKey,
  type VerifiedSignature,
  verifySignature,
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
import { presentSignature, publish } from './publication.ts';
import { POLICY_ROLE_PAIR } from './roles.ts';
import { refuseCadences, refuseInvalid, type WantedPolicy } from './rules.ts';
import { signedPolicy } from './signedPolicies.ts';
import type { PolicyRecord, PolicySignature } from './tables.ts';

/** A signature as its signer sends it. */
export interface GivenSignature {
  /** Person id; absent: the caller. */
  readonly signer?: string;
  /** Base64. */
  readonly signature: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
}

/** What a signer sends with it. */
export interface SignAsk extends PolicyAsk {
  /** One, or both. */
  readonly signatures: readonly GivenSignature[];
  readonly comment?: string;
}

/** As the signed bytes name the last editor: a person's id, else as entries name them. */
export const authorOf = ({ updatedBy }: Pick<PolicyRecord, 'updatedBy'>): string =>
  updatedBy.replace(/^person:/, '');

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

/** A signature that counts, with its signer as they are registered now. */
export interface CountedSignature {
  readonly person: Person;
  readonly signature: PolicySignature;
}
type Fresh = CountedSignature & { readonly verified: VerifiedSignature };

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
  return asOneUse(ask, async () => {
    const found = await signedPolicy(ports, await findPolicy(ports, ask));
    requireDraft(found);
    requireEtag(found, ask.isExpected);
    const active = await requireActive(ports, ask.tenantId);
    requireBase(found, active);
    const wanted = { content: found.content, justification: found.justification };
    refuseInvalid(wanted, active.content);
    await refuseCadences(ports, ask.tenantId, found.content);
    return sign(ports, {
      actor,
      ask,
      planned: { active, before: found, draft: nextRecord(found, {}) },
    });
  });
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
  return asOneUse(ask, async () => {
    const planned = await planDraft(ports, { editor, tenantId, wanted });
    requireEtag(planned.before ?? planned.active, ask.isExpected);
    refuseInvalid(wanted, planned.active.content);
    await refuseCadences(ports, tenantId, wanted.content);
    return sign(ports, { actor: editor, ask, planned });
  });
}

/** Repeats after conflicts; that a signature was used before is told as that. */
function asOneUse(
  { signatures }: Pick<SignAsk, 'signatures'>,
  attempt: () => Promise<PolicyRecord>,
): Promise<PolicyRecord> {
  return overwrite(attempt, {
    mayRepeat: ({ changeIndex }) => {
      if (changeIndex < signatures.length) throw new DomainError('dual-control-replayed');
      return true;
    },
  });
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
  const fresh = ask.signatures.map((given) => verify(signing, given, { now, persons }));
  const standing = fresh.length > 1 ? [] : countedOf(planned.draft, { now, persons });
  const [first, second] = [...standing, ...fresh];
  if (first === undefined) throw new DomainError('dual-control-signature-invalid');
  if (second === undefined) return waitForSecond(ports, signing, { fresh, now });
  if (first.person.id === second.person.id) {
    const detail = 'expected the signatures of two persons';
    throw new DomainError('dual-control-same-person', { detail });
  }
  requireRolePair(first.person, second.person, POLICY_ROLE_PAIR);
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

function verify(
  { actor, ask: { tenantId }, planned: { draft } }: Signing,
  { signature, signer, timestamp }: GivenSignature,
  { now, persons }: Known,
): Fresh {
  const named = signer ?? authorOf({ updatedBy: actor });
  const person = persons.find(({ id }) => id === named);
  if (person === undefined) {
    const detail = 'the signer is not registered';
    throw new DomainError('dual-control-signature-invalid', { detail });
  }
  requireSigner(person);
  const author = authorOf(draft);
  const subject = publicationSubject(draft);
  const of = { author, now, signature, signer: person, subject, timestamp };
  const verified = verifySignature({ ...of, tenantId });
  const { keyId } = verified;
  const roles = signerRolesOf(person);
  return { person, signature: { keyId, roles, signature, signer: person.id, timestamp }, verified };
}

const PAIR_ROLES = [...POLICY_ROLE_PAIR.first, ...POLICY_ROLE_PAIR.second];
/** Roles with which a person signs. */
export const signerRolesOf = ({ roles }: Pick<Person, 'roles'>) =>
  roles.filter((role) => PAIR_ROLES.includes(role));

function requireSigner(person: Person): void {
  if (otherSignerRoles(person, POLICY_ROLE_PAIR).length > 0) return;
  const detail = `expected a signer with one of the roles ${PAIR_ROLES.join(', ')}`;
  throw new DomainError('dual-control-roles', { detail });
}

/** What was signed before and counts still: the signer may sign, with a key that is not revoked. */
export function countedOf(draft: PolicyRecord, { now, persons }: Known): CountedSignature[] {
  const author = authorOf(draft);
  const subject = publicationSubject(draft);
  return signaturesOf(draft, now).flatMap((signature) => {
    const signer = persons.find(({ id }) => id === signature.signer);
    if (signer === undefined || signerRolesOf(signer).length === 0) return [];
    const keyId = signatureKey({ ...signature, author, now, signer, subject });
    return keyId === undefined ? [] : [{ person: signer, signature }];
  });
}

/** The first of two signatures: it is kept, and counts for SIGNED_MS. */
async function waitForSecond(
  ports: PolicyDeskPorts,
  { actor, ask, planned: { before, draft } }: Signing,
  { fresh, now }: { readonly fresh: readonly Fresh[]; readonly now: EpochMs },
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
