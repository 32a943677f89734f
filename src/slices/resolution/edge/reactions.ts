/**
 * Resolves the lists in force anew when one of them has moved on. Until it is done, one person on
 * two lists is two hits, so it follows a publication within about a second.
 */
import type { Subscriber } from '#core/reactions';
import type { Log } from '#platform/log';
import {
  type ResolveInForcePorts,
  resolvedListStore,
  resolveInForce,
  signedResolutions,
} from '#slices/resolution';
import type { WorkerProcess } from '../../processes.ts';

const EVERY_MS = 60_000;
/**
 * A resolution that has just failed would fail again, at the same cost and with a report each
 * second.
 */
const RETRY_MS = 15_000;

export const subscribers = (process: WorkerProcess): readonly Subscriber[] => [
  resolutionSubscriber(
    {
      ...process,
      lists: resolvedListStore(process.storage.tables),
      signed: signedResolutions({ ...process, audit: process.storage.audit }),
    },
    process.log,
  ),
];

export function resolutionSubscriber(ports: ResolveInForcePorts, log: Log): Subscriber {
  return {
    from: 'now',
    name: 'resolution',
    sweep: {
      after: ['service.sanctions.lists.updated'],
      everyMs: EVERY_MS,
      retryMs: RETRY_MS,
      run: async () => {
        const { links, status } = await resolveInForce(ports);
        if (status === 'resolved') log.info({ count: links }, 'lists resolved');
      },
    },
  };
}
