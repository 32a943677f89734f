/**
 * Candidates of queries that were asked lately, for tenants whose policy allows it
 * (`cache_ttl_hours`). A key is bound to all that decides: the lists, the policy, the exclusions
 * and the query; and a screening that is answered from here has an event of its own, which says so.
 *
 * A subject with an exclusion is never kept, since exclusions end on the second.
 */
import type { TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import type { NormalizedQuery, RawQuery, ScoredCandidate, ScreeningSettings } from './ports.ts';

/** Candidates that are kept over all tenants: some 20 MB. */
const CANDIDATES_MAX = 20_000;

/** What a screening's candidates follow from. */
export interface CacheKey {
  readonly tenantId: TenantId;
  readonly listVersion: string;
  readonly exclusions: string | undefined;
  readonly settings: ScreeningSettings;
  readonly query: RawQuery | NormalizedQuery;
}

/** What the engine answered. */
export interface CachedAnswer {
  readonly query: NormalizedQuery;
  readonly candidates: readonly ScoredCandidate[];
  readonly truncated: boolean;
}

interface Kept extends CachedAnswer {
  readonly at: EpochMs;
}

/** One for a process. */
export class ScreeningCache {
  readonly #kept = new Map<string, Kept>();
  readonly #candidatesMax: number;
  #candidates = 0;

  constructor(candidatesMax = CANDIDATES_MAX) {
    this.#candidatesMax = candidatesMax;
  }

  /** Undefined: it was not asked, or longer ago than the policy allows. */
  find(key: CacheKey, now: EpochMs): CachedAnswer | undefined {
    const { cacheTtlMs = 0 } = key.settings;
    if (cacheTtlMs <= 0) return undefined;
    const name = nameOf(key);
    const found = this.#kept.get(name);
    if (found === undefined) return undefined;
    if (now >= found.at && now - found.at < cacheTtlMs) return found;
    this.#drop(name, found);
    return undefined;
  }

  keep(key: CacheKey, answer: CachedAnswer, now: EpochMs): void {
    if ((key.settings.cacheTtlMs ?? 0) <= 0) return;
    const name = nameOf(key);
    const before = this.#kept.get(name);
    if (before !== undefined) this.#drop(name, before);
    const { candidates, query, truncated } = answer;
    this.#kept.set(name, { at: now, candidates, query, truncated });
    this.#candidates += costOf(answer);
    for (const [oldest, kept] of this.#kept) {
      if (this.#candidates <= this.#candidatesMax) break;
      this.#drop(oldest, kept);
    }
  }

  #drop(name: string, kept: Kept): void {
    if (this.#kept.delete(name)) this.#candidates -= costOf(kept);
  }
}

/** One with no candidate costs something, too. */
const costOf = ({ candidates }: CachedAnswer): number => candidates.length + 1;

/** A digest: nothing of the query stays in the keys. */
const nameOf = ({ exclusions, listVersion, query, settings, tenantId }: CacheKey): string =>
  sha256Hex(canonicalJson([tenantId, listVersion, exclusions ?? null, settings, query]));
