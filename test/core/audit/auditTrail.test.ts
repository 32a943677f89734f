/** The audit trail over a chain: pages, filters and their bounds. */
import { describe, expect, test } from 'vitest';
import { EVENTS_READ_MAX, readTrail, type SealedEvent, type TrailStore } from '#core/audit';
import { type ChainId, DomainError, type EventId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

const CHAIN = 'tenant-a' as ChainId;
const ACTIONS = ['case.reassigned', 'kyc.case.created'];

function eventAt(seq: number): SealedEvent {
  const body = {
    action: seq % 100 === 0 ? 'case.reassigned' : 'kyc.case.created',
    actor: `agent-${seq % 3}`,
    occurred_at: new Date(seq * 1000).toISOString(),
    target: `case-${seq}`,
  };
  return {
    body: JSON.stringify(body),
    eventId: `e-${seq}` as EventId,
    hash: 'a'.repeat(64),
    occurredAt: (seq * 1000) as EpochMs,
    seq,
    type: 'entry',
  };
}

/** A chain of `length` events, found as the stores find them, by one filter alone. */
function storeOf(length: number): TrailStore {
  const all = Array.from({ length }, (_, at) => eventAt(at + 1));
  const has = (event: SealedEvent, word: string | undefined) =>
    word === undefined || event.body.includes(`"${word}"`);
  return {
    findBySeq: async (_, seq) => all[seq - 1],
    head: async () => ({ hash: '', seq: length }),
    readEvents: async ({ fromSeq, limit }) => all.slice(fromSeq - 1, fromSeq - 1 + limit),
    searchEvents: async ({ actions, actor, fromSeq, limit, order, target, toSeq }) => {
      const found = all.filter(
        (event) =>
          event.seq >= fromSeq &&
          event.seq <= toSeq &&
          (target === undefined
            ? has(event, actor) && (actions ?? ['']).some((one) => one === '' || has(event, one))
            : has(event, target)),
      );
      return (order === 'asc' ? found : found.reverse()).slice(0, limit);
    },
  };
}

async function walk(
  length: number,
  filter: object,
  limit: number,
  order: 'asc' | 'desc' = 'asc',
): Promise<number[]> {
  const seen: number[] = [];
  let afterSeq: number | undefined = 0;
  while (afterSeq !== undefined) {
    const ask = { actions: ACTIONS, afterSeq, chainId: CHAIN, filter, limit, order };
    const page = await readTrail(storeOf(length), ask);
    seen.push(...page.entries.map((entry) => entry.seq));
    afterSeq = page.nextAfterSeq;
  }
  return seen;
}

describe('readTrail', () => {
  test('what is shown is verified, and no more; a page ends where it may not go on', async () => {
    const verified: number[] = [];
    // Every third event has the actor, and none of them the target's action.
    const filter = { actor: 'agent-1', target: 'case-151' };
    const ask = { afterSeq: 0, chainId: CHAIN, filter: { actor: 'agent-1' }, limit: 2 };
    const verify = async ({ seq }: SealedEvent) => void verified.push(seq);
    const page = await readTrail(storeOf(400), { ...ask, verify });
    expect(page.entries.map(({ seq }) => seq)).toEqual([1, 4]);
    expect(verified).toEqual([1, 4]);
    const one = await readTrail(storeOf(400), { ...ask, filter, limit: 50 });
    expect(one.entries.map(({ seq }) => seq)).toEqual([151]);
    const altered = () => Promise.reject(new DomainError('evidence-altered'));
    await expect(readTrail(storeOf(400), { ...ask, verify: altered })).rejects.toMatchObject({
      code: 'evidence-altered',
    });
  });

  test('a filter beside the index is looked at in bounded pages; one may be refused', async () => {
    // The index serves the type; the time lets none of it through.
    const to = new Date(1_000).toISOString();
    const filter = { actor: 'nobody', target: undefined, to, type: 'kyc.*' };
    expect(await walk(1_234, filter, 50)).toEqual([]);
    const far = { ...storeOf(1_234), searchEvents: storeOf(1_234).searchEvents };
    const blind: TrailStore = {
      ...far,
      searchEvents: ({ actor: _, ...search }) => far.searchEvents(search),
    };
    const ask = { afterSeq: 0, chainId: CHAIN, filter: { actor: 'nobody' }, limit: 50 };
    const short = await readTrail(blind, { ...ask, mayReadOn: async () => false });
    expect(short).toEqual({ entries: [], nextAfterSeq: 100 });
    const whole = await readTrail(blind, { ...ask, mayReadOn: async () => true });
    expect(whole).toEqual({ entries: [], nextAfterSeq: EVENTS_READ_MAX });
  });

  test('entries that say that they are confidential are hidden, and not counted', async () => {
    const hidden = (seq: number): SealedEvent => ({
      ...eventAt(seq),
      body: '{"action":"str.filed","confidential":true}',
    });
    const all = Array.from({ length: 700 }, (_, at) => hidden(at + 1)).concat(eventAt(701));
    const searchEvents: TrailStore['searchEvents'] = async ({ fromSeq, limit }) =>
      all.slice(fromSeq - 1, fromSeq - 1 + limit);
    const store = { ...storeOf(0), searchEvents };
    const ask = { afterSeq: 0, chainId: CHAIN, filter: {}, limit: 50 };
    let verified = 0;
    const verify = async () => void verified++;
    const never = () => Promise.reject(new Error('hidden entries must cost no token'));
    const page = await readTrail(store, { ...ask, mayReadOn: never, verify });
    expect(page.entries.map(({ seq }) => seq)).toEqual([701]);
    expect(page.nextAfterSeq).toBeUndefined();
    expect(verified).toBe(701);
    const whole = await readTrail(store, { ...ask, seesConfidential: true });
    expect(whole.entries).toHaveLength(50);
  });

  test('pages join to the whole chain, in either order and without repetition', async () => {
    const all = Array.from({ length: 1_234 }, (_, at) => at + 1);
    expect(await walk(1_234, {}, 50)).toEqual(all);
    expect(await walk(1_234, {}, 50, 'desc')).toEqual(all.reverse());
  });

  test('a type is an action, or the beginning of some', async () => {
    const hundreds = Array.from({ length: 12 }, (_, at) => (at + 1) * 100);
    expect(await walk(1_200, { type: 'case.reassigned' }, 7)).toEqual(hundreds);
    expect(await walk(1_200, { type: 'case.*' }, 7)).toEqual(hundreds);
    expect(await walk(250, { type: '*' }, 100)).toHaveLength(250);
    expect(await walk(250, { type: 'kyc.*' }, 100, 'desc')).toHaveLength(248);
    expect(await walk(250, { type: 'nothing.*' }, 100)).toEqual([]);
  });

  test('from is inclusive and to is exclusive, in either order', async () => {
    const filter = { from: new Date(5_000).toISOString(), to: new Date(8_000).toISOString() };
    expect(await walk(20, filter, 50)).toEqual([5, 6, 7]);
    expect(await walk(20, filter, 50, 'desc')).toEqual([7, 6, 5]);
  });

  test('a time is found in a long chain by looking at few events', async () => {
    const store = storeOf(100_000);
    let looked = 0;
    const findBySeq: TrailStore['findBySeq'] = async (chainId, seq) => {
      looked++;
      return store.findBySeq(chainId, seq);
    };
    const filter = {
      from: new Date(50_000_000).toISOString(),
      to: new Date(50_003_000).toISOString(),
    };
    const ask = { chainId: CHAIN, filter, limit: 50 };
    const page = await readTrail({ ...store, findBySeq }, ask);
    expect(page.entries.map(({ seq }) => seq)).toEqual([50_000, 50_001, 50_002]);
    expect(looked).toBeLessThan(40);
  });
});
