/**
 * Figures for Prometheus. `/metrics` needs no credential, so it reveals nothing about a tenant: a
 * label is declared with the figure, and labels that could name a tenant, a person or a key are
 * refused.
 */
import assert from 'node:assert/strict';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type LabelValues,
  Registry,
} from 'prom-client';

export type { Counter, Gauge, Histogram, LabelValues };

/** Small sets only: every combination of values is a time series kept for ever. */
const LABELS = [
  'operation',
  'method',
  'status',
  'code',
  'limits',
  'job',
  'queue',
  'source',
  'outcome',
  'schema',
  'severity',
  'decision',
  'stage',
  'subscriber',
  'version',
  'node',
  'store',
  'clock',
] as const;
export type Label = (typeof LABELS)[number];

interface Description<Name extends Label> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Name[];
}

export interface Metrics {
  counter<Name extends Label>(of: Description<Name>): Counter<Name>;
  gauge<Name extends Label>(of: Description<Name> & { collect?: () => number }): Gauge<Name>;
  /** Buckets in seconds, ascending. */
  histogram<Name extends Label>(
    of: Description<Name> & { buckets: readonly number[] },
  ): Histogram<Name>;
  /** Called by each `expose`, for figures that are read from another place; it never rejects. */
  beforeExposing(refresh: () => Promise<void>): void;
  /**
   * Figures of these names as `expose` would give them now: of several series the value that is
   * farthest from 0. One without a series is left out.
   */
  sample(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The exposition format, with its media type. */
  expose(): Promise<{ contentType: string; text: string }>;
}

export function createMetrics(options: { readonly processFigures: boolean }): Metrics {
  const registry = new Registry();
  if (options.processFigures) collectDefaultMetrics({ register: registry });
  const refreshers: (() => Promise<void>)[] = [];
  const refresh = async (): Promise<void> => {
    await Promise.all(refreshers.map((one) => one()));
  };
  return {
    counter: (of) => new Counter({ ...base(of), registers: [registry] }),
    beforeExposing: (one) => void refreshers.push(one),
    expose: async () => {
      await refresh();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
    gauge({ collect, ...of }) {
      const configuration = { ...base(of), registers: [registry] };
      if (collect === undefined) return new Gauge(configuration);
      return new Gauge({
        ...configuration,
        // Called by expose(), so that a figure is read when it is asked for.
        collect() {
          this.set(collect());
        },
      });
    },
    histogram: (of) =>
      new Histogram({ ...base(of), buckets: [...of.buckets], registers: [registry] }),
    async sample(names) {
      await refresh();
      const found = new Map<string, number>();
      for (const name of names) {
        const values = (await registry.getSingleMetric(name)?.get())?.values ?? [];
        const farthest = values.map(({ value }) => value).sort((a, b) => Math.abs(b) - Math.abs(a));
        if (farthest[0] !== undefined) found.set(name, farthest[0]);
      }
      return found;
    },
  };
}

function base<Name extends Label>(of: Description<Name>) {
  const labels = of.labels ?? [];
  assert(
    labels.every((label) => LABELS.includes(label)),
    `${of.name}: a label is not on the list in metrics.ts`,
  );
  return { help: of.help, labelNames: [...labels], name: of.name };
}
