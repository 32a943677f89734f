/**
 * Why hits of a batch have their scores: made as they are read, from the subject as it was sent,
 * the entry of the version that the batch has pinned, and its re-ranker (decisions 2.13).
 */
import {
  type ExplainCaller,
  type ExplainPorts,
  explanationsOf,
  type HitExplanation,
  type RawQuery,
} from '#slices/screening';
import type { Batch } from './batch.ts';
import type { FoundHit } from './hitPages.ts';
import { queryOf } from './screenChunk.ts';

/** In the order of the hits, each by the entry that leads it; null where its subject is erased. */
export function explainHits(
  ports: ExplainPorts,
  { listsPinned = [], settings }: Pick<Batch, 'listsPinned' | 'settings'>,
  hits: readonly FoundHit[],
  caller: ExplainCaller,
): Promise<readonly (HitExplanation | null)[]> {
  const pinned = new Map<string, (typeof listsPinned)[number]>(
    listsPinned.map((list) => [list.source, list]),
  );
  // Hits of one subject are explained together, by one query.
  const queries = new Map<FoundHit['subject'], RawQuery>();
  const asked = hits.map(({ hit, subject }) => {
    const query = queries.get(subject) ?? queryOf(subject.subject);
    queries.set(subject, query);
    const list = pinned.get(hit.list_source);
    const isKnown = list !== undefined && !subject.erased;
    return {
      entry: isKnown ? { ...list, id: hit.record_id } : undefined,
      query,
    };
  });
  return explanationsOf(ports, settings.rerankerVersion, asked, caller);
}
