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

/** A note in the place of a checkpoint that is none. */
export class CheckpointDamaged extends Error {
  override readonly name = 'CheckpointDamaged';
}

/** Checkpoints as notes. */
export interface CheckpointCopies {
  save(checkpoint: Checkpoint): Promise<void>;
  /** Unverified. Rejects with CheckpointDamaged for a note that is no checkpoint. */
  latest(chainId: ChainId): Promise<Checkpoint | undefined>;
  /** Chains that have one. */
  chains(): AsyncIterable<ChainId>;
}

/** Checkpoints kept in this store. */
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
      return text === undefined ? undefined : checkpointIn(text);
    },
    save: (checkpoint) => notes.put(nameOf(checkpoint.tenant_id), canonicalJson(checkpoint)),
  };
}

function checkpointIn(text: string): Checkpoint {
  const checkpoint = parseCheckpoint(jsonIn(text));
  if (checkpoint === undefined) throw new CheckpointDamaged('it is no checkpoint');
  return checkpoint;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CheckpointDamaged('it is not JSON', { cause });
  }
}

/** The later of two. */
export const laterCheckpoint = (
  one: Checkpoint | undefined,
  other: Checkpoint | undefined,
): Checkpoint | undefined => ((other?.seq ?? -1) > (one?.seq ?? -1) ? other : one);
