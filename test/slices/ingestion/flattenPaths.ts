/** Related-party paths of a list in memory, as a test compares them. */
import { RCA_DEFAULTS, RcaGraph, type RcaOptions } from '#slices/ingestion';
import type { ListEntity, RcaPath } from '#slices/lists';

/** Paths of every entity that has any. */
export function flattenPaths(
  entities: readonly Pick<ListEntity, 'ftm_id' | 'categories' | 'associations'>[],
  options: RcaOptions = RCA_DEFAULTS,
): ReadonlyMap<string, readonly RcaPath[]> {
  const graph = new RcaGraph(options);
  for (const entity of entities) graph.add(entity);
  const paths = new Map<string, readonly RcaPath[]>();
  for (const { ftm_id } of entities) {
    const found = graph.paths(ftm_id);
    if (found.length > 0) paths.set(ftm_id, found);
  }
  return paths;
}
