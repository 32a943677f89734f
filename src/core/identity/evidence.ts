/**
 * What identity hands to the audit log: the state change and its entry as one step. Declared here
 * because the audit slice stands to the right of this one; `AuditLog.commit` takes it as it is.
 *
 * An entry names the actor and the target by id. Names of people and the like stand in `open`,
 * which can be erased; secrets and hashes of secrets stand nowhere.
 */
import type { BusEvent, ChainId, EventId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import type { IdentityChange } from './ports.ts';

type OpenValue = null | boolean | number | string | readonly OpenValue[] | OpenObject;
export type OpenObject = { readonly [key: string]: OpenValue };

export interface IdentityCommit {
  readonly events: readonly {
    readonly eventId: EventId;
    readonly type: 'entry';
    readonly occurredAt: EpochMs;
    readonly action: string;
    readonly members: OpenObject;
    readonly open: OpenObject;
  }[];
  readonly bus: readonly BusEvent[];
  readonly changes: readonly IdentityChange[];
}

/** Durable when it resolves. Rejects with `state-conflict` where another writer was first. */
export type CommitIdentity = (chainId: ChainId, commit: IdentityCommit) => Promise<unknown>;

/** Who did it, for the entry: `cli:<user>`, `api-key:<id>` or `user:<issuer>|<subject>`. */
export type Actor = string;

export function identityCommit(
  context: { readonly clock: Clock; readonly random: Random },
  entry: {
    readonly action: string;
    readonly actor: Actor;
    readonly target: string;
    readonly details: OpenObject;
  },
  changes: readonly IdentityChange[],
): IdentityCommit {
  const occurredAt = context.clock.now();
  return {
    events: [
      {
        eventId: uuidV7(occurredAt, context.random) as EventId,
        type: 'entry',
        occurredAt,
        action: entry.action,
        members: { action: entry.action, actor: entry.actor, target: entry.target },
        open: entry.details,
      },
    ],
    bus: [],
    changes,
  };
}
