/**
 * How screenings of each tenant went in this gateway: how long their parts took, and how they
 * ended. Kept here until somebody takes it; what is not measured for every screening is drawn
 * evenly.
 */
import type { TenantId } from '#core/kernel';
import { addTo, type Histogram } from '#platform/histogram';

/** Parts of a screening, as operations 2.5 names them. */
export const USAGE_PARTS = ['total', 'retrieval', 'rerank', 'evidence'] as const;
/** One of USAGE_PARTS. */
export type UsagePart = (typeof USAGE_PARTS)[number];

/** One screening of so many is timed by the engine itself. */
const TIMED_EACH = 16;
/** Tenants that are kept until they are taken; further ones are not measured. */
const TENANTS_MAX = 10_000;

/** What one tenant's screenings came to; times in milliseconds. */
export interface UsageSums {
  readonly ms: Readonly<Record<UsagePart, Histogram>>;
  readonly answers: number;
  /** Answers of 5xx. */
  readonly errors: number;
  /** Answers of 429. */
  readonly rateLimited: number;
}

interface Measured {
  readonly ms: Record<UsagePart, Record<string, number>>;
  answers: number;
  errors: number;
  rateLimited: number;
}

const HTTP_RATE_LIMITED = 429;
const HTTP_ERROR_MIN = 500;

/** One for a process. */
export class ScreeningUsage {
  #tenants = new Map<TenantId, Measured>();
  #asked = 0;

  /** Whether the engine is to time the next screening. */
  isTimed(): boolean {
    this.#asked = (this.#asked + 1) % TIMED_EACH;
    return this.#asked === 0;
  }

  took(tenantId: TenantId, part: UsagePart, ms: number): void {
    const sums = this.#of(tenantId);
    if (sums !== undefined) addTo(sums.ms[part], ms);
  }

  /** A request for a screening was answered. */
  answered(tenantId: TenantId, status: number): void {
    const sums = this.#of(tenantId);
    if (sums === undefined) return;
    sums.answers++;
    if (status >= HTTP_ERROR_MIN) sums.errors++;
    if (status === HTTP_RATE_LIMITED) sums.rateLimited++;
  }

  /** All that was measured since the last time. */
  take(): ReadonlyMap<TenantId, UsageSums> {
    const taken = this.#tenants;
    this.#tenants = new Map();
    return taken;
  }

  #of(tenantId: TenantId): Measured | undefined {
    const found = this.#tenants.get(tenantId);
    if (found !== undefined || this.#tenants.size >= TENANTS_MAX) return found;
    const made: Measured = {
      answers: 0,
      errors: 0,
      ms: { evidence: {}, rerank: {}, retrieval: {}, total: {} },
      rateLimited: 0,
    };
    this.#tenants.set(tenantId, made);
    return made;
  }
}

/** One for the process. */
export const screeningUsageOf = (process: { once<Part>(make: () => Part): Part }): ScreeningUsage =>
  process.once(makeUsage);

const makeUsage = (): ScreeningUsage => new ScreeningUsage();
