/** The current stage of a run, reported to its watcher, and how long each part took. */
import type { ListSource } from '#slices/lists';
import type { FileFacts, Run } from './importEvidence.ts';
import type { ImportListOptions, ImportStage } from './importPorts.ts';
import type { RunEnd } from './runs.ts';

/** A run with its options, and the source as it was when the run began. */
export interface ImportContext {
  readonly options: ImportListOptions;
  readonly run: Run;
  readonly source: ListSource;
  readonly stages: ImportStages;
}

export class ImportStages {
  readonly #options: Pick<ImportListOptions, 'onProgress' | 'ports' | 'signal'>;
  readonly #durations: Partial<Record<ImportStage, number>> = {};
  #known: Partial<RunEnd> = {};
  #file: FileFacts | undefined;
  #stage: ImportStage | undefined;
  #since = 0;
  #bytes = 0;

  constructor(options: Pick<ImportListOptions, 'onProgress' | 'ports' | 'signal'>) {
    this.#options = options;
  }

  /** Throws the signal's reason: a run that was lost does not go on to its next part. */
  enter(stage: ImportStage): void {
    this.#options.signal?.throwIfAborted();
    this.#settle();
    this.#stage = stage;
    this.progress(this.#bytes);
  }

  progress(bytes: number): void {
    this.#bytes = bytes;
    if (this.#stage) this.#options.onProgress?.({ stage: this.#stage, bytes });
  }

  /** Adds facts about the run, for the record of a later failure. */
  know(facts: Partial<RunEnd>): void {
    this.#known = { ...this.#known, ...facts };
  }

  /** The file was read to its end. */
  hasRead(file: FileFacts): void {
    this.#file = file;
  }

  /** Undefined where it was not. */
  get file(): FileFacts | undefined {
    return this.#file;
  }

  known(): Partial<RunEnd> {
    return { ...this.#known, durationsMs: this.durations() };
  }

  durations(): Readonly<Partial<Record<ImportStage, number>>> {
    this.#settle();
    return { ...this.#durations };
  }

  #settle(): void {
    const now = this.#options.ports.clock.monotonicMs();
    if (this.#stage) {
      const before = this.#durations[this.#stage] ?? 0;
      this.#durations[this.#stage] = before + Math.round(now - this.#since);
    }
    this.#since = now;
  }
}
