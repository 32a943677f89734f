/**
 * The loaded indexes of a process: read, checked, numbered, and counted by the queries that use
 * them. Their data lies in memory that all threads of the process share. A thread therefore gets an
 * index by its number and its buffers, and nothing is copied.
 */
import assert from 'node:assert/strict';
import { bufferOf, type Held, HeldIndex, HeldLists, PARTS_MAX, type Sources } from './heldIndex.ts';
import { allocateForList, bytesAskedFor } from './listMemory.ts';
import type { PartBuffer } from './messages.ts';
import { openOverlay, openOverlayInSteps } from './overlayFormat.ts';
import type { IndexHolder, LoadedIndex } from './ports.ts';
import { checkSnapshot, checkSnapshotInSteps } from './snapshotFormat.ts';

/**
 * All loaded indexes of one process. `load` throws an Error for bytes that are foreign, truncated,
 * damaged or of another format version. A released index must not be used again, which is asserted.
 */
export class IndexShelf implements IndexHolder {
  readonly #held = new Set<HeldIndex>();
  readonly #lists: HeldLists;
  readonly #onUnused: () => void;
  #nextNumber = 1;

  /**
   * @param options.slots threads that may read an index at the same time
   * @param options.onUnused called when an index is dropped: threads that know it may drop it too
   */
  constructor({ onUnused, slots }: { readonly slots: number; readonly onUnused: () => void }) {
    this.#lists = new HeldLists(slots);
    this.#onUnused = onUnused;
  }

  get bytesHeld(): number {
    return this.#lists.bytes;
  }

  /** All parts in use, as messages to a thread: only numbers and shared memory. */
  parts(): PartBuffer[] {
    return [...this.#held].flatMap(({ parts }) =>
      parts.map(({ number, buffer, memory, removed }) => ({
        number,
        buffer: memory?.buffer ?? buffer,
        memory,
        removed,
      })),
    );
  }

  /** Part numbers of an index, as a thread that got `parts()` knows them. */
  numbersOf(index: LoadedIndex): readonly number[] {
    return this.#heldOf(index).parts.map(({ number }) => number);
  }

  allocate(bytes: number): SharedArrayBuffer {
    return allocateForList(bytes);
  }

  load(base: SharedArrayBuffer | LoadedIndex, overlay?: SharedArrayBuffer): LoadedIndex {
    const source = this.#sourceOf(base);
    // A snapshot of a loaded index was checked when it was loaded.
    if (source instanceof SharedArrayBuffer) checkSnapshot(source, bytesAskedFor(source));
    if (overlay === undefined) return this.#hold({ base: source, overlay });
    const parts = openOverlay(overlay, bufferOf(source));
    checkSnapshot(parts.snapshot);
    return this.#hold({ base: source, overlay: parts });
  }

  async loadInSteps(
    base: SharedArrayBuffer | LoadedIndex,
    overlay?: SharedArrayBuffer,
  ): Promise<LoadedIndex> {
    const source = this.#sourceOf(base);
    if (source instanceof SharedArrayBuffer) {
      await checkSnapshotInSteps(source, bytesAskedFor(source));
    }
    if (overlay === undefined) return this.#hold({ base: source, overlay });
    const parts = await openOverlayInSteps(overlay, bufferOf(source));
    await checkSnapshotInSteps(parts.snapshot);
    return this.#hold({ base: source, overlay: parts });
  }

  #sourceOf(base: SharedArrayBuffer | LoadedIndex): SharedArrayBuffer | Held {
    if (base instanceof SharedArrayBuffer) return this.#lists.find(base) ?? base;
    const [part] = this.#heldOf(base).parts;
    assert(part !== undefined, 'an index in use keeps its parts');
    return part.held;
  }

  #hold(sources: Sources): HeldIndex {
    const index = new HeldIndex(sources, {
      number: this.#nextNumber,
      lists: this.#lists,
      onUnused: (unused, parts) => {
        this.#held.delete(unused);
        for (const { held } of parts) this.#lists.give(held);
        this.#onUnused();
      },
    });
    this.#nextNumber += PARTS_MAX;
    this.#held.add(index);
    return index;
  }

  /**
   * Runs `use` and keeps all of `indexes` loaded until it settles, even when they are released
   * meanwhile.
   */
  async using<Answer>(
    indexes: readonly LoadedIndex[],
    use: (held: readonly HeldIndex[]) => Promise<Answer>,
  ): Promise<Answer> {
    const held = indexes.map((index) => this.#heldOf(index));
    for (const index of held) index.queries += 1;
    try {
      return await use(held);
    } finally {
      for (const index of held) {
        index.queries -= 1;
        index.dropIfUnused();
      }
    }
  }

  #heldOf(index: LoadedIndex): HeldIndex {
    assert(index instanceof HeldIndex, 'indexes come from load()');
    assert(!index.released && this.#held.has(index), 'index was released');
    return index;
  }

  clear(): void {
    this.#held.clear();
  }
}
