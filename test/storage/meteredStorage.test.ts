/** The stopwatch around the store: what it counts, and that it changes nothing. */
import { expect, test } from 'vitest';
import { type ChainId, DomainError } from '#core/kernel';
import { createMetrics } from '#platform/metrics';
import { meteredStorage, type Storage } from '../../src/storage/index.ts';

const CHAIN = 'platform' as ChainId;

function metered() {
  let nowMs = 0;
  let isHeld = true;
  const head = { hash: '0'.repeat(64), seq: 0 };
  const audit = {
    appendGroup: async () => ({ headWanted: false, kind: 'appended' }),
    head: async () => {
      nowMs += 30;
      return head;
    },
    takeHead: async () => (isHeld ? undefined : { chainId: CHAIN, fence: 1, head }),
  };
  const tables = {
    find: () => Promise.reject(new DomainError('store-unavailable')),
  };
  const metrics = createMetrics({ processFigures: false });
  const storage = meteredStorage({ audit, outbox: {}, tables } as unknown as Storage, metrics, {
    monotonicMs: () => nowMs,
  });
  return {
    exposed: async () => (await metrics.expose()).text,
    free: () => {
      isHeld = false;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
    storage,
  };
}

test('calls are timed by their method, and failures counted by their code', async () => {
  const { exposed, storage } = metered();
  expect(await storage.audit.head(CHAIN)).toMatchObject({ seq: 0 });
  await expect(storage.tables.find({} as never, {} as never)).rejects.toThrow('store-unavailable');
  const text = await exposed();
  expect(text).toContain('store_call_seconds_sum{operation="audit.head"} 0.03');
  expect(text).toContain('store_call_seconds_count{operation="tables.find"} 1');
  expect(text).toContain('store_errors_total{operation="tables.find",code="store-unavailable"} 1');
});

test('the wait for a head counts from the first refusal; groups by size and outcome', async () => {
  const { exposed, free, pass, storage } = metered();
  const ask = { chainId: CHAIN, holder: 'one', ttlMs: 1 };
  expect(await storage.audit.takeHead(ask)).toBeUndefined();
  pass(400);
  expect(await storage.audit.takeHead(ask)).toBeUndefined();
  pass(100);
  free();
  const lease = await storage.audit.takeHead(ask);
  expect(lease).toMatchObject({ fence: 1 });
  const events = [{}, {}, {}] as never;
  const group = { bus: [], changes: [], events, idempotency: [] };
  if (lease) await storage.audit.appendGroup(lease, group, { release: true, ttlMs: 1 });
  const text = await exposed();
  expect(text).toContain('audit_head_wait_seconds_sum 0.5');
  expect(text).toContain('audit_head_wait_seconds_count 1');
  expect(text).toContain('audit_group_events_sum 3');
  expect(text).toContain('audit_groups_total{outcome="appended"} 1');
});
