/** AuditStore: events by action, actor and target, in either order, and one event by its id. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventSearch, SealedEvent } from '#core/audit';
import type { EventId } from '#core/kernel';
import type { Storage } from '../../../src/storage/index.ts';
import {
  append,
  CHAIN_A,
  CHAIN_B,
  type MakeHarness,
  makeEvent,
  type StoreHarness,
  TTL_MS,
  takeHead,
} from './harness.ts';

const ACTIONS = ['case.reassigned', 'kyc.case.created', 'kyc.consent.given'];
const ACTORS = ['key:one', 'person:two', 'cli:three'];
/** So many that pages, groups and actions do not fall together. */
const EVENTS = 97;
const GROUP = 7;

/** Every fifth is a screening, of which the actor is named by another member. */
function eventAt(seq: number): SealedEvent {
  const { decision, screeningId, ...event } = makeEvent(CHAIN_A, seq);
  const actor = ACTORS[seq % ACTORS.length];
  if (seq % 5 === 0) {
    const body = JSON.stringify({ requested_by: actor, screening_id: screeningId });
    return { ...event, body, decision: decision ?? '', screeningId: screeningId as never };
  }
  const action = ACTIONS[seq % ACTIONS.length] as string;
  const body = JSON.stringify({ action, actor, note: 'é', target: `case-${seq % 4}` });
  return { ...event, action, body, type: 'entry' };
}

export const SEARCHED: readonly SealedEvent[] = Array.from({ length: EVENTS }, (_, at) =>
  eventAt(at + 1),
);

/** The answer by looking at every event. */
function expected({ actions, actor, fromSeq, limit, order, target, toSeq }: EventSearch): number[] {
  const found = SEARCHED.filter((event) => {
    const body = JSON.parse(event.body) as Record<string, unknown>;
    return (
      event.seq >= fromSeq &&
      event.seq <= toSeq &&
      (actions === undefined || actions.includes(event.action ?? 'screening')) &&
      (actor === undefined || (body.actor ?? body.requested_by) === actor) &&
      (target === undefined || (body.target ?? event.screeningId) === target)
    );
  }).map(({ seq }) => seq);
  return (order === 'asc' ? found : found.reverse()).slice(0, limit);
}

/** Every choice of filters that an index serves, and of bounds that fall inside groups. */
function* searches(): Generator<EventSearch> {
  const filters: Pick<EventSearch, 'actions' | 'actor' | 'target'>[] = [
    {},
    { actions: ['kyc.case.created'] },
    { actions: ['screening'] },
    { actions: ['kyc.case.created', 'kyc.consent.given', 'never.written'] },
    { actions: ['case.reassigned', 'screening'] },
    { actor: 'key:one' },
    { actions: ['screening'], actor: 'person:two' },
    { actions: ['case.reassigned', 'kyc.consent.given'], actor: 'cli:three' },
    { actor: 'nobody' },
    { target: 'case-2' },
    { target: makeEvent(CHAIN_A, 35).screeningId ?? '' },
    { target: 'nothing' },
  ];
  for (const filter of filters) {
    for (const order of ['asc', 'desc'] as const) {
      for (const [fromSeq, toSeq] of [[1, Number.MAX_SAFE_INTEGER] as const, [9, 52] as const]) {
        for (const limit of [1, 5, 1000]) {
          yield { ...filter, chainId: CHAIN_A, fromSeq, limit, order, toSeq };
        }
      }
    }
  }
}

/** Writes SEARCHED, in groups. */
export async function writeSearched(storage: Storage): Promise<void> {
  for (let at = 0; at < EVENTS; at += GROUP) {
    const lease = await takeHead(storage, CHAIN_A);
    const events = SEARCHED.slice(at, at + GROUP);
    const group = { bus: [], changes: [], events, idempotency: [] };
    await storage.audit.appendGroup(lease, group, { release: true, ttlMs: TTL_MS });
  }
}

export function auditSearchContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: AuditStore.searchEvents`, () => {
    let harness: StoreHarness;
    let storage: Storage;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
      await writeSearched(storage);
      await append(storage, { chain: CHAIN_B, count: 3 });
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });

    test('answers what a look at every event finds, in order and as it was written', async () => {
      for (const search of searches()) {
        const found = await storage.audit.searchEvents(search);
        expect({ found: found.map(({ seq }) => seq), search }).toEqual({
          found: expected(search),
          search,
        });
        expect(found).toEqual(found.map(({ seq }) => SEARCHED[seq - 1]));
      }
    });

    test('another chain has its own events, and one that was never written none', async () => {
      const ask = { fromSeq: 1, limit: 10, order: 'asc', toSeq: 100 } as const;
      expect(await storage.audit.searchEvents({ ...ask, chainId: CHAIN_B })).toHaveLength(3);
      const never = { ...ask, chainId: 'tenant-never' as typeof CHAIN_A };
      expect(await storage.audit.searchEvents(never)).toEqual([]);
    });

    test('one event is found by its id, in its own chain alone', async () => {
      const [first] = SEARCHED;
      const eventId = first?.eventId as EventId;
      expect(await storage.audit.findByEventId(CHAIN_A, eventId)).toEqual(first);
      expect(await storage.audit.findByEventId(CHAIN_B, eventId)).toBeUndefined();
      expect(await storage.audit.findByEventId(CHAIN_A, 'none' as EventId)).toBeUndefined();
    });
  });
}
