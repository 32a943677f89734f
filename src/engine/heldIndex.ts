/**
 * Loaded indexes and the buffers behind them. An index is one snapshot, or a snapshot and what an
 * overlay changes of it: two parts, screened as one list. Indexes with the same base share its
 * buffer, which goes when the last of them has left.
 */
import { ListText } from './answer.ts';
import { type ListMemory, layOutList } from './listMemory.ts';
import type { PartBuffer } from './messages.ts';
import type { OverlayParts } from './overlayFormat.ts';
import type { LoadedIndex } from './ports.ts';
import { releaseMemory } from './releaseMemory.ts';
import { openSnapshot, snapshotLength } from './snapshotFormat.ts';

/** A snapshot laid out for the threads, and by how many indexes it is used. */
export interface Held {
  readonly memory: ListMemory;
  uses: number;
}

/** The bytes of a snapshot, wherever it is. */
export const bufferOf = (source: SharedArrayBuffer | Held): SharedArrayBuffer =>
  source instanceof SharedArrayBuffer ? source : source.memory.buffer;

/** One snapshot of an index, with what the threads and the answer need of it. */
export interface Part extends PartBuffer {
  readonly held: Held;
  readonly text: ListText;
}

/** What an index is made of; an overlay is taken apart already, a base may be held already. */
export interface Sources {
  readonly base: SharedArrayBuffer | Held;
  readonly overlay: OverlayParts | undefined;
}

/**
 * Snapshots in use. The buffer that one came in is not kept: it is known again as long as somebody
 * else has it.
 */
export class HeldLists {
  readonly #held = new Set<Held>();
  readonly #known = new WeakMap<SharedArrayBuffer, Held>();
  readonly #slots: number;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Undefined where it was never loaded, or let go since. */
  find(buffer: SharedArrayBuffer): Held | undefined {
    const known = this.#known.get(buffer);
    return known !== undefined && this.#held.has(known) ? known : undefined;
  }

  /** Bytes of all snapshots. */
  get bytes(): number {
    let sum = 0;
    for (const { memory } of this.#held) sum += snapshotLength(memory.buffer);
    return sum;
  }

  /** Laid out by who takes it first. */
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

/** Opened parts of these sources, numbered from `number` on. */
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

/** Numbers that one index takes up at most. */
export const PARTS_MAX = 2;

/** See ports.ts. */
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

  /** After a release and the last query. */
  dropIfUnused(): void {
    if (!this.released || this.queries > 0 || this.parts.length === 0) return;
    const { parts } = this;
    this.parts = [];
    this.#onUnused(this, parts);
  }
}
