/** What screening needs of what stands beside it: the engine, with the indexes of this process. */
import { adapter } from '#core/kernel';
import type { CandidateEngine } from './ports.ts';

/** An index in this process's memory, as the engine knows it. */
export interface EngineIndex {
  readonly bytes: number;
  readonly entityCount: number;
  readonly nameCount: number;
  release(): void;
}

/** The engine of a process, which is closed after the last query. */
export interface ScreeningEngine extends CandidateEngine<EngineIndex> {
  /** Shared memory that a snapshot is read to. */
  allocate(bytes: number): SharedArrayBuffer;
  /** Rejects with an Error that says what is wrong with the snapshot or the overlay. */
  loadInSteps(
    base: SharedArrayBuffer | EngineIndex,
    overlay?: SharedArrayBuffer,
  ): Promise<EngineIndex>;
  close(): Promise<void>;
}

/** `queueMax` queries wait for a thread; the next one is refused. */
export const screeningEngine =
  adapter<
    (of: { readonly queueMax: number; readonly threads: number }) => Promise<ScreeningEngine>
  >();
