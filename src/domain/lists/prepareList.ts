/**
 * From a file as read to what is published: sorted, with the dates of first sight carried over and
 * the related-party paths filled in; and how it differs from the version in force. Pure.
 */
import { canonicalJson } from '#platform/canonicalJson';
import { DomainError } from '../kernel/index.ts';
import type { ListEntity } from './entity.ts';
import { flattenPaths, type RcaOptions } from './rca.ts';
import type { WholeList } from './reader.ts';
import { byFtmId, contentJson, ListDigests } from './versions.ts';

export interface ListCounts {
  readonly entities: number;
  readonly added: number;
  /** Entities whose content changed; a later date of last sight alone is no change. */
  readonly updated: number;
  readonly removed: number;
  /** Entities with a path to a sanctioned or politically exposed one. */
  readonly related: number;
}

/** An entity of the version in force. */
export interface SeenBefore {
  readonly firstSeenAt: string;
  readonly content: string;
}

export interface PreparedList {
  readonly releaseDate: string;
  /** By ftm_id. */
  readonly entities: readonly ListEntity[];
  /** JCS of each entity, in the same order. */
  readonly lines: readonly string[];
  readonly listDigest: string;
  readonly contentDigest: string;
  readonly counts: ListCounts;
  readonly notes: Readonly<Record<string, number>>;
}

export function prepareList(
  parsed: WholeList,
  before: ReadonlyMap<string, SeenBefore>,
  rca?: RcaOptions,
): PreparedList {
  const sorted = [...parsed.entities].sort(byFtmId);
  refuseRepeated(sorted);
  const paths = flattenPaths(sorted, rca);
  const digests = new ListDigests();
  const entities: ListEntity[] = [];
  const lines: string[] = [];
  let kept = 0;
  let updated = 0;
  for (const read of sorted) {
    const seen = before.get(read.ftm_id);
    const entity = seenSince(
      { ...read, flattened_associated_sanctioned: paths.get(read.ftm_id) ?? [] },
      seen?.firstSeenAt,
    );
    const content = contentJson(entity);
    digests.add(entity, content);
    entities.push(entity);
    lines.push(canonicalJson(entity));
    if (!seen) continue;
    kept++;
    if (seen.content !== content) updated++;
  }
  const counts = {
    entities: entities.length,
    added: entities.length - kept,
    updated,
    removed: before.size - kept,
    related: paths.size,
  };
  const { releaseDate, notes } = parsed;
  return { releaseDate, entities, lines, ...digests.finish(), counts, notes };
}

/** An entity that was there before was first seen then, and was on its lists since then. */
function seenSince(entity: ListEntity, firstSeenAt: string | undefined): ListEntity {
  if (firstSeenAt === undefined || firstSeenAt >= entity.first_seen_at) return entity;
  return {
    ...entity,
    first_seen_at: firstSeenAt,
    source_lists_hits: entity.source_lists_hits.map((hit) => ({ ...hit, added_at: firstSeenAt })),
  };
}

function refuseRepeated(sorted: readonly ListEntity[]): void {
  const at = sorted.findIndex((entity, index) => entity.ftm_id === sorted[index - 1]?.ftm_id);
  if (at < 0) return;
  throw new DomainError('list-damaged', { detail: `ftm_id ${sorted[at]?.ftm_id} came twice` });
}
