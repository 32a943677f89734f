/**
 * Another person signs, and the change is made at once in its author's name. Who may sign, the
 * signed bytes and their age are verified as for the headers (decisions 3.3); the approval, the
 * change and the end of the request are one commit, so that each happens once.
 */
import assert from 'node:assert/strict';
import { entry, type IdempotencyRecord, StaleChange } from '#core/audit';
import {
  type AppliedChange,
  type Approval,
  type CheckedChange,
  type Person,
  type Principal,
  verifyApproval,
} from '#core/identity';
import { DomainError, isConflict } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { endedAs, endOvertaken, markStale } from './endRequest.ts';
import { decidedEvent } from './notices.ts';
import type { ApprovalPorts } from './ports.ts';
import {
  baseVersionOf,
  checkAgain,
  findRequest,
  type RequestPlace,
  requireApprovable,
  requireOpen,
  requirePerson,
} from './request.ts';
import { targetOf, verifiedRequest } from './requestProof.ts';
import { type ApprovalRequest, approvalTable } from './tables.ts';

/** What the approver sends, and who that is. */
export interface SignRequest extends RequestPlace {
  readonly principal: Principal;
  /** Base64. */
  readonly signature: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
  readonly ip?: string;
  readonly idempotency?: (signed: SignedRequest) => IdempotencyRecord;
}

/** A request that was applied, or waits for its next signer, and what its own operation answers. */
export interface SignedRequest {
  readonly request: ApprovalRequest;
  readonly answer: AppliedChange;
}

/**
 * Throws `approval-unknown`, `person-required`, `dual-control-…`, `approval-altered`, all that the
 * change would be refused for, and `state-conflict` where the request has ended or is stale now.
 */
export async function signRequest(ports: ApprovalPorts, ask: SignRequest): Promise<SignedRequest> {
  const request = await findRequest(ports, ask);
  const now = ports.clock.now();
  requireOpen(request, now);
  const persons = await ports.listPersons(ask.tenantId);
  const approver = requirePerson(ask.principal, persons);
  const author = authorOf(request, persons);
  const { field, newValue, resource, tenantId } = request;
  const { authorSigns, rolePair } = (await requireApprovable(ports, resource)).approvable;
  const { signature, timestamp } = ask;
  const subject = { field, newValue, resource };
  const signers = { approver, author, rolePair, ...(authorSigns === false && { authorSigns }) };
  const approval = verifyApproval({ ...signers, now, signature, subject, tenantId, timestamp });
  requireOpen(await verifiedRequest(ports, request), now);
  const signing = { approval, ask, request };
  return applyChange(ports, await requireBase(ports, signing), signing);
}

/** The author as they are registered now; one who is registered no more signs nothing. */
function authorOf({ authorId }: ApprovalRequest, persons: readonly Person[]): Person {
  const author = persons.find(({ id }) => id === authorId);
  if (author !== undefined) return author;
  throw new DomainError('dual-control-roles', { detail: 'the author is not registered any more' });
}

interface Signing {
  readonly approval: Approval;
  readonly ask: SignRequest;
  readonly request: ApprovalRequest;
}

/**
 * The change as it can be made now. Ends the request as stale, and throws, where what stands there
 * is not what the author saw, or does not let the change be made any more.
 */
async function requireBase(ports: ApprovalPorts, signing: Signing): Promise<CheckedChange> {
  const { approval, ask, request } = signing;
  const { environment } = ask.principal;
  const { author, approver: person } = approval;
  try {
    const change = await checkAgain(ports, request, { author, environment });
    assertSigned(change, request);
    if (baseVersionOf((await change.show()).old) === request.baseVersion) return change;
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  const { ip } = ask;
  await markStale(ports, request, { person, ...(ip !== undefined && { ip }) });
  const detail = 'what was to be changed has changed since it was asked for: ask anew';
  throw new DomainError('state-conflict', { detail });
}

/** What is applied is what was signed, whatever the check made of it. */
function assertSigned({ subject }: CheckedChange, request: ApprovalRequest): void {
  const { field, newValue, resource } = request;
  assert.equal(canonicalJson(subject), canonicalJson({ field, newValue, resource }));
}

async function applyChange(
  ports: ApprovalPorts,
  change: CheckedChange,
  signing: Signing,
): Promise<SignedRequest> {
  const { approval, ask, request } = signing;
  const { idempotency } = ask;
  const at = ports.clock.now();
  const isLast = ((await change.signaturesLeft?.()) ?? 1) <= 1;
  const applied: ApprovalRequest = isLast
    ? {
        ...endedAs(request, { at, by: approval.approver.id, state: 'applied' }),
        keyId: approval.keyId,
      }
    : { ...request, version: request.version + 1 };
  try {
    const answer = await change.apply({
      alongside: {
        bus: isLast ? [decidedEvent(applied)] : [],
        changes: [approvalTable.put(applied, request.version)],
        events: [signedEntry(ports, signing, isLast)],
      },
      approval,
      old: request.oldValue,
      reason: request.reason,
      ...(idempotency !== undefined && {
        idempotency: (answer) => idempotency({ answer, request: applied }),
      }),
    });
    if (isLast) await endOvertaken(ports, applied);
    return { answer, request: applied };
  } catch (error) {
    if (!(error instanceof StaleChange || isConflict(error))) throw error;
    // Another end of the request was faster, or the resource changed while this one was applied.
    requireOpen(await findRequest(ports, request), at);
    await requireBase(ports, signing);
    throw error;
  }
}

function signedEntry(ports: ApprovalPorts, { approval, ask, request }: Signing, isLast: boolean) {
  const { ip } = ask;
  return entry(ports, {
    action: isLast ? 'APPROVAL_APPLIED' : 'APPROVAL_SIGNED',
    actor: `person:${approval.approver.id}`,
    ...(ip !== undefined && { ip }),
    members: {
      approval_digest: approval.digest,
      approval_key_id: approval.keyId,
      author: `person:${approval.author.id}`,
      field: request.field,
      resource: request.resource,
      tenant: request.tenantId,
    },
    target: targetOf(request),
  });
}
