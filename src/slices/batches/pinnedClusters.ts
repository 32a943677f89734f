/**
 * Which entries of pinned lists are one, from the blob that says it: computed once for each set of
 * lists, a few of which are kept, since chunks of several batches take turns.
 */
import { type Clusters, clustersOf, readResolution } from '#slices/resolution';
import type { PinnedResolution } from './chunkPorts.ts';

/** They are a hundredth of an index, and made in a moment. */
const KEPT_MAX = 4;

export class PinnedClusters {
  readonly #kept = new Map<string, Clusters>();

  /** Throws DomainError `blob-damaged` where the blob is none. */
  of({ bytes, digest, inForce }: PinnedResolution): Clusters {
    const key = JSON.stringify([digest, inForce]);
    const clusters = this.#kept.get(key) ?? clustersOf(readResolution(bytes), { digest, inForce });
    this.#kept.delete(key);
    this.#kept.set(key, clusters); // the latest used at the end
    const [idlest] = this.#kept.keys();
    if (idlest !== undefined && this.#kept.size > KEPT_MAX) this.#kept.delete(idlest);
    return clusters;
  }
}
