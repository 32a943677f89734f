/** Resident memory of each process over time: it may grow as it warms up, and then no more. */
import type { Cluster } from './cluster.ts';

const EVERY_MS = 5_000;
/** Share of the time in which caches fill and V8 finds its sizes. */
const WARM_UP = 0.25;
/** Growth that is noise: garbage that is not collected yet. */
const NOISE_MB = 40;
const NOISE_SHARE = 0.1;

interface Sample {
  readonly atMs: number;
  readonly mb: number;
}

export interface MemoryGrowth {
  readonly name: string;
  /** Medians in megabytes: of the time behind the warm-up the first third and the last. */
  readonly early: number;
  readonly late: number;
  readonly most: number;
  readonly isFlat: boolean;
}

export class MemoryWatch {
  readonly #samples = new Map<string, Sample[]>();
  readonly #timer: NodeJS.Timeout;
  readonly #cluster: Cluster;

  constructor(cluster: Cluster, everyMs = EVERY_MS) {
    this.#cluster = cluster;
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#look();
  }

  end(): readonly MemoryGrowth[] {
    clearInterval(this.#timer);
    return [...this.#samples].map(([name, samples]) => growthOf(name, samples));
  }

  #look(): void {
    const atMs = performance.now();
    for (const member of this.#cluster.members) {
      if (!member.isRunning) continue;
      const samples = this.#samples.get(member.options.name) ?? [];
      samples.push({ atMs, mb: member.memoryMb() });
      this.#samples.set(member.options.name, samples);
    }
  }
}

function growthOf(name: string, samples: readonly Sample[]): MemoryGrowth {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP)).map(({ mb }) => mb);
  const third = Math.max(1, Math.floor(warm.length / 3));
  const [early, late] = [median(warm.slice(0, third)), median(warm.slice(-third))];
  return {
    early,
    isFlat: late - early <= Math.max(NOISE_MB, early * NOISE_SHARE),
    late,
    most: Math.max(...samples.map(({ mb }) => mb)),
    name,
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
