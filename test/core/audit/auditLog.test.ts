/** Group commit: order, durability, leases, refusals. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type AuditLog,
  type AuditLogOptions,
  assertLinked,
  type Commit,
  createAuditLog,
  type EventGroup,
  GENESIS_HASH,
  IdempotencyTaken,
} from '#core/audit';
import { CHANGES_MAX, type TableChange } from '#core/kernel';
import type { EpochMs } from '../../../src/platform/clock.ts';
import {
  clockAt,
  commitOf,
  draft,
  OTHER_TENANT,
  seededRandom,
  seededSigner,
  TENANT,
} from './drafts.ts';
import { MemoryAuditStore } from './memoryAuditStore.ts';

const put = (table: string): TableChange => ({ op: 'put', record: {}, table });

let store: MemoryAuditStore;
let logs: AuditLog[];

beforeEach(() => {
  store = new MemoryAuditStore();
  logs = [];
});
afterEach(async () => {
  await Promise.all(logs.map((log) => log.close()));
});

function open(extra: Partial<AuditLogOptions> = {}): AuditLog {
  const log = createAuditLog({
    store,
    signer: seededSigner('a'),
    clock: clockAt('2026-05-04T08:00:00Z'),
    random: seededRandom(`log ${logs.length}`),
    holder: `gateway-${logs.length}`,
    ...extra,
  });
  logs.push(log);
  return log;
}

function withKey(n: number, scope: string): Commit {
  return commitOf([draft(n)], {
    idempotency: (sealed) => ({
      scope,
      fingerprint: 'f',
      createdAt: 0 as EpochMs,
      answer: { kind: 'event', status: 200, seq: sealed[0]?.seq ?? 0, tookMs: 1 },
    }),
  });
}

function assertChain(chainId = TENANT): number {
  let previous = { seq: 0, hash: GENESIS_HASH };
  for (const event of store.chain(chainId).events) {
    const body = JSON.parse(event.body) as { seq: number; previous_event_hash: string };
    assertLinked(previous, { seq: body.seq, previousHash: body.previous_event_hash });
    previous = event;
  }
  return previous.seq;
}

/** Holds every append back until `open` is called. */
function gate(): { open: () => void; waiting: () => EventGroup[] } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting: EventGroup[] = [];
  store.beforeAppend = (group) => {
    waiting.push(group);
    return promise;
  };
  return { open: resolve, waiting: () => waiting };
}

describe('group commit', () => {
  test('a commit resolves with its place in the chain, after it is durable', async () => {
    const held = gate();
    const done = open().commit(TENANT, commitOf([draft(1), draft(2)]));
    let isDone = false;
    void done.then(() => {
      isDone = true;
    });
    await vi.waitUntil(() => held.waiting().length === 1);
    expect(isDone).toBe(false);
    held.open();
    expect((await done).events.map((event) => event.seq)).toEqual([1, 2]);
    expect(assertChain()).toBe(2);
  });

  test('what arrives during a write is one next group, in order', async () => {
    const held = gate();
    const log = open();
    const first = log.commit(TENANT, commitOf([draft(1)]));
    await vi.waitUntil(() => held.waiting().length === 1);
    const others = [2, 3, 4].map((n) => log.commit(TENANT, commitOf([draft(n)])));
    held.open();
    await Promise.all([first, ...others]);
    expect(store.groups.map((group) => group.events.map((event) => event.seq))).toEqual([
      [1],
      [2, 3, 4],
    ]);
  });

  test('commits of one turn share the first group', async () => {
    const log = open();
    await Promise.all([1, 2, 3].map((n) => log.commit(TENANT, commitOf([draft(n)]))));
    expect(store.groups).toHaveLength(1);
  });

  test('a group holds at most groupEventsMax events and groupBytesMax characters', async () => {
    const log = open({ groupEventsMax: 2 });
    await Promise.all([1, 2, 3, 4, 5].map((n) => log.commit(TENANT, commitOf([draft(n)]))));
    expect(store.groups.map((group) => group.events.length)).toEqual([2, 2, 1]);
    const small = open({ groupBytesMax: 10 });
    await Promise.all([6, 7].map((n) => small.commit(OTHER_TENANT, commitOf([draft(n)]))));
    expect(store.groups.slice(3).map((group) => group.events.length)).toEqual([1, 1]);
  });

  test('a commit with a stale change refuses nobody else', async () => {
    store.staleTables.add('customer');
    const log = open();
    const results = await Promise.allSettled([
      log.commit(TENANT, commitOf([draft(1)])),
      log.commit(TENANT, commitOf([draft(2)], { changes: [put('customer')] })),
      log.commit(TENANT, commitOf([draft(3)], { changes: [put('case')] })),
      log.commit(TENANT, commitOf([draft(4)])),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(results[1]).toMatchObject({ reason: { code: 'state-conflict' } });
    expect(assertChain()).toBe(3);
  });

  test('commits of appended rows share a group, which counts them', async () => {
    const rows = (n: number, count: number): Partial<Commit> => ({
      changes: Array.from({ length: count }, (_, ordinal) => ({
        op: 'append',
        record: { n, ordinal },
        table: 'hit',
      })),
    });
    const commits = (of: readonly Partial<Commit>[], log: AuditLog, from: number) =>
      Promise.all(of.map((more, n) => log.commit(TENANT, commitOf([draft(from + n)], more))));
    // The log that wrote before lets the head go at once.
    const sizes = async () => {
      await Promise.all(logs.splice(0).map((log) => log.close()));
      return store.groups.splice(0).map(({ changes }) => changes.length);
    };
    await commits([rows(1, 3), {}, rows(3, 1)], open(), 1);
    expect(await sizes()).toEqual([4]);
    const insert = { changes: [{ op: 'insert', record: { n: 1 }, table: 'case' } as const] };
    await commits([rows(1, 1), insert, rows(3, 1), rows(4, 1)], open(), 11);
    expect(await sizes()).toEqual([1, 1, 2]);
    await commits([rows(1, 600), rows(2, 600)], open(), 21);
    expect(await sizes()).toEqual([600, 600]);
    const large = { changes: [{ op: 'append', record: { a: 'a'.repeat(9_000) }, table: 'hit' }] };
    await commits([large as Partial<Commit>, rows(2, 1)], open({ groupBytesMax: 10_000 }), 31);
    expect(await sizes()).toEqual([1, 1]);
    const many = open().commit(TENANT, commitOf([draft(41)], rows(1, CHANGES_MAX + 1)));
    await expect(many).rejects.toThrow(/1001 changes/);
  });

  test('tenants do not wait for each other', async () => {
    const held = gate();
    const log = open();
    const done = Promise.all([
      log.commit(TENANT, commitOf([draft(1)])),
      log.commit(OTHER_TENANT, commitOf([draft(2)])),
    ]);
    await vi.waitUntil(() => held.waiting().length === 2);
    held.open();
    await done;
    expect(assertChain(OTHER_TENANT)).toBe(1);
  });
});

describe('idempotency', () => {
  test('the record knows the seq of its event', async () => {
    const log = open();
    await log.commit(TENANT, commitOf([draft(1)]));
    const { idempotency } = await log.commit(TENANT, withKey(2, 'k'));
    expect(idempotency).toMatchObject({ scope: 'k', answer: { seq: 2 } });
    expect(store.idempotency.get('k')).toEqual(idempotency);
  });

  test('a taken scope refuses its commit only; the others are sealed without a gap', async () => {
    await open().commit(TENANT, withKey(1, 'k1'));
    const log = open();
    const results = await Promise.allSettled([
      log.commit(TENANT, withKey(2, 'k2')),
      log.commit(TENANT, withKey(3, 'k1')),
      log.commit(TENANT, withKey(4, 'k4')),
    ]);
    assert(results[1]?.status === 'rejected');
    expect(results[1].reason).toBeInstanceOf(IdempotencyTaken);
    expect(results[1].reason).toMatchObject({ scope: 'k1' });
    expect(assertChain()).toBe(3);
    expect(store.idempotency.get('k4')).toMatchObject({ answer: { seq: 3 } });
  });

  test('the same scope twice at once: one is executed, the other is told', async () => {
    const log = open();
    const results = await Promise.allSettled(
      [1, 2, 3].map((n) => log.commit(TENANT, withKey(n, 'k'))),
    );
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(assertChain()).toBe(1);
  });

  test('a record that cannot be made refuses its commit only', async () => {
    const log = open();
    const results = await Promise.allSettled([
      log.commit(
        TENANT,
        commitOf([draft(1)], {
          idempotency: () => {
            throw new Error('no record');
          },
        }),
      ),
      log.commit(TENANT, commitOf([draft(2)])),
    ]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled']);
    expect(assertChain()).toBe(1);
  });
});

describe('the head', () => {
  test('is kept while there is work and let go when idle', async () => {
    const log = open({ idleReleaseMs: 5 });
    await log.commit(TENANT, commitOf([draft(1)]));
    await log.commit(TENANT, commitOf([draft(2)]));
    expect(store.takeCount).toBe(1);
    await vi.waitUntil(() => store.releaseCount === 1);
    await log.commit(TENANT, commitOf([draft(3)]));
    expect(store.takeCount).toBe(2);
  });

  test('goes over to who wants it: four processes interleave without gap or fork', async () => {
    const busy = [1, 2, 3, 4].map(() => open({ groupEventsMax: 4 }));
    let n = 0;
    await Promise.all(
      busy.map(async (log) => {
        for (let round = 0; round < 12; round++) {
          await Promise.all(
            Array.from({ length: 8 }, () => log.commit(TENANT, commitOf([draft(++n)]))),
          );
        }
      }),
    );
    expect(assertChain()).toBe(4 * 12 * 8);
  });

  test('a writer that lost it writes nothing, takes it again and seals anew', async () => {
    const log = open();
    const other = open();
    let isStolen = false;
    store.beforeAppend = async () => {
      if (isStolen) return;
      isStolen = true;
      store.chain(TENANT).endsAt = 0; // as after a long pause of the process
      await other.commit(TENANT, commitOf([draft(1)]));
    };
    const { events } = await log.commit(TENANT, commitOf([draft(2)]));
    expect(events[0]?.seq).toBe(2);
    expect(assertChain()).toBe(2);
  });

  test('a holder that died is waited for, up to headWaitMsMax', async () => {
    store.chain(TENANT).holder = 'dead';
    store.chain(TENANT).endsAt = performance.now() + 40;
    const { events } = await open().commit(TENANT, commitOf([draft(1)]));
    expect(events).toHaveLength(1);
    store.chain(OTHER_TENANT).holder = 'undead';
    store.chain(OTHER_TENANT).endsAt = Number.POSITIVE_INFINITY;
    const impatient = open({ headWaitMsMax: 20, leaseTtlMs: 10 });
    await expect(impatient.commit(OTHER_TENANT, commitOf([draft(2)]))).rejects.toMatchObject({
      code: 'store-unavailable',
      retryAfterS: 1,
    });
  });
});

describe('failures', () => {
  test('a failed write refuses its commits, and the next one goes on without a gap', async () => {
    const log = open();
    store.beforeAppend = () => {
      store.beforeAppend = () => {};
      throw new Error('disk full');
    };
    await expect(log.commit(TENANT, commitOf([draft(1)]))).rejects.toMatchObject({
      code: 'store-unavailable',
    });
    await log.commit(TENANT, commitOf([draft(2)]));
    expect(assertChain()).toBe(1);
  });

  test('a write whose answer was lost is in the chain, and the next one follows it', async () => {
    const log = open();
    store.afterAppend = () => {
      store.afterAppend = () => {};
      throw new Error('connection reset');
    };
    await expect(log.commit(TENANT, withKey(1, 'k'))).rejects.toMatchObject({
      code: 'store-unavailable',
    });
    await expect(log.commit(TENANT, withKey(2, 'k'))).rejects.toBeInstanceOf(IdempotencyTaken);
    await log.commit(TENANT, commitOf([draft(3)]));
    expect(assertChain()).toBe(2);
  });

  test('a store that hands out no head refuses everybody who waits', async () => {
    store.takeHead = async () => {
      throw new Error('no primary');
    };
    const log = open();
    const results = await Promise.allSettled(
      [1, 2].map((n) => log.commit(TENANT, commitOf([draft(n)]))),
    );
    for (const result of results) {
      expect(result).toMatchObject({ reason: { code: 'store-unavailable' } });
    }
  });

  test('a full queue refuses', async () => {
    const held = gate();
    const log = open({ queueMax: 2, groupEventsMax: 1 });
    const first = log.commit(TENANT, commitOf([draft(1)]));
    await vi.waitUntil(() => held.waiting().length === 1);
    const waiting = [2, 3].map((n) => log.commit(TENANT, commitOf([draft(n)])));
    await expect(log.commit(TENANT, commitOf([draft(4)]))).rejects.toMatchObject({
      code: 'store-unavailable',
    });
    held.open();
    await Promise.all([first, ...waiting]);
    expect(assertChain()).toBe(3);
  });

  test('a draft without canonical JSON or with a name of ours is refused alone', async () => {
    const log = open();
    const bad = { ...draft(1), members: { score: Number.NaN } };
    const thief = { ...draft(2), members: { hash: 'x' } };
    await expect(log.commit(TENANT, commitOf([bad]))).rejects.toThrow('not finite');
    await expect(log.commit(TENANT, commitOf([thief]))).rejects.toThrow('the chain writes it');
    await log.commit(TENANT, commitOf([draft(3)]));
    expect(assertChain()).toBe(1);
  });
});

test('a commit with events for the bus is told once it is durable, and no other one', async () => {
  const told: unknown[] = [];
  const log = open({ onBus: (events) => void told.push(events) });
  const bus = [{ partition: 'p', payload: {}, topic: 'aml.batch.completed' }] as const;
  await log.commit(TENANT, commitOf([draft(1)]));
  expect(told).toEqual([]);
  const committed = log.commit(TENANT, commitOf([draft(2)], { bus }));
  expect(told).toEqual([]);
  await committed;
  expect(told).toEqual([bus]);
});

test('close writes what waits, lets the heads go, and refuses what comes later', async () => {
  const log = open({ groupEventsMax: 1 });
  const waiting = [1, 2, 3].map((n) => log.commit(TENANT, commitOf([draft(n)])));
  const allWritten = Promise.all(waiting);
  // The drafts are prepared in the call itself, so all three are queued already.
  await log.close();
  await allWritten;
  expect(assertChain()).toBe(3);
  expect(store.chain(TENANT).holder).toBeUndefined();
  await expect(log.commit(TENANT, commitOf([draft(4)]))).rejects.toMatchObject({
    code: 'not-ready',
  });
});
