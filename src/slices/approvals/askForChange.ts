/** The author asks: the change is checked as if it were sent now, and waits for its signer. */
import { entry, type IdempotencyRecord, type Json } from '#core/audit';
import {
  type Approvable,
  otherSignerRoles,
  type Person,
  type Principal,
  type Role,
} from '#core/identity';
import { chainOf, DomainError, PLATFORM_CHAIN } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { OPEN_REQUESTS_MAX } from './limits.ts';
import { askedEvent } from './notices.ts';
import type { ApprovalPorts } from './ports.ts';
import { baseVersionOf, requestDigest, requireApprovable, requirePerson } from './request.ts';
import { targetOf } from './requestProof.ts';
import { type ApprovalRequest, approvalTable } from './tables.ts';

/** How long a request waits for its signer. */
export const REQUEST_MS = 7 * 24 * 3_600_000;

/** What the author sends, and who that is. */
export interface AskForChange {
  readonly principal: Principal;
  readonly resource: string;
  readonly field: string;
  readonly newValue: Json;
  readonly reason: string;
  readonly ip?: string;
  readonly idempotency?: (request: ApprovalRequest) => IdempotencyRecord;
}

/**
 * The request, open. Throws `person-required`, `role-insufficient`, `dual-control-roles`, and all
 * that the change itself would be refused for; `state-conflict` where it would change nothing.
 */
export async function askForChange(
  ports: ApprovalPorts,
  ask: AskForChange,
): Promise<ApprovalRequest> {
  const { principal } = ask;
  const author = requirePerson(principal, await ports.listPersons(principal.tenantId));
  const { approvable, id } = await requireApprovable(ports, ask.resource);
  if (!principal.roles.some((role) => approvable.roles.includes(role))) {
    throw new DomainError('role-insufficient');
  }
  const signerRoles = signerRolesOf(approvable, author);
  const { field, newValue } = ask;
  const change = await approvable.check({ author: principal, field, id, newValue });
  const shown = await change.show();
  if (canonicalJson(shown.old) === canonicalJson(shown.new)) throw alreadySo();
  await requireRoom(ports, principal);
  const now = ports.clock.now();
  const request: ApprovalRequest = {
    afterSeq: (await ports.audit.head(chainOf(principal.tenantId))).seq,
    approvalId: uuidV7(now, ports.random),
    authorId: author.id,
    baseVersion: baseVersionOf(shown.old),
    expiresAt: (now + REQUEST_MS) as EpochMs,
    field: change.subject.field,
    newValue: change.subject.newValue as Json,
    oldValue: shown.old as Json,
    reason: ask.reason,
    requestedAt: now,
    resource: change.subject.resource,
    signerRoles: [...new Set(signerRoles)],
    state: 'open',
    tenantId: principal.tenantId,
    version: 1,
  };
  await commitRequest(ports, request, ask);
  return request;
}

/** Throws `dual-control-roles` where the author would sign, and is no signer. */
function signerRolesOf({ authorSigns, rolePair }: Approvable, author: Person): readonly Role[] {
  if (authorSigns === false) return [...rolePair.first, ...rolePair.second];
  const roles = otherSignerRoles(author, rolePair);
  if (roles.length > 0) return roles;
  throw new DomainError('dual-control-roles', { detail: 'the author is no signer of this' });
}

/** Two persons would sign what changes nothing. */
const alreadySo = (): DomainError =>
  new DomainError('state-conflict', { detail: 'what is asked for is so already' });

async function requireRoom(
  { tables }: ApprovalPorts,
  { tenantId }: Pick<Principal, 'tenantId'>,
): Promise<void> {
  const { records } = await tables.page(approvalTable, {
    equal: { state: 'open', tenantId },
    index: 'byState',
    limit: OPEN_REQUESTS_MAX,
  });
  if (records.length < OPEN_REQUESTS_MAX) return;
  const detail = `${OPEN_REQUESTS_MAX} requests wait for their signers already`;
  throw new DomainError('state-conflict', { detail });
}

/** The values stand in the part that can be erased; what is hashed commits to them. */
async function commitRequest(
  ports: ApprovalPorts,
  request: ApprovalRequest,
  { idempotency, ip }: AskForChange,
): Promise<void> {
  const event = entry(ports, {
    action: 'APPROVAL_REQUESTED',
    actor: `person:${request.authorId}`,
    ...(ip !== undefined && { ip }),
    at: request.requestedAt,
    members: {
      base_version: request.baseVersion,
      field: request.field,
      // Where the end of a request begins to be looked for, if it is of the platform.
      platform_seq: (await ports.audit.head(PLATFORM_CHAIN)).seq,
      request_digest: requestDigest(request),
      resource: request.resource,
    },
    open: { new_value: request.newValue, old_value: request.oldValue, reason: request.reason },
    target: targetOf(request),
  });
  await ports.commit(chainOf(request.tenantId), {
    bus: [askedEvent(request)],
    changes: [approvalTable.insert(request)],
    events: [event],
    ...(idempotency !== undefined && { idempotency: () => idempotency(request) }),
  });
}
