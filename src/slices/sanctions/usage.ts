/**
 * How screenings went, by tenant and bucket of time: each gateway writes its own sums, and figures
 * add those of all gateways. It is no evidence: it cannot be made anew from the chain, and a
 * gateway that is killed takes its last quarter of a minute with it.
 */
import { allRecords, type Tables, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import type { Histogram } from '#platform/histogram';
import { USAGE_PARTS, type UsagePart, type UsageSums } from '#slices/screening';
import { KPI_PERIODS } from './screeningTally.ts';
import { screeningUsageTable } from './tables.ts';

/** A bucket is kept a little longer than the periods that show it. */
const KEPT_BUCKETS = 2;

const EMPTY: UsageSums = {
  answers: 0,
  errors: 0,
  ms: { evidence: {}, rerank: {}, retrieval: {}, total: {} },
  rateLimited: 0,
};

export interface UsagePorts {
  readonly clock: Pick<Clock, 'now'>;
  /** Unique to this process. */
  readonly nodeId: string;
  readonly tables: Pick<Tables, 'insertMissing' | 'saveWork'>;
  readonly take: () => ReadonlyMap<TenantId, UsageSums>;
}

interface Running {
  readonly tenantId: TenantId;
  readonly at: EpochMs;
  readonly bucketMs: number;
  readonly until: EpochMs;
  sums: UsageSums;
  /** Those that the store has. */
  written?: UsageSums;
}

/** Writes what a gateway has measured; one for a process. */
export class UsageRecorder {
  readonly #ports: UsagePorts;
  /** Sums of the buckets of now, which grow with each flush, and of those still to be written. */
  readonly #running = new Map<string, Running>();

  constructor(ports: UsagePorts) {
    this.#ports = ports;
  }

  /**
   * Rejects where the store fails: what was taken stays in the sums, and is written by the next, as
   * long as figures show it.
   */
  async flush(): Promise<void> {
    const { clock, take } = this.#ports;
    const now = clock.now();
    for (const [tenantId, sums] of take()) this.#add(tenantId, sums, now);
    for (const [name, { until }] of this.#running) if (until <= now) this.#running.delete(name);
    for (const [name, running] of this.#running) {
      if (running.written !== running.sums) await this.#write(running);
      const isOver = running.at + running.bucketMs <= now;
      if (isOver && running.written === running.sums) this.#running.delete(name);
    }
  }

  #add(tenantId: TenantId, sums: UsageSums, now: EpochMs): void {
    for (const { bucketMs, buckets } of Object.values(KPI_PERIODS)) {
      const at = (Math.floor(now / bucketMs) * bucketMs) as EpochMs;
      const name = `${tenantId}/${bucketMs}/${at}`;
      const until = (at + (buckets + KEPT_BUCKETS) * bucketMs) as EpochMs;
      const running = this.#running.get(name) ?? { at, bucketMs, sums: EMPTY, tenantId, until };
      running.sums = addUsage(running.sums, sums);
      this.#running.set(name, running);
    }
  }

  async #write(running: Running): Promise<void> {
    const { nodeId, tables } = this.#ports;
    const { at, bucketMs, sums, tenantId, until } = running;
    const key = { at, bucketMs, nodeId, tenantId };
    if (!(await tables.saveWork(screeningUsageTable, { key, work: { sums } }))) {
      await tables.insertMissing(screeningUsageTable, [{ ...key, sums, until, version: 1 }]);
    }
    running.written = sums;
  }
}

export const addUsage = (one: UsageSums, other: UsageSums): UsageSums => ({
  answers: one.answers + other.answers,
  errors: one.errors + other.errors,
  ms: Object.fromEntries(
    USAGE_PARTS.map((part) => [part, merged(one.ms[part], other.ms[part])]),
  ) as Record<UsagePart, Histogram>,
  rateLimited: one.rateLimited + other.rateLimited,
});

function merged(one: Histogram, other: Histogram): Histogram {
  const sum: Record<string, number> = { ...one };
  for (const [value, count] of Object.entries(other)) sum[value] = (sum[value] ?? 0) + count;
  return sum;
}

/** Sums of all gateways, in buckets that begin from `from` on and before `to`. */
export async function readUsage(
  tables: Pick<Tables, 'page'>,
  ask: {
    readonly tenantId: TenantId;
    readonly bucketMs: number;
    readonly from: EpochMs;
    readonly to: EpochMs;
  },
): Promise<UsageSums> {
  const { bucketMs, from, tenantId, to } = ask;
  const equal = { bucketMs, tenantId };
  const rows = await allRecords(tables, screeningUsageTable, { equal, from, index: 'byTime', to });
  return rows.reduce((sum, { sums }) => addUsage(sum, sums ?? EMPTY), EMPTY);
}
