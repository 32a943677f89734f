/** Answers of sanctions to questions of the slices on their left. */
import { signedEvents } from '#core/audit';
import { chainOf, type ScreeningId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import type { ScreeningById } from '#slices/batches';
import type { EditingLock } from '#slices/policies';
import { seenByOf } from '#slices/sanctions';
import { isPastRetention, rebuildScreening } from '#slices/screening';
import type { SliceProcess } from '../../processes.ts';
import { chainBreaksOf } from './parts.ts';

/** The lock follows from the signed entries, which are read on at each change. */
export const editingLock = (process: SliceProcess): EditingLock => {
  const breaks = process.once(chainBreaksOf);
  return (tenantId) => breaks.standing(chainOf(tenantId));
};

export const screeningById = (process: SliceProcess): ScreeningById => {
  const { clock, identity, keyRing, storage } = process;
  const { audit, tables } = storage;
  const signed = signedEvents({ audit, keyRing });
  const listPersons = identity.listPersons.bind(identity);
  return async ({ factsOf, id, principal, signal, tenantId }) => {
    const chainId = chainOf(tenantId);
    const event = await audit.findByScreening(chainId, id as ScreeningId);
    if (event === undefined || isPastRetention(event, clock.now())) return undefined;
    const { query_normalized, requested_by } = await signed.read(chainId, event);
    const seenBy = await seenByOf({ listPersons, tables }, principal);
    const isSeen =
      seenBy === undefined || seenBy.requestedBy === requested_by || seenBy.assigned.includes(id);
    if (!isSeen) return undefined;
    const caller = { signal, turn: tenantId };
    const text = await rebuildScreening(event, { caller, factsOf, tookMs: 0 });
    // How long it took stands with its idempotency key, for a day, and nowhere else.
    const { screening_id, took_ms: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
    return {
      screening_id,
      status: 'completed',
      occurred_at: toTimestamp(event.occurredAt),
      requested_by,
      erased: query_normalized === undefined,
      ...rest,
    };
  };
};
