/**
 * One person on several lists is one hit. The lists' resolution, computed when a list is published
 * (#slices/resolution), says which entries are one; here its clusters are applied to the candidates
 * of one screening.
 *
 * Nothing is lost and nothing is scored anew. Every candidate stays in the event as it was, and the
 * decision covers all of them. An event says which positions were merged and why, so the answer can
 * be rebuilt from it alone. The lead of a hit is the candidate with the most severe typology, then
 * with the best place by finalScore, id and source; its sources are those of all.
 */
import type { JsonObject } from '#core/audit';
import { canonicalJson } from '#platform/canonicalJson';
import type { Clusters, Membership } from '#slices/resolution';
import type { CandidateRecord } from './candidateText.ts';
import { DECISIONS, type RcaHit } from './verdict.ts';

/** A merge as the event holds it: positions in `candidates`. */
export interface MergedPositions {
  readonly lead: number;
  readonly others: readonly MergedPosition[];
}

interface MergedPosition {
  readonly candidate: number;
  readonly evidence: readonly string[];
  readonly reason: Membership['reason'];
}

/** A merged entry as the answer shows it. */
export interface MergedEntry {
  readonly source: string;
  readonly ftm_id: string;
  readonly primary_name: string;
  readonly categories: readonly string[];
  readonly finalScore: number;
  readonly typology: string | null;
  readonly reason: Membership['reason'];
  readonly evidence: readonly string[];
}

/** A hit: its leading candidate, with the sources and related parties of all merged candidates. */
export type Hit = CandidateRecord & { readonly merged?: readonly MergedEntry[] };

export interface Placed {
  readonly source: string;
  readonly id: string;
  readonly typology: string | null;
}

/** Clusters of two candidates or more, one of them a hit; ordered by the place of their lead. */
export function mergedPositions(
  candidates: readonly Placed[],
  clusters: Clusters,
): readonly MergedPositions[] {
  const groups = new Map<number, number[]>();
  const memberships = candidates.map(({ id, source }) => clusters.find({ ftm_id: id, source }));
  for (const [position, membership] of memberships.entries()) {
    if (!membership) continue;
    const group = groups.get(membership.cluster);
    if (group) group.push(position);
    else groups.set(membership.cluster, [position]);
  }
  return [...groups.values()].flatMap((group): MergedPositions[] => {
    const lead = leadOf(group, candidates);
    if (lead === undefined || group.length < 2) return [];
    const others = group.filter((position) => position !== lead);
    return [
      {
        lead,
        others: others.map((candidate) => ({
          candidate,
          evidence: memberships[candidate]?.evidence ?? [],
          reason: memberships[candidate]?.reason ?? 'identifier',
        })),
      },
    ];
  });
}

/** Rank of each typology; the least is the most severe. */
const SEVERITY: ReadonlyMap<string, number> = new Map(
  DECISIONS.map((decision, place) => [decision, place]),
);

/** The lead of a group; undefined where none of its candidates is a hit. */
function leadOf(group: readonly number[], candidates: readonly Placed[]): number | undefined {
  const severity = (position: number): number => {
    const typology = candidates[position]?.typology;
    return SEVERITY.get(typology ?? '') ?? SEVERITY.size;
  };
  const hits = group.filter((position) => candidates[position]?.typology != null);
  return hits.sort((a, b) => severity(a) - severity(b) || a - b)[0];
}

/** The hits of an answer. Without `merged` each candidate with a typology is a hit of its own. */
export function hitsOf(
  candidates: readonly CandidateRecord[],
  merged: readonly MergedPositions[] | undefined,
): readonly Hit[] {
  const byLead = new Map(merged?.map((group) => [group.lead, group]));
  const swallowed = new Set(
    merged?.flatMap(({ others }) => others.map(({ candidate }) => candidate)),
  );
  return candidates.flatMap((candidate, position): Hit[] => {
    if (candidate.typology === null || swallowed.has(position)) return [];
    const group = byLead.get(position);
    return [group ? mergedHit(candidate, group, candidates) : candidate];
  });
}

function mergedHit(
  lead: CandidateRecord,
  group: MergedPositions,
  candidates: readonly CandidateRecord[],
): Hit {
  const others = group.others.flatMap(({ candidate, evidence, reason }) => {
    const record = candidates[candidate];
    return record ? [{ evidence, reason, record }] : [];
  });
  const records = [lead, ...others.map(({ record }) => record)];
  return {
    ...lead,
    merged: others.map(({ evidence, reason, record }) => ({
      source: sourceOf(record),
      ftm_id: record.ftm_id,
      primary_name: record.primary_name,
      categories: record.categories,
      finalScore: record.finalScore,
      typology: record.typology,
      reason,
      evidence,
    })),
    rcaHits: byScore(distinct(records.flatMap(({ rcaHits }) => rcaHits))),
    source_lists_hits: distinct(records.flatMap((record) => record.source_lists_hits)),
  };
}

/** The source of an entry: every entry names its own list first. */
export const sourceOf = ({
  source_lists_hits,
}: Pick<CandidateRecord, 'source_lists_hits'>): string =>
  String((source_lists_hits[0] as JsonObject | undefined)?.list ?? '');

const byScore = (hits: readonly RcaHit[]): RcaHit[] =>
  hits.toSorted((a, b) => b.rcaScore - a.rcaScore);

function distinct<Value extends object>(values: readonly Value[]): Value[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}
