/**
 * The open members of all events about some things, found by their targets, and erased one by one:
 * each erasure is an entry of its own, so a run that was cut off is simply repeated.
 */
import type { ChainId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { CommitEvidence } from './auditLog.ts';
import type { Asker, EntryContext } from './entry.ts';
import { eraseOpenOf } from './eraseEvidence.ts';
import type { AuditStore, SealedEvent } from './ports.ts';
import type { JsonRecord } from './verifyEvent.ts';

const PAGE = 500;

/** Which events. */
export interface OpenAbout {
  readonly chainId: ChainId;
  readonly targets: readonly string[];
  /** None that happened later. */
  readonly until: EpochMs;
  /** Whether what one says is left alone; absent: of none. */
  readonly isLeft?: (details: JsonRecord) => boolean;
}

/** Events about these that say something in their open part. */
export async function* openAbout(
  store: Pick<AuditStore, 'searchEvents'>,
  { chainId, isLeft = () => false, targets, until }: OpenAbout,
): AsyncGenerator<SealedEvent> {
  for (const target of targets) {
    for (let fromSeq = 1; ; ) {
      const page = await store.searchEvents({
        chainId,
        fromSeq,
        limit: PAGE,
        order: 'asc',
        target,
        toSeq: Number.MAX_SAFE_INTEGER,
      });
      for (const event of page) {
        const isAbout = (JSON.parse(event.body) as { readonly target?: unknown }).target === target;
        if (!isAbout || event.occurredAt > until) continue;
        const details = detailsOf(event);
        if (Object.keys(details).length > 0 && !isLeft(details)) yield event;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      fromSeq = last.seq + 1;
    }
  }
}

function detailsOf({ open }: SealedEvent): JsonRecord {
  if (open === undefined) return {};
  return (JSON.parse(open) as { readonly details?: JsonRecord }).details ?? {};
}

/** Erases them; answers how many. */
export async function eraseOpenAbout(
  ports: EntryContext & {
    readonly audit: { readonly commit: CommitEvidence };
    readonly store: Pick<AuditStore, 'eraseOpen' | 'searchEvents'>;
  },
  of: OpenAbout & Pick<Asker, 'actor'> & { readonly reason: string },
): Promise<number> {
  let count = 0;
  for await (const event of openAbout(ports.store, of)) {
    await eraseOpenOf(ports, event, { ...of, target: event.eventId });
    count++;
  }
  return count;
}
