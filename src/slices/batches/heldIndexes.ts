/**
 * Indexes in the memory of this process, each loaded once and counted by its users. An unused one
 * stays idle for a while, since the next chunk needs it again. Before another one is loaded, the
 * longest idle ones are dropped until the idle ones are within their bounds. So memory holds the
 * indexes in use, and beside them at most the bounds and the one given back last.
 */
export interface ReleasableIndex {
  /** Bytes in memory. */
  readonly bytes: number;
  release(): void;
}

export interface IdleBounds {
  readonly idleMs: number;
  readonly idleIndexesMax: number;
  readonly idleBytesMax: number;
}

export interface IndexAsk<Index> {
  /** Identifies the index: the same key is the same index. */
  readonly key: string;
  /** Undefined: there is nothing to screen against, which is remembered as an index is. */
  load(): Promise<Index | undefined>;
}

interface Entry<Index> {
  readonly key: string;
  readonly index: Promise<Index | undefined>;
  users: number;
  /** Set once it is loaded. */
  loaded: Index | undefined;
  idle: NodeJS.Timeout | undefined;
}

export class HeldIndexes<Index extends ReleasableIndex> {
  readonly #bounds: IdleBounds;
  /** The index given back last comes last. */
  readonly #entries = new Map<string, Entry<Index>>();
  #isClosed = false;

  constructor(bounds: IdleBounds) {
    this.#bounds = bounds;
  }

  /**
   * Indexes in the order of `asks`; missing ones are loaded one after another. Rejects as `load`
   * does, and holds nothing then. A second call of `release` has no effect.
   */
  async hold(asks: readonly IndexAsk<Index>[]): Promise<{
    readonly indexes: readonly (Index | undefined)[];
    release(): void;
  }> {
    const taken = new Map<string, Entry<Index>>();
    const give = (): void => {
      for (const entry of taken.values()) this.#give(entry);
      taken.clear();
    };
    // Before any is loaded, because making room must not drop one of these.
    for (const { key } of asks) this.#take(taken, this.#entries.get(key));
    try {
      const indexes: (Index | undefined)[] = [];
      for (const ask of asks) {
        const entry = this.#take(taken, this.#entries.get(ask.key) ?? this.#load(ask));
        indexes.push(await entry?.index);
      }
      return { indexes, release: give };
    } catch (error) {
      give();
      throw error;
    }
  }

  /** Indexes in use are dropped when they are given back. */
  close(): void {
    this.#isClosed = true;
    for (const entry of this.#entries.values()) if (entry.users === 0) this.#drop(entry);
  }

  #take(taken: Map<string, Entry<Index>>, entry: Entry<Index> | undefined) {
    if (entry === undefined || taken.get(entry.key) === entry) return entry;
    clearTimeout(entry.idle);
    entry.users++;
    taken.set(entry.key, entry);
    return entry;
  }

  #load({ key, load }: IndexAsk<Index>): Entry<Index> {
    this.#makeRoom();
    const entry: Entry<Index> = {
      idle: undefined,
      index: load().then(
        (index) => {
          entry.loaded = index;
          return index;
        },
        (error: unknown) => {
          this.#entries.delete(key);
          throw error;
        },
      ),
      key,
      loaded: undefined,
      users: 0,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #give(entry: Entry<Index>): void {
    entry.users--;
    // One that could not be loaded is here no more.
    if (entry.users > 0 || this.#entries.get(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, entry);
    if (this.#isClosed) this.#drop(entry);
    else entry.idle = setTimeout(() => this.#drop(entry), this.#bounds.idleMs).unref();
  }

  #makeRoom(): void {
    const idle = [...this.#entries.values()].filter(({ users }) => users === 0);
    let count = idle.length;
    let bytes = idle.reduce((sum, { loaded }) => sum + (loaded?.bytes ?? 0), 0);
    for (const entry of idle) {
      if (count <= this.#bounds.idleIndexesMax && bytes <= this.#bounds.idleBytesMax) return;
      count--;
      bytes -= entry.loaded?.bytes ?? 0;
      this.#drop(entry);
    }
  }

  #drop(entry: Entry<Index>): void {
    clearTimeout(entry.idle);
    this.#entries.delete(entry.key);
    entry.loaded?.release();
  }
}
