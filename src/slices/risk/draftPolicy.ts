/** A policy is drafted, upon what is in force or any other one, and edited member by member. */
import { type Actor, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import type { Principal } from '#core/identity';
import { chainOf, DomainError, type TableChange, type TenantId } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import { requirePerson } from '#slices/approvals';
import { requireUnlocked } from '#slices/policies';
import { DRAFTS_MAX } from './limits.ts';
import {
  contentHash,
  contentOf,
  type GivenContent,
  givenOf,
  type RiskContent,
} from './policyContent.ts';
import {
  nextPolicy,
  putPolicy,
  type RiskPolicyPlace,
  requireEditable,
  requireEtag,
  requirePolicy,
  shippedPolicy,
} from './policyRecord.ts';
import type { RiskDeskPorts } from './ports.ts';
import { roles } from './roles.ts';
import { heldPolicies, policyTarget } from './signedRisk.ts';
import { type RiskPolicy, riskPolicyTable } from './tables.ts';

/** The administrator at the command line. */
export interface Administrator {
  readonly kind: 'cli';
  readonly actor: Actor;
}

/** Who asks for a change, and under which conditions. */
export interface RiskAsk {
  readonly tenantId: TenantId;
  readonly principal: Principal | Administrator;
  readonly ip?: string;
  /** Whether the caller means the record with this entity tag; absent: whichever it is. */
  readonly isExpected?: (etag: string) => boolean;
  readonly idempotency?: (record: RiskPolicy) => IdempotencyRecord;
}

/** Members that are sent; of weights, ways to combine and thresholds each its own. */
export interface ContentPatch {
  readonly weights?: Partial<GivenContent['weights']>;
  readonly combine?: Partial<GivenContent['combine']>;
  readonly thresholds?: Partial<GivenContent['thresholds']>;
  readonly factors?: GivenContent['factors'];
  readonly overrides?: GivenContent['overrides'];
  readonly on_incomplete?: GivenContent['on_incomplete'];
}

/** What a draft is made of. */
export interface DraftPolicy extends ContentPatch {
  readonly name: string;
  /** Absent: the policy in force. */
  readonly based_on?: string;
}

/** What an edit changes. */
export interface PolicyPatch extends ContentPatch {
  readonly name?: string;
}

/**
 * Who edits, as entries name actors: a registered person of the roles, or the administrator. Throws
 * `audit-chain-broken`, `person-required`, `role-insufficient`.
 */
export async function riskEditorOf(
  { editingLock, listPersons }: Pick<RiskDeskPorts, 'editingLock' | 'listPersons'>,
  { principal, tenantId }: Pick<RiskAsk, 'principal' | 'tenantId'>,
): Promise<Actor> {
  await requireUnlocked({ editingLock }, tenantId);
  if (principal.kind === 'cli') return principal.actor;
  const person = requirePerson(principal, await listPersons(tenantId));
  if (!person.roles.some((role) => (roles.draft as readonly string[]).includes(role))) {
    throw new DomainError('role-insufficient');
  }
  return `person:${person.id}`;
}

/** The content with what was sent in its place. */
export function patchedContent(content: RiskContent, patch: ContentPatch): RiskContent {
  const given = givenOf(content);
  const { combine, factors, on_incomplete, overrides, thresholds, weights } = patch;
  return contentOf({
    combine: { ...given.combine, ...combine },
    factors: factors ?? given.factors,
    on_incomplete: on_incomplete ?? given.on_incomplete,
    overrides: overrides ?? given.overrides,
    thresholds: { ...given.thresholds, ...thresholds },
    weights: { ...given.weights, ...weights },
  });
}

/** Throws `policy-unknown`, and `state-conflict` where too many are in the making. */
export async function createRiskPolicy(
  ports: RiskDeskPorts,
  ask: RiskAsk,
  given: DraftPolicy,
): Promise<RiskPolicy> {
  const { tenantId } = ask;
  const editor = await riskEditorOf(ports, ask);
  return overwrite(async () => {
    await requireRoom(ports, tenantId);
    const base = await baseOf(ports, tenantId, given.based_on);
    const now = ports.clock.now();
    const content = patchedContent(base.content, given);
    const record: RiskPolicy = {
      ...othersIn(base, editor),
      basedOn: base.policyId,
      content,
      contentHash: contentHash(content),
      createdAt: now,
      createdBy: editor,
      name: given.name,
      policyId: uuidV7(now, ports.random),
      status: 'draft',
      tenantId,
      updatedAt: now,
      updatedBy: editor,
      version: 1,
    };
    return commitDraft(ports, ask, { change: riskPolicyTable.insert(record), editor, record });
  });
}

/** Who else has written what an edit begins with; a published policy was approved as it is. */
function othersIn(
  { createdBy, editors = [], status, updatedBy }: RiskPolicy,
  editor: Actor,
): Pick<RiskPolicy, 'editors'> {
  if (status === 'published' || status === 'archived') return {};
  const others = new Set([createdBy, ...editors, updatedBy]);
  others.delete(editor);
  return others.size === 0 ? {} : { editors: [...others] };
}

async function baseOf(
  ports: RiskDeskPorts,
  tenantId: TenantId,
  basedOn: string | undefined,
): Promise<RiskPolicy> {
  if (basedOn !== undefined) return requirePolicy(ports, { policyId: basedOn, tenantId });
  return (await ports.signed.inForce(tenantId)) ?? shippedPolicy(ports, tenantId);
}

async function requireRoom({ tables }: RiskDeskPorts, tenantId: TenantId): Promise<void> {
  const { records } = await tables.page(riskPolicyTable, {
    equal: { isInTheMaking: true, tenantId },
    index: 'inTheMaking',
    limit: DRAFTS_MAX,
  });
  if (records.length < DRAFTS_MAX) return;
  const detail = `expected fewer than ${DRAFTS_MAX} policies in the making`;
  throw new DomainError('state-conflict', { detail });
}

/**
 * The draft as it was edited. Throws `policy-unknown`, `policy-immutable`, `state-conflict`,
 * `precondition-failed`.
 */
export async function editRiskPolicy(
  ports: RiskDeskPorts,
  ask: RiskAsk & RiskPolicyPlace,
  patch: PolicyPatch,
): Promise<RiskPolicy> {
  const editor = await riskEditorOf(ports, ask);
  return overwrite(async () => {
    const before = await requirePolicy(ports, ask);
    requireEditable(before);
    requireEtag(before, ask.isExpected);
    const content = patchedContent(before.content, patch);
    const record = nextPolicy(before, {
      content,
      contentHash: contentHash(content),
      ...othersIn(before, editor),
      name: patch.name ?? before.name,
      // What it was tried with is another content.
      shadow: undefined,
      shadowSlot: undefined,
      status: 'draft',
      updatedAt: ports.clock.now(),
      updatedBy: editor,
    });
    return commitDraft(ports, ask, { change: putPolicy(before, record), editor, record });
  });
}

async function commitDraft(
  ports: RiskDeskPorts,
  { idempotency, ip }: RiskAsk,
  of: { readonly change: TableChange; readonly editor: Actor; readonly record: RiskPolicy },
): Promise<RiskPolicy> {
  const { change, editor, record } = of;
  await ports.commit(chainOf(record.tenantId), {
    bus: [],
    changes: [change],
    events: [
      entry(ports, {
        action: 'risk.policy.drafted',
        actor: editor,
        at: record.updatedAt,
        members: {
          ...heldPolicies(record),
          based_on: record.basedOn,
          content_hash: record.contentHash,
        },
        target: policyTarget(record),
        ...(ip !== undefined && { ip }),
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(record) }),
  });
  return record;
}
