/** A request as it is found, who may decide it, and what its entry in the evidence commits to. */
import {
  type CheckedChange,
  type FoundApprovable,
  type Person,
  type Principal,
  personOf,
} from '#core/identity';
import { DomainError, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import type { ApprovalPorts, EndPorts } from './ports.ts';
import { type ApprovalRequest, type ApprovalState, approvalTable } from './tables.ts';

/** Where a request is, for a caller of this tenant. */
export interface RequestPlace {
  readonly tenantId: TenantId;
  readonly approvalId: string;
}

/** Throws `approval-unknown`, for another tenant's as for one that does not exist. */
export async function findRequest(
  { tables }: Pick<EndPorts, 'tables'>,
  { approvalId, tenantId }: RequestPlace,
): Promise<ApprovalRequest> {
  const found = await tables.find(approvalTable, { approvalId, tenantId });
  if (found === undefined) throw new DomainError('approval-unknown');
  return found;
}

/** The state as it counts: after its time a request is expired, before the job has written it. */
export function stateOf(
  { expiresAt, state }: Pick<ApprovalRequest, 'expiresAt' | 'state'>,
  now: EpochMs,
): ApprovalState {
  return state === 'open' && expiresAt <= now ? 'expired' : state;
}

/** Throws `state-conflict` for a request that has ended, or whose time is over. */
export function requireOpen(request: ApprovalRequest, now: EpochMs): void {
  const state = stateOf(request, now);
  if (state === 'open') return;
  throw new DomainError('state-conflict', { detail: `expected an open request, got ${state}` });
}

/** The registered person who calls. Throws `person-required` for a key or an unknown account. */
export function requirePerson(principal: Principal, persons: readonly Person[]): Person {
  const person = personOf(principal, persons);
  if (person === undefined) throw new DomainError('person-required');
  return person;
}

/**
 * What is signed of a publication names the last editor as its author, who therefore asks. Throws
 * `person-required`, `dual-control-roles`.
 */
export async function requireLastEditor(
  { listPersons }: Pick<ApprovalPorts, 'listPersons'>,
  principal: Principal,
  author: string,
): Promise<void> {
  const person = requirePerson(principal, await listPersons(principal.tenantId));
  if (person.id === author) return;
  const detail = 'the last editor asks: what is signed names them as the author';
  throw new DomainError('dual-control-roles', { detail });
}

/** Whether this person may decide the request of another one. */
export const mayDecide = (
  { authorId, signerRoles }: Pick<ApprovalRequest, 'authorId' | 'signerRoles'>,
  person: Pick<Person, 'id' | 'roles'>,
): boolean => person.id !== authorId && person.roles.some((role) => signerRoles.includes(role));

/** Throws `body-invalid` for a resource that cannot be asked for. */
export async function requireApprovable(
  { approvableOf }: Pick<ApprovalPorts, 'approvableOf'>,
  resource: string,
): Promise<FoundApprovable> {
  const found = await approvableOf(resource);
  if (found !== undefined) return found;
  const detail = 'expected a resource that is changed under dual control';
  const violations = [{ code: 'format', detail, pointer: '/resource' }];
  throw new DomainError('body-invalid', { violations });
}

/** A stored request's change, checked anew in the name of its author as they are registered now. */
export async function checkAgain(
  ports: Pick<ApprovalPorts, 'approvableOf'>,
  request: ApprovalRequest,
  of: { readonly author: Person; readonly environment: Principal['environment'] },
): Promise<CheckedChange> {
  const { author, environment } = of;
  const { field, newValue, resource, tenantId } = request;
  const { approvable, id } = await requireApprovable(ports, resource);
  const [account] = author.accounts;
  return approvable.check({
    author: {
      environment,
      id: `${account?.issuer}|${account?.subject}`,
      kind: 'user',
      mfa: true,
      roles: author.roles,
      tenantId,
    },
    field,
    id,
    newValue,
  });
}

/** Names a state of what is to be changed. */
export const baseVersionOf = (old: unknown): string => sha256Hex(canonicalJson(old));

/** SHA-256 hex of all that decides what is applied, in whose name, and until when. */
export function requestDigest(request: ApprovalRequest): string {
  const text = canonicalJson({
    approval_id: request.approvalId,
    author: request.authorId,
    base_version: request.baseVersion,
    expires_at: request.expiresAt,
    field: request.field,
    new_value: request.newValue,
    old_value: request.oldValue,
    requested_at: request.requestedAt,
    resource: request.resource,
    tenant_id: request.tenantId,
  });
  return sha256Hex(`approval-request-v1\0${text}`);
}
