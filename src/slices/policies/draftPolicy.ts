/**
 * A change of a policy is a draft of the next version (interface.md 3.7): saved, copied from any
 * version, discarded. What is in force is never touched, and any edit voids the signatures.
 */
import { type Actor, entry, type IdempotencyRecord, overwrite, StaleChange } from '#core/audit';
import type { Principal } from '#core/identity';
import { chainOf, DomainError, type TableChange, type TenantId } from '#core/kernel';
import { requirePerson } from '#slices/approvals';
import type { EditingLock } from './asks.ts';
import { changesBetween, contentHash } from './content.ts';
import {
  findPolicy,
  heldMembers,
  lastPolicy,
  nextRecord,
  openDraft,
  type PolicyPlace,
  publishedPolicy,
  putNext,
  RELEASE,
  requireDraft,
  requireEtag,
  signaturesOf,
  targetOf,
} from './policyRecord.ts';
import type { PolicyDeskPorts, PolicyReadPorts, PolicyWritePorts } from './ports.ts';
import { roles } from './roles.ts';
import { refuseCadences, refuseInvalid, type WantedPolicy } from './rules.ts';
import { signedPolicy } from './signedPolicies.ts';
import { type PolicyRecord, policyTable } from './tables.ts';

/** The administrator at the command line. */
export interface Administrator {
  readonly kind: 'cli';
  readonly actor: Actor;
}

/** Who asks for a change, and under which conditions. */
export interface PolicyAsk {
  readonly tenantId: TenantId;
  readonly principal: Principal | Administrator;
  readonly ip?: string;
  /** Whether the caller means the record with this entity tag; absent: whichever it is. */
  readonly isExpected?: (etag: string) => boolean;
  readonly idempotency?: (record: PolicyRecord) => IdempotencyRecord;
}

/** Throws `audit-chain-broken` while the tenant's chain is. */
export async function requireUnlocked(
  { editingLock }: { readonly editingLock: EditingLock },
  tenantId: TenantId,
): Promise<void> {
  const broken = await editingLock(tenantId);
  if (broken === undefined) return;
  const { alertId, seq } = broken;
  const alert = alertId === undefined ? '' : `, alert ${alertId}`;
  throw new DomainError('audit-chain-broken', { detail: `event ${seq} is altered${alert}` });
}

/**
 * Who edits, as entries name actors: a registered person of the roles, or the administrator. Throws
 * `person-required`, `role-insufficient`.
 */
export async function editorOf(
  { listPersons }: Pick<PolicyDeskPorts, 'listPersons'>,
  { principal, tenantId }: Pick<PolicyAsk, 'principal' | 'tenantId'>,
): Promise<Actor> {
  if (principal.kind === 'cli') return principal.actor;
  const person = requirePerson(principal, await listPersons(tenantId));
  if (!person.roles.some((role) => (roles.change as readonly string[]).includes(role))) {
    throw new DomainError('role-insufficient');
  }
  return `person:${person.id}`;
}

/** The policy in force, as it was signed. Throws `not-ready` until the tenant has one. */
export async function requireActive(
  ports: PolicyReadPorts,
  tenantId: TenantId,
): Promise<PolicyRecord> {
  const found = await publishedPolicy(ports, tenantId);
  if (found !== undefined) return signedPolicy(ports, found);
  const detail = 'the settings of a former release become its first policy within a minute';
  throw new DomainError('not-ready', { detail });
}

/** A draft as it is to become, and what stands there. */
export interface PlannedDraft {
  readonly active: PolicyRecord;
  /** Undefined: there is no draft yet. */
  readonly before: PolicyRecord | undefined;
  readonly draft: PolicyRecord;
}

/** The one draft of the tenant with this content, upon what is in force. */
export async function planDraft(
  ports: PolicyWritePorts,
  {
    editor,
    tenantId,
    wanted,
  }: {
    readonly editor: Actor;
    readonly tenantId: TenantId;
    readonly wanted: WantedPolicy;
  },
): Promise<PlannedDraft> {
  const active = await requireActive(ports, tenantId);
  const before = await openDraft(ports, tenantId);
  const at = ports.clock.now();
  const { content, justification } = wanted;
  const edited = {
    baseVersion: active.policyVersion,
    changeSummary: changesBetween(active.content, content),
    content,
    contentHash: contentHash(content),
    justification,
    release: RELEASE,
    signatures: [],
    status: 'DRAFT',
    updatedAt: at,
    updatedBy: editor,
  } as const;
  if (before !== undefined) {
    const signed = await signedPolicy(ports, before);
    // Published or discarded since it was found.
    if (signed.version !== before.version) throw new StaleChange(0);
    return {
      active,
      before: signed,
      draft: nextRecord(signed, { ...edited, signedUntil: undefined }),
    };
  }
  const last = (await lastPolicy(ports, tenantId)) ?? active;
  const policyVersion = last.policyVersion + 1;
  const draft = {
    ...edited,
    createdAt: at,
    createdBy: editor,
    policyVersion,
    tenantId,
    version: 1,
  };
  return { active, before, draft };
}

/**
 * The draft as it was saved (PUT). Throws `policy-invalid`, `cadence-not-yours`,
 * `precondition-failed`, and what `editorOf` and `requireUnlocked` throw.
 */
export async function saveDraft(
  ports: PolicyDeskPorts,
  ask: PolicyAsk,
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
    return commitDraft(ports, ask, { ...planned, editor });
  });
}

/**
 * A draft with the content of any version: to work on, or to roll back. Throws `policy-unknown`,
 * and `state-conflict` where somebody's draft stands and is not to be replaced.
 */
export async function copyToDraft(
  ports: PolicyDeskPorts,
  ask: PolicyAsk & PolicyPlace,
  of: { readonly justification: string; readonly mayReplace: boolean },
): Promise<PolicyRecord> {
  const { tenantId } = ask;
  await requireUnlocked(ports, tenantId);
  const editor = await editorOf(ports, ask);
  return overwrite(async () => {
    const { content } = await signedPolicy(ports, await findPolicy(ports, ask));
    const wanted = { content, justification: of.justification };
    const planned = await planDraft(ports, { editor, tenantId, wanted });
    if (planned.before !== undefined && !of.mayReplace) throw draftStands(planned.before);
    return commitDraft(ports, ask, { ...planned, editor });
  });
}

/** The draft of somebody stands in the way. */
export const draftStands = ({ policyVersion }: PolicyRecord): DomainError =>
  new DomainError('state-conflict', {
    detail: `version ${policyVersion} is a draft already: send replace, or discard it`,
  });

async function commitDraft(
  ports: PolicyWritePorts,
  { idempotency, ip, tenantId }: PolicyAsk,
  { before, draft, editor }: PlannedDraft & { readonly editor: Actor },
): Promise<PolicyRecord> {
  const event = entry(ports, {
    action: 'SANCTIONS_POLICY_DRAFTED',
    actor: editor,
    at: draft.updatedAt,
    ...(ip !== undefined && { ip }),
    members: {
      ...heldMembers(draft),
      base_version: draft.baseVersion,
      content_hash: draft.contentHash,
      voided_signatures: before ? signaturesOf(before, draft.updatedAt).length : 0,
    },
    open: { justification: draft.justification },
    target: targetOf(draft),
  });
  const change: TableChange =
    before === undefined ? policyTable.insert(draft) : putNext(before, draft);
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [change],
    events: [event],
    ...(idempotency !== undefined && { idempotency: () => idempotency(draft) }),
  });
  return draft;
}

/** The draft, discarded. Throws `policy-unknown`, `policy-immutable`. */
export async function discardDraft(
  ports: PolicyDeskPorts,
  ask: PolicyAsk & PolicyPlace,
): Promise<PolicyRecord> {
  const { idempotency, ip, tenantId } = ask;
  await requireUnlocked(ports, tenantId);
  const editor = await editorOf(ports, ask);
  return overwrite(async () => {
    const before = await signedPolicy(ports, await findPolicy(ports, ask));
    requireDraft(before);
    requireEtag(before, ask.isExpected);
    const at = ports.clock.now();
    const discarded = nextRecord(before, {
      signatures: [],
      signedUntil: undefined,
      status: 'DISCARDED',
      updatedAt: at,
      updatedBy: editor,
    });
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [putNext(before, discarded)],
      events: [
        entry(ports, {
          action: 'SANCTIONS_POLICY_DISCARDED',
          actor: editor,
          at,
          ...(ip !== undefined && { ip }),
          members: heldMembers(discarded),
          target: targetOf(discarded),
        }),
      ],
      ...(idempotency !== undefined && { idempotency: () => idempotency(discarded) }),
    });
    return discarded;
  });
}
