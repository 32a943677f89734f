/**
 * Facts of listed parties beside the hits of an answer: of the list versions that its event names,
 * for hits alone, and no part of the event (decisions 2.13).
 */
import { FACTS_UNKNOWN, type FactsOf, type ShownFacts } from '#slices/lists';
import type { ListReference } from './lists.ts';
import { type Hit, sourceOf } from './mergeHits.ts';

export interface FoundHits {
  readonly hits: readonly Hit[];
  /** The versions that were screened. */
  readonly references: readonly ListReference[];
}

/** In the order of the hits; nothing is asked where there are none. */
export async function factsOfHits(
  factsOf: FactsOf,
  { hits, references }: FoundHits,
): Promise<readonly ShownFacts[]> {
  if (hits.length === 0) return [];
  const entries = hits.map((hit) => {
    const reference = references.find(({ source }) => source === sourceOf(hit));
    return reference && { ...reference, id: hit.ftm_id };
  });
  const known = entries.filter((entry) => entry !== undefined);
  const facts = await factsOf(known);
  const byEntry = new Map(known.map((entry, at) => [entry, facts[at]]));
  return entries.map((entry) => (entry && byEntry.get(entry)) ?? FACTS_UNKNOWN);
}
