/**
 * A person asks for his data, or for its erasure. An unknown subject gets a request, too: whether
 * something is held is the answer, and not told to whoever asks first.
 */
import { DomainError, everyRecord, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { dueAfter, nextReminder } from './deadlines.ts';
import { OPEN_REQUESTS_MAX } from './limits.ts';
import type { PrivacyActor, PrivacyPorts } from './ports.ts';
import { commitRequest, invalidRequest, type KeptRequest } from './requestStep.ts';
import {
  type NamedSubject,
  type PrivacyRequest,
  privacyRequestTable,
  type RequestAction,
  type RequestLocale,
} from './tables.ts';

/** What the caller says. */
export interface ReceiveRequest {
  readonly by: PrivacyActor;
  readonly action: RequestAction;
  readonly subject: NamedSubject;
  readonly requester: PrivacyRequest['requester'];
  readonly identity: Pick<PrivacyRequest['identity'], 'evidence' | 'method'>;
  readonly locale: RequestLocale;
  readonly note?: string;
  /** When the person asked, where that was before the request was written down. */
  readonly requestedAt?: EpochMs;
}

/** The request, received. Throws `privacy-request-invalid`. */
export async function receiveRequest(
  ports: PrivacyPorts,
  ask: ReceiveRequest,
  idempotency?: KeptRequest,
): Promise<PrivacyRequest> {
  const { action, by, identity, locale, note, requester, subject } = ask;
  const { tenantId } = by;
  const now = ports.clock.now();
  const receivedAt = ask.requestedAt ?? now;
  if (receivedAt > now) throw invalidRequest('/requested_at', 'expected an instant in the past');
  if (Object.keys(subject).length !== 1) {
    throw invalidRequest('/subject', 'expected one of subject_id, external_ref and case_id');
  }
  await requireRoom(ports, tenantId);
  const dueAt = dueAfter(receivedAt);
  const after: PrivacyRequest = {
    ...subject,
    action,
    createdBy: by.actor,
    dueAt,
    identity,
    locale,
    receivedAt,
    remindAt: nextReminder(dueAt, now).at,
    requestId: uuidV7(now, ports.random),
    requester,
    status: 'received',
    tenantId,
    version: 1,
    ...(note !== undefined && { note }),
  };
  return commitRequest(ports, {
    action: 'privacy.request.received',
    after,
    by,
    idempotency,
    open: { subject: { ...subject } },
  });
}

/** Throws `privacy-request-invalid` where a tenant has as many open as it may. */
async function requireRoom(
  { tables }: Pick<PrivacyPorts, 'tables'>,
  tenantId: TenantId,
): Promise<void> {
  let open = 0;
  const ask = { equal: { isOpen: true, tenantId }, index: 'open' };
  for await (const _ of everyRecord(tables, privacyRequestTable, ask)) open++;
  if (open < OPEN_REQUESTS_MAX) return;
  throw invalidRequest('', `expected at most ${OPEN_REQUESTS_MAX} open requests`);
}

/** Whether somebody has asked for his data, or its erasure, and is not answered yet. */
export async function hasOpenRequest(
  { tables }: Pick<PrivacyPorts, 'tables'>,
  of: { readonly tenantId: TenantId; readonly subjectRef: string },
): Promise<boolean> {
  const ask = { equal: { subjectRef: of.subjectRef, tenantId: of.tenantId }, index: 'byRef' };
  for await (const { endedAt } of everyRecord(tables, privacyRequestTable, ask)) {
    if (endedAt === undefined) return true;
  }
  return false;
}

/**
 * Throws `privacy-same-person` for who took an erasure in, and where nobody is registered. A key or
 * an account of nobody registered may be the approver's own: who proved the identity is then the
 * other person.
 */
export function requireOther(
  { action, createdBy, identity }: Pick<PrivacyRequest, 'action' | 'createdBy' | 'identity'>,
  by: PrivacyActor,
): void {
  if (action !== 'erase') return;
  if (!by.isPerson) throw new DomainError('person-required');
  const other = isPerson(createdBy) ? createdBy : identity.verified?.by;
  if (createdBy === by.actor || other === by.actor || other === undefined || !isPerson(other)) {
    throw new DomainError('privacy-same-person');
  }
}

/** Throws `person-required` where a proof is to be the word of the other person, and is not. */
export function requireProver(
  { action, createdBy }: Pick<PrivacyRequest, 'action' | 'createdBy'>,
  by: PrivacyActor,
): void {
  if (action !== 'erase' || isPerson(createdBy) || by.isPerson) return;
  throw new DomainError('person-required');
}

const isPerson = (actor: string): boolean => actor.startsWith('person:');
