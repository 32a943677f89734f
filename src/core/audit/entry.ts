/**
 * The one maker of audit entries (interface.md 6.3): who did what to which thing. An entry names
 * actor and target by id. Personal data, and free text that a person wrote, stand in `open`, which
 * can be erased without breaking the chain. Secrets and hashes of secrets stand nowhere.
 */
import type { EventId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import type { AuditAction } from './actionRows.ts';
import { CHAIN_MEMBERS } from './chain.ts';
import type { EventDraft, JsonObject } from './ports.ts';
import type { JsonRecord } from './verifyEvent.ts';

/**
 * Who acted: the schedule, a part of the system, a user of the command line, a registered person,
 * an account of the identity provider (`user:<issuer>|<subject>`), an API key by its id, or a
 * customer by the id of an onboarding session.
 */
export type Actor =
  | 'cron'
  | 'system'
  | `system:${string}`
  | `cli:${string}`
  | `person:${string}`
  | `user:${string}`
  | `key:${string}`
  | `session:${string}`;

/**
 * Who carries out the erasures of persons. Its entries are confidential: what it has done, and what
 * not yet, tells whom something holds.
 */
export const ERASER = 'system:erasure' satisfies Actor;

/** Who asked, and from which address. */
export interface Asker {
  readonly actor: Actor;
  /** The caller's address, for a request over HTTP. Personal, so it stands in the open part. */
  readonly ip?: string;
}

/** What makes an entry's id and time. */
export interface EntryContext {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** One entry, as the code that writes it states it. */
export interface Entry extends Asker {
  readonly action: AuditAction;
  /** Id of the thing that was acted on; for an act on several things, the name of their kind. */
  readonly target: string;
  readonly severity?: 'INFO' | 'NOTICE' | 'ALERT';
  /** Members that are hashed, beside action, actor, target and severity. */
  readonly members?: JsonObject;
  /** Members that can be erased. */
  readonly open?: JsonObject;
  /** When it happened; absent means now. */
  readonly at?: EpochMs;
}

/** The draft of an entry, to be committed together with the change that it tells of. */
export function entry({ clock, random }: EntryContext, of: Entry): EventDraft {
  const { action, actor, at = clock.now(), ip, members, open, severity, target } = of;
  return {
    action,
    eventId: uuidV7(at, random) as EventId,
    members: {
      ...members,
      action,
      actor,
      target,
      ...(actor === ERASER && { confidential: true }),
      ...(severity !== undefined && { severity }),
    },
    occurredAt: at,
    open: { ...open, ...(ip !== undefined && { ip }) },
    type: 'entry',
  };
}

/** Members that `entry` itself writes. */
const ENTRY_MEMBERS: ReadonlySet<string> = new Set(['action', 'actor', 'severity', 'target']);

/** The members of a stored entry that its author gave as `members`. */
export const toldMembers = (of: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(of).filter(([name]) => !CHAIN_MEMBERS.has(name) && !ENTRY_MEMBERS.has(name)),
  );
