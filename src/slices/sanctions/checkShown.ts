/**
 * The events of screenings that are shown, read from the chain and checked. Each is checked by
 * itself and against the event before it, so whatever was altered, taken out or put between is
 * named by its place.
 */
import type { SealedEvent } from '#core/audit';
import { type ChainId, chainOf, DomainError, type ScreeningId, type TenantId } from '#core/kernel';
import type { CheckCaller } from './asks.ts';
import type { EventFault } from './checkEvents.ts';
import type { RegisterPorts } from './ports.ts';
import type { ScreeningSummary } from './screeningSummary.ts';

/** Events in hand at once, so that a page is no burst for the store and no heap for the thread. */
const TOGETHER = 100;

/** One screening of a list. */
export interface CheckedScreening {
  readonly screeningId: string;
  /** Undefined: there is no such event. */
  readonly event?: Pick<SealedEvent, 'hash' | 'seq'>;
  readonly fault?: EventFault;
  /** Absent where there is a fault. */
  readonly summary?: ScreeningSummary;
}

/** In the order of the ids. Rejects as the thread does. */
export async function checkScreenings(
  ports: Pick<RegisterPorts, 'audit' | 'check' | 'events'>,
  ask: { readonly tenantId: TenantId; readonly screeningIds: readonly string[] },
  by: Omit<CheckCaller, 'turn'> = {},
): Promise<readonly CheckedScreening[]> {
  const { screeningIds, tenantId } = ask;
  const chainId = chainOf(tenantId);
  const checked: CheckedScreening[] = [];
  const read = (from: number): Promise<ReadEvents> => {
    const reading = readSome(ports, chainId, screeningIds.slice(from, from + TOGETHER));
    // Its awaiter gets the error; the one that is read ahead may have none.
    reading.catch(() => undefined);
    return reading;
  };
  let ahead = read(0);
  for (let from = 0; from < screeningIds.length; from += TOGETHER) {
    const some = await ahead;
    // The store reads the next ones while the thread checks these.
    ahead = read(from + TOGETHER);
    checked.push(...(await checkSome(ports, { ...some, tenantId }, by)));
  }
  return checked;
}

/** Some events as they are stored, with the hashes of those before them. */
interface ReadEvents {
  readonly screeningIds: readonly string[];
  readonly found: readonly (SealedEvent | undefined)[];
  readonly present: readonly SealedEvent[];
  readonly before: ReadonlyMap<number, string>;
}

async function readSome(
  { audit }: Pick<RegisterPorts, 'audit'>,
  chainId: ChainId,
  screeningIds: readonly string[],
): Promise<ReadEvents> {
  const found = await Promise.all(
    screeningIds.map((id) => audit.findByScreening(chainId, id as ScreeningId)),
  );
  const present = found.filter((event) => event !== undefined);
  return { before: await hashesBefore(audit, chainId, present), found, present, screeningIds };
}

async function checkSome(
  { check, events }: Pick<RegisterPorts, 'check' | 'events'>,
  of: ReadEvents & { readonly tenantId: TenantId },
  by: Omit<CheckCaller, 'turn'>,
): Promise<readonly CheckedScreening[]> {
  const { before, found, present, screeningIds, tenantId } = of;
  const chainId = chainOf(tenantId);
  const task = {
    chainId,
    events: present.map((event) => ({ ...event, hashBefore: before.get(event.seq - 1) })),
    isShown: true,
  };
  const answers = await check(task, { ...by, turn: tenantId });
  const checkedOf = new Map(present.map((event, at) => [event, answers[at]]));
  return Promise.all(
    screeningIds.map(async (screeningId, at): Promise<CheckedScreening> => {
      const event = found[at];
      if (event === undefined) return { fault: { reason: 'event-missing' }, screeningId };
      const { fault, summary } = checkedOf.get(event) ?? {};
      const own = fault ?? (await furtherFault(events, { chainId, event, screeningId, summary }));
      const place = { event: { hash: event.hash, seq: event.seq }, screeningId };
      return own === undefined
        ? { ...place, ...(summary && { summary }) }
        : { ...place, fault: own };
    }),
  );
}

/** Hashes of the events before these, by their seq. */
async function hashesBefore(
  audit: RegisterPorts['audit'],
  chainId: ChainId,
  events: readonly SealedEvent[],
): Promise<ReadonlyMap<number, string>> {
  const hashes = new Map(events.map(({ hash, seq }) => [seq, hash]));
  const missing = [...new Set(events.map(({ seq }) => seq - 1))].filter(
    (seq) => seq > 0 && !hashes.has(seq),
  );
  const read = await Promise.all(missing.map((seq) => audit.findBySeq(chainId, seq)));
  for (const event of read) if (event !== undefined) hashes.set(event.seq, event.hash);
  return hashes;
}

/** What one event alone does not show: whose it is, and why its open members are gone. */
async function furtherFault(
  events: RegisterPorts['events'],
  of: {
    readonly chainId: ChainId;
    readonly event: SealedEvent;
    readonly screeningId: string;
    readonly summary: ScreeningSummary | undefined;
  },
): Promise<EventFault | undefined> {
  const { chainId, event, screeningId, summary } = of;
  if (summary?.screeningId !== screeningId) return { reason: 'event-malformed' };
  if (event.open !== undefined) return undefined;
  try {
    await events.checkOpen(chainId, event);
    return undefined;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'evidence-altered') {
      return { reason: 'open-members-missing' };
    }
    throw error;
  }
}
