/** The reactions to events in a worker, and the report of their failures. */
import { createReactions, type Reactions } from '#core/reactions';
import { isProcessGone } from '#core/work';
import type { WorkerProcess } from '../../slices/processes.ts';
import type { LoadedJobs } from './jobs.ts';
import { requirePurposes } from './requirePurposes.ts';

export async function openReactions(
  process: WorkerProcess,
  parts: readonly LoadedJobs[],
): Promise<Reactions> {
  const { clock, holder, log, storage } = process;
  const subscribers = await Promise.all(
    parts.map(async (one) => requirePurposes(one, (await one.part.subscribers?.(process)) ?? [])),
  );
  return createReactions({
    clock,
    holder,
    isGone: (other) => isProcessGone(other, holder),
    onFailed: ({ event, subscriber }, error) =>
      log.warn({ error, event_id: event?.id, subscriber }, 'a reaction failed and comes again'),
    onSetAside: ({ code, event, subscriber, tries }) =>
      log.error(
        { code, event_id: event.id, subscriber, topic: event.topic, tries },
        'an event is set aside until somebody retries it',
      ),
    outbox: storage.outbox,
    subscribers: subscribers.flat(),
  });
}
