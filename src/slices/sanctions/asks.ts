/** What sanctions ask of their process: a thread that checks events. */
import type { KeyRing } from '#core/audit';
import { adapter } from '#core/kernel';
import type { CheckedEvent, EventTask } from './checkEvents.ts';

/** Who waits for the check; a tenant's checks take its turns. */
export interface CheckCaller {
  readonly turn: string;
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
}

/**
 * Checks events in a thread of its own, which starts with the first, in turns of tenants. Rejects
 * with `deadline-exceeded`, `engine-queue-full` or `body-aborted`.
 */
export interface EventThread {
  check(task: EventTask, by: CheckCaller): Promise<readonly CheckedEvent[]>;
  close(): Promise<void>;
}

export const eventThread = adapter<(of: { readonly keyRing: KeyRing }) => Promise<EventThread>>();
