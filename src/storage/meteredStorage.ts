/**
 * The store with a stopwatch: how long each kind of call takes, how it fails, how long processes
 * wait for the head of a chain, and how many events share a write. Wrapped around the ports, so
 * that neither store knows of it. Labels are names of methods and codes of problems.
 */
import type { AuditStore } from '#core/audit';
import { type ChainId, DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Metrics } from '#platform/metrics';
import type { Storage } from './storage.ts';

const CALL_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const WAIT_BUCKETS_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const GROUP_BUCKETS = [1, 2, 4, 8, 16, 32, 64];

type Monotonic = Pick<Clock, 'monotonicMs'>;
type Method = (...given: unknown[]) => Promise<unknown>;
type Meter = (operation: string, call: () => Promise<unknown>) => Promise<unknown>;

/** The same storage; every call of its parts is counted and timed. */
export function meteredStorage(storage: Storage, metrics: Metrics, clock: Monotonic): Storage {
  const meter = createMeter(metrics, clock);
  return {
    ...storage,
    audit: meteredHeads(meteredPart('audit', storage.audit, meter), metrics, clock),
    outbox: meteredPart('outbox', storage.outbox, meter),
    tables: meteredPart('tables', storage.tables, meter),
  };
}

function createMeter(metrics: Metrics, clock: Monotonic): Meter {
  const seconds = metrics.histogram({
    buckets: CALL_BUCKETS_S,
    help: 'Seconds that a call of the store took, failed ones included',
    labels: ['operation'],
    name: 'store_call_seconds',
  });
  const errors = metrics.counter({
    help: 'Calls of the store that failed, by the code of the failure',
    labels: ['operation', 'code'],
    name: 'store_errors_total',
  });
  return async (operation, call) => {
    const startMs = clock.monotonicMs();
    try {
      return await call();
    } catch (error) {
      const code = error instanceof DomainError ? error.code : 'internal';
      errors.labels(operation, code).inc();
      throw error;
    } finally {
      seconds.labels(operation).observe((clock.monotonicMs() - startMs) / 1_000);
    }
  };
}

function meteredPart<Part extends object>(name: string, part: Part, meter: Meter): Part {
  const methods = new Map<string | symbol, Method>();
  return new Proxy(part, {
    get(target, member) {
      const known = methods.get(member);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function') return value;
      const method: Method = (...given) =>
        meter(`${name}.${String(member)}`, () => value.apply(target, given) as Promise<unknown>);
      methods.set(member, method);
      return method;
    },
  });
}

/** What waiting for a head costs, and what each write carries. */
function meteredHeads(store: AuditStore, metrics: Metrics, clock: Monotonic): AuditStore {
  const waits = metrics.histogram({
    buckets: WAIT_BUCKETS_S,
    help: 'Seconds from the first refusal of a chain’s head to having it; 0 where it was free',
    name: 'audit_head_wait_seconds',
  });
  const sizes = metrics.histogram({
    buckets: GROUP_BUCKETS,
    help: 'Events that were written together',
    name: 'audit_group_events',
  });
  const outcomes = metrics.counter({
    help: 'Groups of events by how their write ended; fenced: another process took the head over',
    labels: ['outcome'],
    name: 'audit_groups_total',
  });
  const takeovers = metrics.counter({
    help: 'Heads of chains that this process took over from one that fell silent',
    name: 'audit_head_takeovers_total',
  });
  const refusedAtMs = new Map<ChainId, number>();
  const takeHead: AuditStore['takeHead'] = async (ask) => {
    const lease = await store.takeHead(ask);
    const now = clock.monotonicMs();
    if (lease === undefined) {
      if (!refusedAtMs.has(ask.chainId)) refusedAtMs.set(ask.chainId, now);
      return undefined;
    }
    if (lease.isTakenOver === true) takeovers.inc();
    waits.observe((now - (refusedAtMs.get(ask.chainId) ?? now)) / 1_000);
    refusedAtMs.delete(ask.chainId);
    return lease;
  };
  const appendGroup: AuditStore['appendGroup'] = async (lease, group, options) => {
    const result = await store.appendGroup(lease, group, options);
    outcomes.labels(result.kind).inc();
    if (result.kind === 'appended') sizes.observe(group.events.length);
    return result;
  };
  const own = { appendGroup, takeHead };
  return new Proxy(store, {
    get: (target, member) =>
      member in own ? own[member as keyof typeof own] : Reflect.get(target, member, target),
  });
}
