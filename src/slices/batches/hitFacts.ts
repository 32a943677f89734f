/**
 * What the lists say of a batch's hits, of the versions that the batch has pinned: no part of its
 * result lines, and the same whenever they are read (decisions 2.13).
 */
import { type EntryCaller, FACTS_UNKNOWN, type FactsOf, type ShownFacts } from '#slices/lists';
import type { Batch } from './batch.ts';
import type { BatchHit } from './resultLine.ts';

/** In the order of the hits. Rejects where a store is away, and with `list-altered`. */
export type HitFactsOf = (hits: readonly BatchHit[]) => Promise<readonly ShownFacts[]>;

export const hitFactsOf =
  (
    factsOf: FactsOf,
    { listsPinned = [] }: Pick<Batch, 'listsPinned'>,
    by: EntryCaller,
  ): HitFactsOf =>
  async (hits) => {
    if (hits.length === 0) return [];
    const pinned = new Map<string, (typeof listsPinned)[number]>(
      listsPinned.map((list) => [list.source, list]),
    );
    const entries = hits.map((hit) => {
      const list = pinned.get(hit.list_source);
      return list && { ...list, id: hit.record_id };
    });
    const known = entries.filter((entry) => entry !== undefined);
    const facts = await factsOf(known, { ...by, lane: 'pages' });
    const byEntry = new Map(known.map((entry, at) => [entry, facts[at]]));
    return entries.map((entry) => (entry && byEntry.get(entry)) ?? FACTS_UNKNOWN);
  };
