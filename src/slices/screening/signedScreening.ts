/** A screening as it was signed: what was found, and of whom. */
import type { AuditStore, SignedEvents } from '#core/audit';
import { chainOf, DomainError, type ScreeningId, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import type { NormalizedQuery } from './ports.ts';
import { isPastRetention } from './retention.ts';
import { storedQuery, storedVerdict, type Verdict } from './screeningRecord.ts';

/** What screenings are read with. */
export interface ScreenedPorts {
  readonly audit: Pick<AuditStore, 'findByScreening'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly events: Pick<SignedEvents, 'checkOpen' | 'read'>;
}

/** Which screening, for a caller of this tenant. */
export interface ScreeningPlace {
  readonly tenantId: TenantId;
  readonly screeningId: string;
}

export interface SignedScreening {
  readonly verdict: Verdict;
  readonly occurredAt: EpochMs;
  /** Undefined once it was erased. */
  readonly query: NormalizedQuery | undefined;
  /** `subjectKeyOfRef` of the customer; absent where the screening named none. */
  readonly subjectKey?: string;
}

/** Throws `not-found`, `evidence-altered`. */
export async function signedScreening(
  { audit, clock, events }: ScreenedPorts,
  { screeningId, tenantId }: ScreeningPlace,
): Promise<SignedScreening> {
  const chainId = chainOf(tenantId);
  const event = await audit.findByScreening(chainId, screeningId as ScreeningId);
  if (event === undefined || isPastRetention(event, clock.now()))
    throw new DomainError('not-found');
  const { screening_id, subject_key } = await events.read(chainId, event);
  if (screening_id !== screeningId) {
    const detail = `screening ${screeningId}: another event stands in its place`;
    throw new DomainError('evidence-altered', { detail });
  }
  const { occurredAt } = event;
  return {
    occurredAt,
    query: storedQuery(event),
    ...(typeof subject_key === 'string' && { subjectKey: subject_key }),
    verdict: storedVerdict(event),
  };
}

/** What was found, as it was signed. Throws `not-found`, `evidence-altered`. */
export const signedVerdict = async (
  ports: ScreenedPorts,
  place: ScreeningPlace,
): Promise<Verdict> => (await signedScreening(ports, place)).verdict;
