/**
 * The checkpoint job. Every 1,000 events or 60 s of a chain, whichever is first, its head is
 * signed, exported beside the database and then stored. This order leaves the copy that matters
 * after a crash in between.
 *
 * It never signs a chain that went backwards. If the file knows a later head than the database, or
 * another hash at the same seq, an old backup was restored, and a fresh signature would cover it
 * up.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ChainId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import { signCheckpoint } from './checkpoint.ts';
import type { CheckpointsWaiting } from './checkpointFigures.ts';
import { appendCheckpoint } from './checkpointFile.ts';
import { type CheckpointPlaces, knownCheckpoint } from './knownCheckpoints.ts';
import type { AuditStore, Checkpoint } from './ports.ts';
import { refuseHead } from './refuseHead.ts';

/** Events of a chain without a checkpoint: at most so many could be cut off unseen. */
export const CHECKPOINT_EVENTS_MAX = 1000;
/** Milliseconds that events of a chain wait for a checkpoint, however few they are. */
export const CHECKPOINT_MS_MAX = 60_000;
const LOOK_EVERY_MS = 1000;

/** A finding that an operator must see. It carries ids and counts only. */
export interface CheckpointProblem {
  readonly chainId: ChainId | undefined;
  readonly kind: 'chain-went-back' | 'checkpoint-altered' | 'failed';
  readonly detail: string;
  readonly cause?: unknown;
}

/**
 * What the job works with; `directory` is better on another disk or machine. Where copies cannot be
 * written that is reported, and the next checkpoint tries again. The defaults are
 * CHECKPOINT_EVENTS_MAX, CHECKPOINT_MS_MAX and a look every second.
 */
export interface CheckpointOptions extends CheckpointPlaces {
  readonly store: AuditStore;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly onProblem: (problem: CheckpointProblem) => void;
  /** Called after each pass. */
  readonly onPass?: (waiting: CheckpointsWaiting) => void;
  readonly eventsMax?: number;
  readonly intervalMs?: number;
  readonly lookEveryMs?: number;
}

/** The running job. */
export interface CheckpointRun {
  /** Ends the job after a last pass, which signs every chain with news, due or not. */
  close(): Promise<void>;
}

/** Starts the job. A pass that fails is reported and tried again at the next one. */
export function runCheckpoints(options: CheckpointOptions): CheckpointRun {
  const stop = new AbortController();
  const pass = createPass(options);
  const done = (async () => {
    // At the start everything is due: a crash may have left a chain without a checkpoint for long.
    await pass({ isEverythingDue: true });
    while (!stop.signal.aborted) {
      await delay(options.lookEveryMs ?? LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(
        () => undefined, // aborted: the last pass follows
      );
      await pass({ isEverythingDue: stop.signal.aborted });
    }
  })();
  return {
    close: async () => {
      stop.abort();
      await done;
    },
  };
}

/**
 * One pass over all chains with new events, e.g. for the command line. Returns the new checkpoints.
 */
export function writeCheckpoints(options: CheckpointOptions): Promise<Checkpoint[]> {
  return createPass(options)({ isEverythingDue: true });
}

function createPass(options: CheckpointOptions) {
  const { store, clock, onProblem } = options;
  const eventsMax = options.eventsMax ?? CHECKPOINT_EVENTS_MAX;
  const intervalMs = options.intervalMs ?? CHECKPOINT_MS_MAX;
  /** When a chain was first seen with events after its checkpoint, on the monotonic clock. */
  const openSince = new Map<ChainId, number>();

  const isDue = (chainId: ChainId, openCount: number): boolean => {
    const since = openSince.get(chainId) ?? clock.monotonicMs();
    openSince.set(chainId, since);
    return openCount >= eventsMax || clock.monotonicMs() - since >= intervalMs;
  };

  return async (ask: { isEverythingDue: boolean }): Promise<Checkpoint[]> => {
    const written: Checkpoint[] = [];
    const fail = (chainId: ChainId | undefined) => (cause: unknown) => {
      onProblem({ chainId, kind: 'failed', detail: 'checkpoint not written', cause });
      return undefined;
    };
    const chains = (await store.listChains('past-checkpoint').catch(fail(undefined))) ?? [];
    for (const { chainId, head, checkpointSeq } of chains) {
      const isNow = isDue(chainId, head.seq - checkpointSeq) || ask.isEverythingDue;
      if (!isNow || head.seq === 0) continue;
      try {
        const checkpoint = await writeOne(options, chainId);
        openSince.delete(chainId);
        if (checkpoint) written.push(checkpoint);
      } catch (cause) {
        fail(chainId)(cause);
      }
    }
    const since = [...openSince.values()].map((at) => clock.monotonicMs() - at);
    options.onPass?.({ chains: openSince.size, oldestMs: Math.max(0, ...since) });
    return written;
  };
}

async function writeOne(
  options: CheckpointOptions,
  chainId: ChainId,
): Promise<Checkpoint | undefined> {
  const { store, signer, clock, copies, directory, onProblem } = options;
  const { checkpoint: last, refusal: altered } = await knownCheckpoint(options, chainId);
  if (altered !== undefined) {
    onProblem({ chainId, kind: 'checkpoint-altered', detail: altered });
    return undefined;
  }
  // Read after the file: another worker may sign a later head meanwhile, and its line must not look
  // like a step back.
  const head = await store.head(chainId);
  const refusal = last && (await refuseHead({ ...options, chainId, head }, last));
  if (refusal) {
    onProblem({ chainId, kind: 'chain-went-back', detail: refusal });
    return undefined;
  }
  const checkpoint = signCheckpoint(chainId, head, { at: clock.now(), signer });
  await appendCheckpoint(directory, chainId, checkpoint);
  await store.saveCheckpoint(checkpoint);
  await copies?.save(checkpoint).catch((cause: unknown) => {
    onProblem({ chainId, kind: 'failed', detail: 'checkpoint not copied to the bucket', cause });
  });
  return checkpoint;
}
