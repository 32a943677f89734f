/**
 * Facts of listed parties beside the hits of an answer: of the list versions that its event names,
 * for hits alone, and no part of the event (decisions 2.13).
 */
import { FACTS_UNKNOWN, type FactsCaller, type FactsOf, type ShownFacts } from '#slices/lists';
import type { ListReference } from './lists.ts';
import { type Hit, sourceOf } from './mergeHits.ts';

/** Milliseconds that an answer waits for facts; its evidence is durable, and the key brings it. */
const FACTS_DEADLINE_MS = 5_000;

/** Whose answer waits. */
export type AnswerCaller = Pick<FactsCaller, 'signal' | 'turn'>;

export interface FoundHits {
  readonly hits: readonly Hit[];
  /** The versions that were screened. */
  readonly references: readonly ListReference[];
}

/**
 * In the order of the hits; nothing is asked where there are none. Rejects with `deadline-exceeded`
 * where they do not come in time.
 */
export async function factsOfHits(
  factsOf: FactsOf,
  { hits, references }: FoundHits,
  { signal, turn }: AnswerCaller,
): Promise<readonly ShownFacts[]> {
  if (hits.length === 0) return [];
  const entries = hits.map((hit) => {
    const reference = references.find(({ source }) => source === sourceOf(hit));
    return reference && { ...reference, id: hit.ftm_id };
  });
  const known = entries.filter((entry) => entry !== undefined);
  const facts = await factsOf(known, {
    deadlineMs: FACTS_DEADLINE_MS,
    lane: 'answers',
    signal,
    turn,
  });
  const byEntry = new Map(known.map((entry, at) => [entry, facts[at]]));
  return entries.map((entry) => (entry && byEntry.get(entry)) ?? FACTS_UNKNOWN);
}
