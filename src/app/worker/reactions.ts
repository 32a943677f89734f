/** What reacts to events in a worker, and who hears of what goes wrong. */
import { createReactions, type Reactions } from '#core/reactions';
import { isProcessGone } from '#core/work';
import { isLaterFormat } from '#engine';
import type { Log } from '#platform/log';
import { indexSubscriber } from '../../slices/ingestion/edge/reactions.ts';
import { resolutionSubscriber } from '../../slices/resolution/edge/reactions.ts';
import type { Installation } from '../installation.ts';
import type { RunParts } from '../listRuns.ts';

export function openReactions(
  { clock, holder, storage }: Installation,
  { log, runs }: { readonly log: Log; readonly runs: RunParts },
): Reactions {
  const ports = { ...runs.imports, lists: runs.lists };
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
    subscribers: [
      indexSubscriber({ ...ports, isLaterFormat }, log),
      resolutionSubscriber(ports, log),
    ],
  });
}
