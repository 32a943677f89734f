/** One figure of a bench, as it is printed and written: never a speed without its reference. */
export interface BenchRow {
  /** `http/screen`: suite and what is measured. */
  readonly id: string;
  readonly suite: string;
  /** What the figure was measured on. */
  readonly data: string;
  readonly size: string;
  readonly ours: number;
  readonly unit: string;
  /** The same in the same run, by the means that a reader would use without us. */
  readonly baseline?: number;
  readonly baseline_name?: string;
  /** The same of others in the same run, by name. */
  readonly also?: Readonly<Record<string, number>>;
  /** Ours against the baseline: over 1 is better. */
  readonly ratio?: number;
  /** Share of the exhaustive answer that was found. */
  readonly recall?: number;
  readonly p50_ms?: number;
  readonly p95_ms?: number;
  readonly p99_ms?: number;
  readonly memory_mb?: number;
  /** Stops dead-code removal, and shows when the meaning moved. */
  readonly checksum?: string;
}

export interface BenchOptions {
  readonly size: '100k' | '1m' | '5m' | 'lists';
  /** Small inputs, seconds in all: run by the tests, so that benches cannot rot. */
  readonly smoke: boolean;
  /** Queries of each kind, where a suite has kinds. */
  readonly count?: number;
}
