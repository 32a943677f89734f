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
import { openSnapshot } from './snapshotFormat.ts';

/** One snapshot of an index, with what the threads and the answer need of it. */
export interface Part extends PartBuffer {
  readonly text: ListText;
}

/** What an index is made of; the overlay is taken apart already. */
export interface Sources {
  readonly snapshot: SharedArrayBuffer;
  readonly overlay: OverlayParts | undefined;
}

/** Buffers in use, laid out for the threads, and by how many indexes. */
export class HeldBuffers {
  readonly #uses = new Map<SharedArrayBuffer, { count: number; readonly memory: ListMemory }>();
  readonly #slots: number;

  constructor(slots: number) {
    this.#slots = slots;
  }

  has(buffer: SharedArrayBuffer): boolean {
    return this.#uses.has(buffer);
  }

  /** Bytes of all distinct buffers. */
  get bytes(): number {
    let sum = 0;
    for (const buffer of this.#uses.keys()) sum += buffer.byteLength;
    return sum;
  }

  /** The buffer's memory, laid out by who takes it first. */
  take(buffer: SharedArrayBuffer): ListMemory {
    const known = this.#uses.get(buffer);
    if (known !== undefined) {
      known.count += 1;
      return known.memory;
    }
    const memory = layOutList(buffer, { slots: this.#slots });
    this.#uses.set(buffer, { count: 1, memory });
    return memory;
  }

  give(buffer: SharedArrayBuffer): void {
    const known = this.#uses.get(buffer);
    if (known === undefined) return;
    known.count -= 1;
    if (known.count === 0) this.#uses.delete(buffer);
  }
}

/** Opened parts of these sources, numbered from `number` on. */
function partsOf({ snapshot, overlay }: Sources, number: number, buffers: HeldBuffers): Part[] {
  const part = (buffer: SharedArrayBuffer, at: number, removed?: Uint8Array): Part => {
    const memory = buffers.take(buffer);
    const text = new ListText(openSnapshot(memory.buffer));
    return { number: at, buffer, memory, removed, text };
  };
  if (overlay === undefined) return [part(snapshot, number)];
  return [part(snapshot, number, overlay.removed), part(overlay.snapshot, number + 1)];
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
      readonly buffers: HeldBuffers;
      readonly onUnused: (index: HeldIndex, parts: readonly Part[]) => void;
    },
  ) {
    this.parts = partsOf(sources, options.number, options.buffers);
    const { overlay } = sources;
    const sum = (of: (part: Part) => number) =>
      this.parts.reduce((total, part) => total + of(part), 0);
    this.entityCount = sum(({ text }) => text.entityCount) - (overlay?.removedEntities ?? 0);
    this.nameCount = sum(({ text }) => text.nameCount) - (overlay?.removedNames ?? 0);
    this.bytes = sum(({ buffer }) => buffer.byteLength) + (overlay?.removed.byteLength ?? 0);
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
