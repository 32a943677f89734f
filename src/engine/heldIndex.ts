/**
 * Loaded indexes and the buffers behind them. An index is one snapshot, or a snapshot and the
 * changes of an overlay: two parts, screened as one list. Indexes with the same base share its
 * buffer, which is freed when the last of them is released.
 */
import { ListText } from './answer.ts';
import { type ListMemory, layOutList } from './listMemory.ts';
import type { PartBuffer } from './messages.ts';
import type { OverlayParts } from './overlayFormat.ts';
import type { LoadedIndex } from './ports.ts';
import { releaseMemory } from './releaseMemory.ts';
import { openSnapshot, snapshotLength } from './snapshotFormat.ts';

/** A snapshot laid out for the threads, and the number of indexes that use it. */
export interface Held {
  readonly memory: ListMemory;
  uses: number;
}

/** The buffer that a snapshot's bytes begin in; behind them it may be longer. */
export const bufferOf = (source: SharedArrayBuffer | Held): SharedArrayBuffer =>
  source instanceof SharedArrayBuffer ? source : source.memory.buffer;

/** One snapshot of an index, with its buffers for the threads and its texts for the answer. */
export interface Part extends PartBuffer {
  readonly held: Held;
  readonly text: ListText;
}

/** The snapshots of an index. An overlay is already taken apart; a base may already be loaded. */
export interface Sources {
  readonly base: SharedArrayBuffer | Held;
  readonly overlay: OverlayParts | undefined;
}

/**
 * Snapshots in use, counted by their users. The buffer in which a snapshot came is not kept, but
 * recognised while another owner keeps it.
 */
export class HeldLists {
  readonly #held = new Set<Held>();
  readonly #known = new WeakMap<SharedArrayBuffer, Held>();
  readonly #slots: number;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /**
   * The snapshot loaded from this buffer; undefined where it was never loaded or is freed since.
   */
  find(buffer: SharedArrayBuffer): Held | undefined {
    const known = this.#known.get(buffer);
    return known !== undefined && this.#held.has(known) ? known : undefined;
  }

  /** Sum of the bytes of all snapshots, without the threads' scratch. */
  get bytes(): number {
    let sum = 0;
    for (const { memory } of this.#held) sum += snapshotLength(memory.buffer);
    return sum;
  }

  /** Adds a user of a snapshot; the first one lays it out for the threads. */
  take(source: SharedArrayBuffer | Held): Held {
    const held =
      source instanceof SharedArrayBuffer ? (this.find(source) ?? this.#layOut(source)) : source;
    held.uses += 1;
    this.#held.add(held);
    return held;
  }

  #layOut(buffer: SharedArrayBuffer): Held {
    const held = { memory: layOutList(buffer, { slots: this.#slots }), uses: 0 };
    this.#known.set(buffer, held);
    return held;
  }

  give(held: Held): void {
    held.uses -= 1;
    if (held.uses > 0) return;
    this.#held.delete(held);
    releaseMemory(held.memory.buffer.byteLength);
  }
}

/** Opens the parts of these sources and numbers them from `number` on. */
function partsOf({ base, overlay }: Sources, number: number, lists: HeldLists): Part[] {
  const part = (of: SharedArrayBuffer | Held, at: number, removed?: Uint8Array): Part => {
    const held = lists.take(of);
    const { buffer } = held.memory;
    const text = new ListText(openSnapshot(buffer));
    return { number: at, buffer, memory: held.memory, held, removed, text };
  };
  if (overlay === undefined) return [part(base, number)];
  return [part(base, number, overlay.removed), part(overlay.snapshot, number + 1)];
}

/** Part numbers that one index takes at most: its base and its overlay. */
export const PARTS_MAX = 2;

/**
 * A loaded index (LoadedIndex of ports.ts) with the count of its running queries. Its parts are
 * dropped, and `onUnused` called once, after release() and the end of the last query.
 */
export class HeldIndex implements LoadedIndex {
  readonly entityCount: number;
  readonly nameCount: number;
  readonly bytes: number;
  /** Empty once dropped. */
  parts: readonly Part[];
  queries = 0;
  released = false;
  readonly #onUnused: (index: HeldIndex, parts: readonly Part[]) => void;

  constructor(
    sources: Sources,
    options: {
      readonly number: number;
      readonly lists: HeldLists;
      readonly onUnused: (index: HeldIndex, parts: readonly Part[]) => void;
    },
  ) {
    this.parts = partsOf(sources, options.number, options.lists);
    const { overlay } = sources;
    const sum = (of: (part: Part) => number) =>
      this.parts.reduce((total, part) => total + of(part), 0);
    this.entityCount = sum(({ text }) => text.entityCount) - (overlay?.removedEntities ?? 0);
    this.nameCount = sum(({ text }) => text.nameCount) - (overlay?.removedNames ?? 0);
    this.bytes = sum(({ buffer }) => snapshotLength(buffer)) + (overlay?.removed.byteLength ?? 0);
    this.#onUnused = options.onUnused;
  }

  release(): void {
    this.released = true;
    this.dropIfUnused();
  }

  /** Drops the parts once the index is released and no query uses it. */
  dropIfUnused(): void {
    if (!this.released || this.queries > 0 || this.parts.length === 0) return;
    const { parts } = this;
    this.parts = [];
    this.#onUnused(this, parts);
  }
}
