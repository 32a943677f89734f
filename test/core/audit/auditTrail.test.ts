/** The audit trail over a chain: pages, filters and their bounds. */
import { describe, expect, test } from 'vitest';
import { EVENTS_READ_MAX, readTrail, type SealedEvent } from '#core/audit';
import { type ChainId, DomainError, type EventId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

const CHAIN = 'tenant-a' as ChainId;

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

/** A chain of `length` events, read as the store reads it. */
const storeOf = (length: number) => ({
  readEvents: async (page: { fromSeq: number; limit: number; action?: string }) =>
    Array.from({ length: Math.max(0, length - page.fromSeq + 1) }, (_, at) =>
      eventAt(page.fromSeq + at),
    )
      .filter(({ body }) => page.action === undefined || body.includes(`"${page.action}"`))
      .slice(0, page.limit),
});

async function walk(length: number, filter: object, limit: number): Promise<number[]> {
  const seen: number[] = [];
  let afterSeq: number | undefined = 0;
  while (afterSeq !== undefined) {
    const ask = { afterSeq, chainId: CHAIN, filter, limit };
    const page = await readTrail(storeOf(length), ask);
    seen.push(...page.entries.map((entry) => entry.seq));
    afterSeq = page.nextAfterSeq;
  }
  return seen;
}

describe('readTrail', () => {
  test('what is shown is verified, and no more; a page ends where it may not go on', async () => {
    const verified: number[] = [];
    const ask = { afterSeq: 0, chainId: CHAIN, filter: { target: 'case-150' }, limit: 50 };
    const verify = async ({ seq }: SealedEvent) => void verified.push(seq);
    const page = await readTrail(storeOf(400), { ...ask, mayReadOn: async () => true, verify });
    expect(page.entries.map(({ seq }) => seq)).toEqual([150]);
    expect(verified).toEqual([150]);
    const short = await readTrail(storeOf(400), { ...ask, mayReadOn: async () => false, verify });
    expect(short).toEqual({ entries: [], nextAfterSeq: 100 });
    const altered = () => Promise.reject(new DomainError('evidence-altered'));
    await expect(readTrail(storeOf(400), { ...ask, verify: altered })).rejects.toMatchObject({
      code: 'evidence-altered',
    });
  });

  test('an entry that calls itself confidential is hidden, and verified all the same', async () => {
    const hidden = { ...eventAt(1), body: '{"action":"str.filed","confidential":true}' };
    const store = { readEvents: async () => [hidden, eventAt(2)] };
    const ask = { afterSeq: 0, chainId: CHAIN, filter: {}, limit: 50 };
    const verified: number[] = [];
    const verify = async ({ seq }: SealedEvent) => void verified.push(seq);
    const page = await readTrail(store, { ...ask, verify });
    expect(page.entries.map(({ seq }) => seq)).toEqual([2]);
    expect(verified).toEqual([1, 2]);
    const whole = await readTrail(store, { ...ask, seesConfidential: true });
    expect(whole.entries.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test('pages join to the whole chain, in order and without repetition', async () => {
    const seen = await walk(1_234, {}, 50);
    expect(seen).toEqual(Array.from({ length: 1_234 }, (_, at) => at + 1));
  });

  test('a filter lets through what it names, and nothing is skipped between pages', async () => {
    const seen = await walk(12_000, { type: 'case.reassigned' }, 7);
    expect(seen).toEqual(Array.from({ length: 120 }, (_, at) => (at + 1) * 100));
  });

  test('a filter that matches nothing ends, after bounded pages', async () => {
    const ask = { afterSeq: 0, chainId: CHAIN, filter: { actor: 'nobody' }, limit: 50 };
    const page = await readTrail(storeOf(EVENTS_READ_MAX + 1), ask);
    expect(page).toEqual({ entries: [], nextAfterSeq: EVENTS_READ_MAX });
    expect(await walk(EVENTS_READ_MAX + 1, { actor: 'nobody' }, 50)).toEqual([]);
  });

  test('from is inclusive and to is exclusive', async () => {
    const filter = { from: new Date(5_000).toISOString(), to: new Date(8_000).toISOString() };
    expect(await walk(20, filter, 50)).toEqual([5, 6, 7]);
  });
});
