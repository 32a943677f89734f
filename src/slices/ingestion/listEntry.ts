/**
 * Entries about lists in the platform's chain: who did what to which source. Lists belong to no
 * tenant, and what they say of people is public, so nothing of them stands in the part that can be
 * erased; free text that a person of ours wrote does.
 */
import type { EventDraft, JsonObject } from '#core/audit';
import type { EventId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';

export interface ListEntry {
  readonly action: string;
  readonly severity: 'INFO' | 'NOTICE' | 'ALERT';
  /** `cron`, `system`, `system:<part>`, `cli:<user>`, `person:<id>`, `user:…`, `key:<id>`. */
  readonly actor: string;
  /** A source's id; of what concerns several, its name. */
  readonly target: string;
  /** What is hashed, beside the four above. */
  readonly members: JsonObject;
  readonly open?: JsonObject;
  /** Absent: now. */
  readonly at?: EpochMs;
}

export function listEntry(
  context: { readonly clock: Pick<Clock, 'now'>; readonly random: Random },
  { at = context.clock.now(), members, open = {}, ...head }: ListEntry,
): EventDraft {
  return {
    action: head.action,
    eventId: uuidV7(at, context.random) as EventId,
    members: { ...members, ...head },
    occurredAt: at,
    open,
    type: 'entry',
  };
}
