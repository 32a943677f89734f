/** How long a screening is answered: ten years, and then as if it had never been. */
import type { SealedEvent } from '#core/audit';
import type { EpochMs } from '#platform/clock';

const RETENTION_YEARS = 10;

/** The first instant whose screenings are answered: calendar years, so that leap days count. */
export function earliestAnswered(now: EpochMs): EpochMs {
  const at = new Date(now);
  at.setUTCFullYear(at.getUTCFullYear() - RETENTION_YEARS);
  return (at.getTime() + 1) as EpochMs;
}

/** Whether every route of a screening answers 404 by now (interface.md 4.8, rule 10). */
export const isPastRetention = (
  { occurredAt }: Pick<SealedEvent, 'occurredAt'>,
  now: EpochMs,
): boolean => occurredAt < earliestAnswered(now);
