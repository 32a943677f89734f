/**
 * The indexes that batches are screened against, in this process: of the versions that a batch has
 * pinned, even after later publications.
 *
 *   without `since`   the version's own index, as the lists in force have it; built from the signed
 *                     bundle where it is gone, damaged, or of a format of another release
 *   with `since`      an index of the entities that are new since then, built from the bundle:
 *                     added and updated ones for `delta`, added ones for `listsdelta`. Where there
 *                     are none the list is left out: there is nothing to find in it.
 *
 * An index is loaded once and shared by all batches that screen the same (heldIndexes.ts). Memory
 * holds the indexes of the running batches, and beside them at most IDLE_BYTES_MAX of indexes that
 * wait for their next chunk.
 */
import assert from 'node:assert/strict';
import type { BlobStore } from '#core/blobs';
import { DomainError, type SourceId } from '#core/kernel';
import type { Signer } from '#platform/crypto';
import type { ImportPorts } from '#slices/ingestion';
import {
  changesBetween,
  chosenEntities,
  isDamage,
  type ListStore,
  type ListVersion,
  type SignedVersions,
  sharedBytes,
  versionEntities,
} from '#slices/lists';
import { type ResolvedList, readResolution } from '#slices/resolution';
import { type IndexLoading, loadIndex } from '#slices/screening';
import type { Batch, PinnedList } from './batch.ts';
import type { BatchIndexes, BatchLists, PinnedResolution } from './chunkPorts.ts';
import {
  HeldIndexes,
  type IdleBounds,
  type IndexAsk,
  type ReleasableIndex,
} from './heldIndexes.ts';

/** Longer than a worker takes from one chunk of a batch to the next, with all turns between. */
export const IDLE_MS = 60_000;
/** Indexes without a chunk in work here, including the empty ones. */
export const IDLE_INDEXES_MAX = 64;
/** Together. */
export const IDLE_BYTES_MAX = 512 * 1024 * 1024;
/** A resolution is a hundredth of an index. */
const RESOLUTIONS_KEPT_MAX = 4;

export interface PinnedListsOptions<Index extends ReleasableIndex>
  extends IndexLoading<Index>,
    Partial<IdleBounds> {
  readonly lists: Pick<ListStore, 'everyVersion' | 'findSource'>;
  /** Refuses a version that no signed entry names with its index and its bundle. */
  readonly signed: Pick<SignedVersions, 'changesSince' | 'checkPublished'>;
  readonly blobs: Pick<BlobStore, 'get' | 'getShared' | 'open' | 'openRanges'>;
  /** The engine's, as imports have it. */
  readonly buildSnapshot: ImportPorts['buildSnapshot'];
  /** Absent: sealed blobs are verified by their address. */
  readonly signer?: Pick<Signer, 'sign'>;
}

type Pinned = Pick<Batch, 'listsPinned' | 'mode' | 'resolution'>;

export class PinnedLists<Index extends ReleasableIndex> implements BatchIndexes<Index> {
  readonly #options: PinnedListsOptions<Index>;
  readonly #indexes: HeldIndexes<Index>;
  readonly #resolutions = new Map<string, Uint8Array>();

  constructor(options: PinnedListsOptions<Index>) {
    this.#options = options;
    this.#indexes = new HeldIndexes({
      idleBytesMax: IDLE_BYTES_MAX,
      idleIndexesMax: IDLE_INDEXES_MAX,
      idleMs: IDLE_MS,
      ...options,
    });
  }

  /**
   * The lists of a batch that has pinned them. Rejects with `list-unavailable` where a version, or
   * the resolution, is gone or damaged, and with `list-altered` where it is not what was signed,
   * which no later try can mend. A transient failure of a store
   * or a disk is thrown as it is.
   */
  async acquire(batch: Pinned): Promise<BatchLists<Index>> {
    const pinned = batch.listsPinned ?? [];
    // With no list every subject would look clear.
    assert(pinned.length > 0, 'a batch that runs has pinned its lists');
    const resolution = await unlessDamaged('resolution', () => this.#resolution(batch, pinned));
    const held = await this.#indexes.hold(pinned.map((list) => this.#ask(batch, list)));
    const lists = pinned.flatMap(({ source }, place) => {
      const index = held.indexes[place];
      return index === undefined ? [] : [{ index, source }];
    });
    return { lists, release: held.release, resolution };
  }

  /** Call it before the engine is closed, after the last batch was released. */
  close(): void {
    this.#indexes.close();
  }

  #ask({ mode }: Pinned, list: PinnedList): IndexAsk<Index> {
    const { list_version, since, source } = list;
    const name = `${source} ${list_version}`;
    if (since === undefined) {
      const load = () => this.#whole(list);
      return { key: name, load: () => unlessDamaged(name, load) };
    }
    const load = () => this.#newSince(list, since, mode);
    const key = `${name} ${mode} ${since.list_version}`;
    return { key, load: () => unlessDamaged(name, load) };
  }

  async #whole(list: PinnedList): Promise<Index> {
    const { blobs } = this.#options;
    const version = await this.#find(list.source, list);
    try {
      return await loadIndex(this.#options, version);
    } catch {
      // After any error: if the bundle cannot be read either, that error is reported.
      return this.#build(versionEntities(version, blobs));
    }
  }

  async #newSince(
    { source, ...pinned }: PinnedList,
    since: NonNullable<PinnedList['since']>,
    mode: Pinned['mode'],
  ): Promise<Index | undefined> {
    const to = await this.#find(source, pinned);
    const from = await this.#find(source, since);
    const changes = await changesBetween(this.#options, { from, to });
    const sought = [...changes].filter(([, newness]) => mode === 'delta' || newness === 'added');
    if (sought.length === 0) return undefined;
    const ids = new Set(sought.map(([id]) => id));
    return this.#build(chosenEntities(this.#options, { bundle: to }, ids));
  }

  async #build(entities: ReturnType<typeof versionEntities>): Promise<Index> {
    return this.#options.load(sharedBytes(await this.#options.buildSnapshot(entities)));
  }

  /** A version in force may have another index than the one published (rebuildIndexes.ts). */
  async #find(source: SourceId, named: NonNullable<PinnedList['since']>): Promise<ListVersion> {
    const version = await this.#stored(source, named);
    await this.#options.signed.checkPublished(version);
    return version;
  }

  async #stored(source: SourceId, named: NonNullable<PinnedList['since']>): Promise<ListVersion> {
    const isNamed = ({ contentDigest, listDigest, listVersion }: ListVersion): boolean =>
      listVersion === named.list_version &&
      listDigest === named.list_digest &&
      contentDigest === named.content_digest;
    const { lists } = this.#options;
    const active = (await lists.findSource(source))?.active;
    if (active !== undefined && isNamed(active)) return active;
    for await (const version of lists.everyVersion(source)) if (isNamed(version)) return version;
    throw new DomainError('list-damaged', { detail: `${named.list_version}: no such version` });
  }

  async #resolution(
    { resolution: digest }: Pinned,
    pinned: readonly PinnedList[],
  ): Promise<PinnedResolution | undefined> {
    if (digest === undefined) return undefined;
    const inForce = pinned.map(
      ({ content_digest, list_digest, source }): ResolvedList => [
        source,
        list_digest,
        content_digest,
      ],
    );
    const known = this.#resolutions.get(digest);
    const bytes = known ?? (await this.#readResolution(digest));
    this.#resolutions.delete(digest);
    const [oldest] = this.#resolutions.keys();
    if (oldest !== undefined && this.#resolutions.size >= RESOLUTIONS_KEPT_MAX) {
      this.#resolutions.delete(oldest);
    }
    this.#resolutions.set(digest, bytes);
    return { bytes, digest, inForce };
  }

  async #readResolution(digest: string): Promise<Uint8Array> {
    const bytes = await this.#options.blobs.getShared(digest);
    if (bytes === undefined) {
      throw new DomainError('blob-damaged', { detail: `${digest}: it is gone` });
    }
    const text = new Uint8Array(bytes);
    readResolution(text); // one that cannot be read fails the batch here, not in a thread
    return text;
  }
}

async function unlessDamaged<Value>(what: string, load: () => Promise<Value>): Promise<Value> {
  try {
    return await load();
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    throw new DomainError('list-unavailable', { cause, detail: `${what}: ${cause.message}` });
  }
}
