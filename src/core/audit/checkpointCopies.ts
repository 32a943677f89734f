/**
 * The latest checkpoint of each chain once more, where the blobs are kept: in a bucket that keeps
 * versions it outlives a data directory that was lost, or restored, together with the store.
 */
import type { ChainId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { parseCheckpoint } from './checkpoint.ts';
import type { Checkpoint } from './ports.ts';

const NAME = /^checkpoint-([0-9a-z-]{1,64})\.json$/;

/** Small documents by name, of each the latest. A store of blobs may keep some (core/blobs). */
export interface NoteStore {
  put(name: string, text: string): Promise<void>;
  get(name: string): Promise<string | undefined>;
  names(): AsyncIterable<string>;
}

/** Checkpoints as notes. */
export interface CheckpointCopies {
  save(checkpoint: Checkpoint): Promise<void>;
  latest(chainId: ChainId): Promise<Checkpoint | undefined>;
  /** Chains that have one. */
  chains(): AsyncIterable<ChainId>;
}

/** Checkpoints kept in this store; a note that is none counts as absent. */
export function checkpointCopies(notes: NoteStore): CheckpointCopies {
  const nameOf = (chainId: string): string => `checkpoint-${chainId}.json`;
  return {
    async *chains() {
      for await (const name of notes.names()) {
        const chainId = NAME.exec(name)?.[1];
        if (chainId !== undefined) yield chainId as ChainId;
      }
    },
    async latest(chainId) {
      const text = await notes.get(nameOf(chainId));
      return text === undefined ? undefined : parseCheckpoint(JSON.parse(text));
    },
    save: (checkpoint) => notes.put(nameOf(checkpoint.tenant_id), canonicalJson(checkpoint)),
  };
}

/** The later of two. */
export const laterCheckpoint = (
  one: Checkpoint | undefined,
  other: Checkpoint | undefined,
): Checkpoint | undefined => ((other?.seq ?? -1) > (one?.seq ?? -1) ? other : one);
