/** What waits for a head that another process has: how long, and what is told of it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AuditLog, createAuditLog } from '#core/audit';
import { AUDIT_LOG_LIMITS } from '../../../src/core/audit/auditLog.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { clockAt, commitOf, draft, seededRandom, seededSigner, TENANT } from './drafts.ts';
import { MemoryAuditStore } from './memoryAuditStore.ts';

let store: MemoryAuditStore;
const logs: AuditLog[] = [];

beforeEach(() => {
  store = new MemoryAuditStore();
});
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.close()));
});

function open(clock: Clock, limits: object = { headWaitMsMax: 5_000 }): AuditLog {
  const random = seededRandom('log');
  const log = createAuditLog({
    clock,
    holder: 'gateway',
    random,
    signer: seededSigner('a'),
    store,
    ...limits,
  });
  logs.push(log);
  return log;
}

test('a commit is refused for its own wait, and not for another one', async () => {
  let nowMs = 0;
  const clock = { ...clockAt('2026-05-04T08:00:00Z'), monotonicMs: () => nowMs };
  store.chain(TENANT).holder = 'other';
  store.chain(TENANT).endsAt = Number.POSITIVE_INFINITY;
  const log = open(clock);
  const early = log.commit(TENANT, commitOf([draft(1)])).catch((error: unknown) => error);
  nowMs = 3_000;
  const late = log.commit(TENANT, commitOf([draft(2)]));
  nowMs = 5_000;
  expect(await early).toMatchObject({ code: 'store-unavailable' });
  expect(log.missedHeads()).toBe(1);
  nowMs = 7_999;
  store.chain(TENANT).endsAt = 0;
  expect((await late).events[0]?.seq).toBe(1);
  expect(log.missedHeads()).toBe(0);
});

test('a commit outlasts three holders that die one after another', async () => {
  let nowMs = 0;
  const clock = { ...clockAt('2026-05-04T08:00:00Z'), monotonicMs: () => nowMs };
  store = new MemoryAuditStore(() => nowMs);
  const chain = store.chain(TENANT);
  const log = open(clock, {});
  const leaseMs = AUDIT_LOG_LIMITS.leaseTtlMs;
  Object.assign(chain, { endsAt: leaseMs, holder: 'one' });
  const commit = log.commit(TENANT, commitOf([draft(1)]));
  for (const [place, holder] of ['two', 'three'].entries()) {
    nowMs = (place + 1) * leaseMs;
    Object.assign(chain, { endsAt: nowMs + leaseMs, holder, isWanted: false });
    await vi.waitUntil(() => chain.isWanted);
  }
  nowMs = 3 * leaseMs;
  expect((await commit).events[0]?.seq).toBe(1);
});

test('a head that nobody asks for again is told of for a minute', async () => {
  let nowMs = 0;
  const clock = { ...clockAt('2026-05-04T08:00:00Z'), monotonicMs: () => nowMs };
  store.chain(TENANT).holder = 'other';
  store.chain(TENANT).endsAt = Number.POSITIVE_INFINITY;
  const log = open(clock);
  const refused = log.commit(TENANT, commitOf([draft(1)])).catch((error: unknown) => error);
  nowMs = 6_000;
  await refused;
  nowMs = 66_000;
  expect(log.missedHeads()).toBe(1);
  nowMs = 66_001;
  expect(log.missedHeads()).toBe(0);
});
