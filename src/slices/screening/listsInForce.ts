/**
 * The lists that this process screens against: one loaded index per source, swapped by reference
 * when a new version is published, so that no query ever sees a mix of two.
 *
 * Publications are seen by polling a counter (a change is in force within two seconds on every
 * gateway that shares the store) or at once by `refresh`. A version that cannot be loaded leaves
 * the former one in force and is reported: an old list screens better than none. It is tried again
 * at once when anything is published, otherwise less and less often, since each try reads the whole
 * index.
 *
 * A version may be an overlay on the snapshot of an earlier one. That snapshot is read once: as
 * long as a version in force stands on it, its next overlay is loaded over the same memory.
 *
 * A version that the signed entries of its list do not name is one that cannot be loaded, whatever
 * its index says: whoever can write the database could put another in its place. So is a list whose
 * record is gone, for nothing ends a list.
 *
 * With the lists comes their resolution: which entries are the same person. Its links hold only
 * between lists that have not changed since it was made.
 */
import assert from 'node:assert/strict';
import type { SettlingAudit } from '#core/audit';
import {
  type ListStore,
  type ListVersion,
  recordedInForce,
  recordGone,
  type SignedVersions,
} from '#slices/lists';
import {
  type Clusters,
  clustersOf,
  type ListResolution,
  type ResolutionStore,
  readResolution,
  resolvedList,
} from '#slices/resolution';
import { type IndexLoading, loadIndex, readShared } from './loadIndex.ts';
import type { ListInForce, ListsInForce, ListsState } from './ports.ts';

/** Polls that are skipped at most between two tries of a version that cannot be loaded. */
const POLLS_SKIPPED_MAX = 30;

interface Releasable {
  release(): void;
}

export interface ListsInForceOptions<Index extends Releasable> extends IndexLoading<Index> {
  readonly lists: Pick<ListStore, 'listSources' | 'publicationCounter'> &
    Partial<Pick<ResolutionStore, 'findResolution'>>;
  /** Refuses a version that the last signed entry of its list does not name. */
  readonly signed: Pick<SignedVersions, 'checkInForce' | 'missing'>;
  /** Finishes commits that their writer left. */
  readonly audit?: SettlingAudit;
  readonly onSwapped?: (version: ListVersion) => void;
  readonly onFailed?: (version: ListVersion | undefined, error: unknown) => void;
}

export class LoadedLists<Index extends Releasable> implements ListsInForce<Index> {
  readonly #options: ListsInForceOptions<Index>;
  #current: ListsState<Index> = { lists: [], unloaded: [] };
  #counterSeen = -1;
  /**
   * The counter at which a load failed, how often in a row, and how many polls are still skipped.
   */
  #failed = { counter: -1, pollsLeft: 0, times: 0 };
  #resolution: { digest: string; resolution: ListResolution } | undefined;
  #refreshing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ListsInForceOptions<Index>) {
    this.#options = options;
  }

  /** Replaced as a whole, never changed. */
  current(): ListsState<Index> {
    return this.#current;
  }

  /** Loads what is published and not loaded yet; one refresh at a time. */
  async refresh(): Promise<void> {
    if (this.#isClosed) return;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  startPolling(everyMs: number): void {
    assert(this.#timer === undefined, 'polling runs already');
    this.#timer = setInterval(() => {
      this.#poll().catch((error: unknown) => this.#options.onFailed?.(undefined, error));
    }, everyMs);
    this.#timer.unref();
  }

  /** Waits for a running refresh: what it still loads must not outlive this object. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosed = true;
    await this.#refreshing?.catch(() => undefined); // its own caller gets the error
    for (const list of this.#current.lists) list.index.release();
    this.#current = { lists: [], unloaded: [] };
  }

  async #poll(): Promise<void> {
    if (this.#failed.pollsLeft > 0) {
      this.#failed.pollsLeft--;
      if ((await this.#options.lists.publicationCounter()) === this.#failed.counter) return;
    }
    await this.refresh();
  }

  async #refresh(): Promise<void> {
    const counter = await this.#options.lists.publicationCounter();
    if (counter === this.#counterSeen) return;
    const { missing, versions } = await recordedInForce(this.#options);
    const complete = await this.#swap(versions, missing);
    // A failed load is tried again at a later poll, since the counter counts as unseen.
    if (complete) this.#counterSeen = counter;
    const times = complete ? 0 : this.#failed.times + 1;
    const pollsLeft = complete ? 0 : Math.min(2 ** times, POLLS_SKIPPED_MAX);
    this.#failed = { counter, pollsLeft, times };
  }

  async #swap(published: readonly ListVersion[], missing: readonly string[]): Promise<boolean> {
    let complete = missing.length === 0;
    const former = this.#current.lists;
    const unloaded: string[] = [];
    const next: ListInForce<Index>[] = [];
    for (const version of published) {
      const loaded = former.find((list) => list.version.sourceId === version.sourceId);
      const index = await this.#indexOf(version, loaded);
      if (index !== undefined) next.push({ index, version });
      else if (loaded !== undefined) next.push(loaded);
      else unloaded.push(version.sourceId);
      complete &&= index !== undefined;
    }
    for (const sourceId of missing) {
      const loaded = former.find((list) => list.version.sourceId === sourceId);
      if (loaded !== undefined) next.push(loaded);
      else unloaded.push(sourceId);
      this.#options.onFailed?.(loaded?.version, recordGone([sourceId]));
    }
    const clusters = await this.#clusters(next);
    this.#current = { clusters, lists: next, unloaded };
    const kept = new Set(next.map((list) => list.index));
    for (const list of former) if (!kept.has(list.index)) list.index.release();
    return complete;
  }

  /**
   * Lists without a resolution are screened as well: no entries merge, and the reason is reported.
   */
  async #clusters(next: readonly ListInForce<Index>[]): Promise<Clusters | undefined> {
    try {
      const pointer = await this.#options.lists.findResolution?.();
      if (pointer === undefined) return undefined;
      if (this.#resolution?.digest !== pointer.blob) {
        const bytes = new Uint8Array(await readShared(this.#options.blobs, pointer.blob));
        this.#resolution = { digest: pointer.blob, resolution: readResolution(bytes) };
      }
      const { digest, resolution } = this.#resolution;
      const inForce = next.map(({ version }) => resolvedList(version));
      return clustersOf(resolution, { digest, inForce });
    } catch (error) {
      this.#options.onFailed?.(undefined, error);
      return undefined;
    }
  }

  /** Undefined where it cannot be loaded, or must not be: the reason is reported. */
  async #indexOf(
    version: ListVersion,
    former: ListInForce<Index> | undefined,
  ): Promise<Index | undefined> {
    try {
      await this.#options.signed.checkInForce(version);
      if (former !== undefined && isSameIndex(former.version, version)) return former.index;
      const isSameBase = former?.version.snapshotBlob === version.snapshotBlob;
      const index = await loadIndex(this.#options, version, isSameBase ? former?.index : undefined);
      this.#options.onSwapped?.(version);
      return index;
    } catch (error) {
      this.#options.onFailed?.(version, error);
      return undefined;
    }
  }
}

function isSameIndex(a: ListVersion, b: ListVersion): boolean {
  return a.snapshotBlob === b.snapshotBlob && a.overlayBlob === b.overlayBlob;
}
