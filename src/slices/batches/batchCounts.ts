/** The figures of a batch: sums over its chunks, which only grow. */
import type { BatchChunk, BatchCounts, ChunkResult } from './batch.ts';

/** The figures of a batch once a chunk of these is done too. */
export function countsWith(
  before: BatchCounts,
  { subjects }: Pick<BatchChunk, 'subjects'>,
  result: Pick<ChunkResult, 'byDecision' | 'byMatchType' | 'hits' | 'subjectsWithHits'>,
): BatchCounts {
  return {
    byDecision: sums(before.byDecision, result.byDecision),
    byMatchType: sums(before.byMatchType, result.byMatchType),
    chunks: before.chunks + 1,
    hits: before.hits + result.hits,
    subjects: before.subjects + subjects,
    subjectsWithHits: before.subjectsWithHits + result.subjectsWithHits,
  };
}

function sums<Name extends string>(
  one: Readonly<Record<Name, number>>,
  other: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  const names = Object.keys(one) as Name[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Record<
    Name,
    number
  >;
}
