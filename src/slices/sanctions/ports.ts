/** What the rules of sanctions need of their process. */
import type { AuditStore, CommitEvidence, SignedEvents } from '#core/audit';
import type { Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { CheckCaller } from './asks.ts';
import type { ChainBreaks } from './chainBreaks.ts';
import type { CheckedEvent, EventTask } from './checkEvents.ts';

/** Checks events, in a thread or on the spot. */
export type CheckEvents = (task: EventTask, by: CheckCaller) => Promise<readonly CheckedEvent[]>;

/** What screenings are listed and shown with. */
export interface RegisterPorts {
  readonly audit: Pick<
    AuditStore,
    'findByScreening' | 'findBySeq' | 'head' | 'latestCheckpoint' | 'readEvents'
  >;
  readonly breaks: Pick<ChainBreaks, 'of' | 'standing'>;
  readonly check: CheckEvents;
  readonly clock: Pick<Clock, 'now'>;
  readonly commit: CommitEvidence;
  readonly events: Pick<SignedEvents, 'checkOpen'>;
  readonly random: Random;
  readonly tables: Tables;
}
