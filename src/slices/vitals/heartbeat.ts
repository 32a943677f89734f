/** Says of a process that it lives, and what it can do: work beside the evidence, in one record. */
import type { Tables } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { BEAT_EVERY_MS } from './limits.ts';
import { type Beat, type BeatFigures, type BeatRole, beatTable } from './tables.ts';

/** Whose beat it is, and what it tells. */
export interface HeartbeatPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly figures: () => Promise<BeatFigures>;
  readonly nodeId: string;
  /** The store does not answer, or a figure cannot be had. */
  readonly onFailure: (error: unknown) => void;
  readonly release: string;
  readonly role: BeatRole;
  readonly tables: Pick<Tables, 'insertMissing' | 'saveWork'>;
}

/** One for a process. */
export class Heartbeat {
  readonly #ports: HeartbeatPorts;
  readonly #startedAt: EpochMs;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;

  constructor(ports: HeartbeatPorts) {
    this.#ports = ports;
    this.#startedAt = ports.clock.now();
  }

  /** Beats now, and again until `stop`. Never rejects. */
  start(everyMs = BEAT_EVERY_MS): void {
    const beat = (): void => {
      this.#beating ??= this.beat()
        .catch(this.#ports.onFailure)
        .finally(() => {
          this.#beating = undefined;
        });
    };
    this.#timer = setInterval(beat, everyMs);
    this.#timer.unref();
    beat();
  }

  /** It ends in good order: nobody misses it. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    const { clock, nodeId, onFailure, tables } = this.#ports;
    const ended = { key: { nodeId }, work: { endedAt: clock.now() } };
    await tables.saveWork(beatTable, ended).catch(onFailure);
  }

  async beat(): Promise<void> {
    const { clock, figures, nodeId, release, role, tables } = this.#ports;
    const work = { figures: await figures(), seenAt: clock.now() };
    if (await tables.saveWork(beatTable, { key: { nodeId }, work })) return;
    const record: Beat = {
      ...work,
      nodeId,
      recordedAt: work.seenAt,
      release,
      role,
      startedAt: this.#startedAt,
      version: 1,
    };
    await tables.insertMissing(beatTable, [record]);
  }
}
