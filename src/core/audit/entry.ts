/**
 * The one maker of audit entries (interface.md 6.3): who did what to which thing. An entry names
 * actor and target by id. What is personal, and free text that a person wrote, stands in `open`,
 * which can be erased without breaking the chain; secrets and hashes of secrets stand nowhere.
 */
import type { EventId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import type { AuditAction } from './actionRows.ts';
import type { EventDraft, JsonObject } from './ports.ts';

/**
 * Who did it: the schedule, a part of the system, a user of the command line, a registered person,
 * an account of the identity provider (`user:<issuer>|<subject>`), or an API key by its id.
 */
export type Actor =
  | 'cron'
  | 'system'
  | `system:${string}`
  | `cli:${string}`
  | `person:${string}`
  | `user:${string}`
  | `key:${string}`;

/** Who asked, and from where. */
export interface Asker {
  readonly actor: Actor;
  /** Of a request over HTTP: the caller's address. Personal, so it stands in the open part. */
  readonly ip?: string;
}

/** What an entry's id and time are made with. */
export interface EntryContext {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** An entry in the words of who writes it. */
export interface Entry extends Asker {
  readonly action: AuditAction;
  /** Id of what it was done to; of what concerns several, its name. */
  readonly target: string;
  readonly severity?: 'INFO' | 'NOTICE' | 'ALERT';
  /** What is hashed, beside action, actor, target and severity. */
  readonly members?: JsonObject;
  /** What can be erased. */
  readonly open?: JsonObject;
  /** Absent: now. */
  readonly at?: EpochMs;
}

/** The draft of an entry, to be committed with what it tells of. */
export function entry({ clock, random }: EntryContext, of: Entry): EventDraft {
  const { action, actor, at = clock.now(), ip, members, open, severity, target } = of;
  return {
    action,
    eventId: uuidV7(at, random) as EventId,
    members: { ...members, action, actor, target, ...(severity !== undefined && { severity }) },
    occurredAt: at,
    open: { ...open, ...(ip !== undefined && { ip }) },
    type: 'entry',
  };
}
