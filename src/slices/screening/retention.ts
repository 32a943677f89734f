/** How long a screening is answered: ten years, and then as if it had never been. */
import type { SealedEvent } from '#core/audit';
import type { EpochMs } from '#platform/clock';

const RETENTION_MS = 10 * 365.25 * 24 * 3600 * 1000;

/** Whether every route of a screening answers 404 by now (interface.md 4.8, rule 10). */
export const isPastRetention = (
  { occurredAt }: Pick<SealedEvent, 'occurredAt'>,
  now: EpochMs,
): boolean => occurredAt < now - RETENTION_MS;
