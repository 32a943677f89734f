/**
 * A read-through cache whose answers are never older than a bound. It holds what every request
 * reads from the store: the key, the tenant, its settings.
 *
 * Why a bound and not invalidation: another process (the command line) changes keys too, and a
 * change must be seen within 2 s everywhere (decisions 7.2). Age counts from before the load
 * started, so the bound holds even if the load was slow. From half the bound on, a hit starts a
 * reload in the background, so a busy key never waits for the store. A failed load is not cached,
 * and a stale answer is never given: a revoked key cannot outlive the bound because the store is
 * down. The oldest entries are dropped when `entriesMax` is reached.
 */
import assert from 'node:assert/strict';
import type { Clock } from '#platform/clock';

/** Milliseconds after which a change is seen by every process (decisions 7.2). */
export const STALENESS_MS_MAX = 2_000;

interface Entry<Value> {
  value: Value;
  loadedAtMs: number;
  loading: Promise<Value> | undefined;
}

/** A bounded cache by text keys. */
export interface FreshCache<Value> {
  /** The cached value, or a promise of a loaded one. Undefined values are cached too. */
  get(key: string): Value | Promise<Value>;
  /** Drops the entry. For a change that this very process made. */
  forget(key: string): void;
}

/**
 * A cache over `load`, with at most `entriesMax` values no older than `ageMsMax`. Concurrent first
 * reads of a key share one load; its error goes to all of them.
 */
export function createFreshCache<Value>(options: {
  readonly clock: Clock;
  readonly ageMsMax: number;
  readonly entriesMax: number;
  load(key: string): Promise<Value>;
}): FreshCache<Value> {
  const { clock, ageMsMax, entriesMax } = options;
  assert(ageMsMax > 0 && entriesMax > 0);
  const entries = new Map<string, Entry<Value>>();
  const firstLoads = new Map<string, Promise<Value>>();

  const firstLoad = (key: string): Promise<Value> => {
    const running = firstLoads.get(key);
    if (running !== undefined) return running;
    const startedAtMs = clock.monotonicMs();
    const load: Promise<Value> = options
      .load(key)
      .then((value) => {
        // Forgotten meanwhile: the value may be older than the change, so it is not kept.
        if (firstLoads.get(key) === load) {
          const entry = { value, loadedAtMs: startedAtMs, loading: undefined };
          remember(entries, entriesMax, key, entry);
        }
        return value;
      })
      .finally(() => {
        if (firstLoads.get(key) === load) firstLoads.delete(key);
      });
    firstLoads.set(key, load);
    return load;
  };

  const reloadBehind = (key: string, entry: Entry<Value>): void => {
    const startedAtMs = clock.monotonicMs();
    entry.loading = options.load(key);
    entry.loading.then(
      (value) => {
        entry.loading = undefined;
        if (entries.get(key) !== entry) return;
        entry.value = value;
        entry.loadedAtMs = startedAtMs;
      },
      // The entry ages on. Once it is past the bound, the caller's own load gives the error.
      () => {
        entry.loading = undefined;
      },
    );
  };

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return firstLoad(key);
      const ageMs = clock.monotonicMs() - entry.loadedAtMs;
      if (ageMs >= ageMsMax) {
        entries.delete(key);
        return firstLoad(key);
      }
      if (ageMs >= ageMsMax / 2 && entry.loading === undefined) reloadBehind(key, entry);
      return entry.value;
    },
    forget(key) {
      entries.delete(key);
      firstLoads.delete(key);
    },
  };
}

/**
 * Drops the entry that was loaded first if there is no room: a Map keeps the order of insertion.
 */
function remember<Value>(
  entries: Map<string, Entry<Value>>,
  entriesMax: number,
  key: string,
  entry: Entry<Value>,
): void {
  entries.delete(key);
  if (entries.size >= entriesMax) {
    const oldest = entries.keys().next();
    if (!oldest.done) entries.delete(oldest.value);
  }
  entries.set(key, entry);
}
