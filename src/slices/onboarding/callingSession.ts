/**
 * Who calls by a token of a session: a customer, with the rights of one case. A session that has
 * ended is a caller still, who may ask for a fresh link and do nothing else.
 */
import type { Principal, SessionScope } from '#core/identity';
import { DomainError, type TenantId } from '#core/kernel';
import { constantTimeEqual } from '#platform/crypto';
import { findCase, isUndecided } from '#slices/customers';
import type { OnboardingPorts } from './ports.ts';
import { tokenDigest, verifiedPlace } from './sessionToken.ts';
import type { SessionRecord } from './tables.ts';

/** Throws `credential-invalid` for every token that is not the one of its session. */
export async function callingSession(ports: OnboardingPorts, token: string): Promise<Principal> {
  const place = verifiedPlace(token, ports.keyRing);
  const key = place && { ...place, tenantId: place.tenantId as TenantId };
  const session = key && (await ports.sessions.find(key));
  if (session === undefined || !constantTimeEqual(session.tokenDigest, tokenDigest(token))) {
    throw new DomainError('credential-invalid');
  }
  const { caseId, channel, expiresAt, formId, sessionId, tenantId, versionId } = session;
  const ended = await endOf(ports, session);
  return {
    environment: 'live',
    expiresAt,
    id: sessionId,
    kind: 'session',
    mfa: false,
    roles: [],
    session: { caseId, channel, formId, versionId, ...(ended !== undefined && { ended }) },
    tenantId,
  };
}

async function endOf(
  ports: OnboardingPorts,
  { caseId, expiresAt, state, tenantId }: SessionRecord,
): Promise<SessionScope['ended']> {
  if (ports.clock.now() >= expiresAt) return 'session-expired';
  if (state === 'revoked') return 'session-ended';
  const record = await findCase(ports.cases, { caseId, tenantId });
  return record !== undefined && isUndecided(record) ? undefined : 'session-ended';
}
