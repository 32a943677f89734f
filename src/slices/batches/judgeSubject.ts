/**
 * What the candidates of one subject come to: its hits by the batch's thresholds (interface.md
 * 2.3), the entries of several lists that are one person as one hit, and the subject's decision.
 *
 * A hit's kind is the first rule of unit screening that is for it, thresholds aside: those of a
 * batch are its own, and are compared with directScore, too.
 */
import type { RcaPath } from '#slices/lists';
import type { Clusters } from '#slices/resolution';
import {
  type Excluded,
  kindOf,
  mergedPositions,
  rcaHitsOf,
  type ScoredCandidate,
  type Typology,
} from '#slices/screening';
import type { Batch, MatchType, SubjectDecision } from './batch.ts';
import type { BatchIds } from './batchIds.ts';
import type { BatchHit, SuppressedEntry } from './resultLine.ts';

export const MATCH_TYPE_OF: Readonly<Record<Typology, MatchType>> = {
  MATCH_DIRECT_SANCTIONS: 'sanction',
  MATCH_PEP: 'pep',
  MATCH_RCA_DIRECT: 'rca',
  MATCH_RCA_INDIRECT: 'rca',
  POTENTIAL_ADVERSE_MEDIA: 'adverse_media',
};
const SCORE_DECIMALS = 4;

export const matchScore = (score: number): number => Number(score.toFixed(SCORE_DECIMALS));

/** Facts of a batch, the same for all of its subjects. */
export interface JudgeContext {
  readonly batch: Pick<Batch, 'includeAdverseMedia' | 'includePep' | 'settings' | 'thresholds'>;
  readonly ids: BatchIds;
  /** Source ids, in the order in which candidates name them. */
  readonly sources: readonly string[];
  readonly clusters?: Clusters | undefined;
}

export interface JudgedSubject {
  readonly decision: SubjectDecision;
  readonly hits: readonly BatchHit[];
  /** Absent where there are none. */
  readonly suppressed?: readonly SuppressedEntry[];
}

interface Found {
  readonly scored: ScoredCandidate;
  readonly card: Card;
  readonly typology: Typology;
  readonly source: string;
}

/** The entity's part of a candidate (`card` of toIndexEntity). */
interface Card {
  readonly categories: readonly string[];
  readonly flattened_associated_sanctioned: readonly RcaPath[];
  readonly primary_name: string;
  readonly schema: string;
  readonly source_lists_hits: readonly unknown[];
}

/** @param candidates by finalScore, then id: the order of the hits */
export function judgeSubject(
  context: JudgeContext,
  candidates: readonly ScoredCandidate[],
  { excluded, ordinal }: { readonly ordinal: number; readonly excluded?: Excluded | undefined },
): JudgedSubject {
  const all = candidates.flatMap((scored) => foundOf(context, scored));
  const suppressed = excluded ? all.flatMap((one) => suppressedOf(one, excluded)) : [];
  const found = all.filter((one) => !excluded?.(one.source, one.scored.id));
  const merged = mergedOf(context, found);
  const { ids } = context;
  const hits = found.flatMap((one, at): Omit<BatchHit, 'hit_id'>[] =>
    merged.swallowed.has(at) ? [] : [hitOf(context, one, merged.byLead.get(at))],
  );
  return {
    decision: decisionOf(context, found),
    hits: hits.map((hit, position) => ({ hit_id: ids.hit({ ordinal, position }), ...hit })),
    ...(suppressed.length > 0 && { suppressed }),
  };
}

function suppressedOf({ scored, source, typology }: Found, excluded: Excluded): SuppressedEntry[] {
  const exclusion_id = excluded(source, scored.id);
  if (exclusion_id === undefined) return [];
  return [
    {
      exclusion_id,
      list_source: source,
      match_type: MATCH_TYPE_OF[typology],
      record_id: scored.id,
    },
  ];
}

function foundOf(context: JudgeContext, scored: ScoredCandidate): Found[] {
  if (scored.directScore < context.batch.thresholds.autoClear) return [];
  const card = JSON.parse(scored.card) as Card;
  const typology =
    kindOf({
      categories: card.categories,
      directScore: scored.directScore,
      paths: card.flattened_associated_sanctioned,
      reranker: context.batch.settings.rerankerVersion,
    }) ?? 'MATCH_DIRECT_SANCTIONS'; // an entry that no rule is for is on a list all the same
  if (!isSought(context.batch, MATCH_TYPE_OF[typology])) return [];
  return [{ card, scored, source: context.sources[scored.index] ?? '', typology }];
}

function isSought(
  { includeAdverseMedia, includePep }: JudgeContext['batch'],
  type: MatchType,
): boolean {
  return (type !== 'pep' || includePep) && (type !== 'adverse_media' || includeAdverseMedia);
}

/** An entry that a lead stands for beside itself. */
interface Other {
  readonly found: Found;
  readonly reason: string;
  readonly evidence: readonly string[];
}

function mergedOf({ clusters }: JudgeContext, found: readonly Found[]) {
  const byLead = new Map<number, readonly Other[]>();
  const swallowed = new Set<number>();
  if (clusters === undefined || found.length < 2) return { byLead, swallowed };
  const placed = found.map(({ scored, source, typology }) => ({ id: scored.id, source, typology }));
  for (const { lead, others } of mergedPositions(placed, clusters)) {
    for (const { candidate } of others) swallowed.add(candidate);
    byLead.set(
      lead,
      others.flatMap(({ candidate, evidence, reason }) => {
        const other = found[candidate];
        return other ? [{ evidence, found: other, reason }] : [];
      }),
    );
  }
  return { byLead, swallowed };
}

/** The score is the best one of all entries that the hit stands for. */
function hitOf(
  { batch }: JudgeContext,
  found: Found,
  others: readonly Other[] = [],
): Omit<BatchHit, 'hit_id'> {
  const { scored, source, typology } = found;
  const scores = [scored, ...others.map((other) => other.found.scored)];
  const best = Math.max(...scores.map(({ directScore }) => directScore));
  return {
    list_source: source,
    match_score: matchScore(best),
    match_type: MATCH_TYPE_OF[typology],
    payload: payloadOf(found, others, batch.settings),
    record_id: scored.id,
    strong: best >= batch.thresholds.autoMatch,
  };
}

/** Members as a unit screening answers them (presentScreening), in code-unit order. */
function payloadOf(
  { card, scored, typology }: Found,
  others: readonly Other[],
  { rcaDepthDecay }: Pick<Batch['settings'], 'rcaDepthDecay'>,
) {
  const subject = {
    categories: card.categories,
    directScore: scored.directScore,
    paths: card.flattened_associated_sanctioned,
  };
  return {
    aliasUnfoldScore: scored.aliasUnfoldScore,
    categories: card.categories,
    directScore: scored.directScore,
    dobScore: scored.dobScore,
    effectiveWeights: scored.effectiveWeights,
    finalScore: scored.finalScore,
    ftm_id: scored.id,
    matched_name: scored.matchedName,
    ...(others.length > 0 && { merged: others.map(otherOf) }),
    nameScore: scored.nameScore,
    nationalityScore: scored.nationalityScore,
    phoneticScore: scored.phoneticScore,
    primary_name: card.primary_name,
    rcaHits: rcaHitsOf(subject, rcaDepthDecay),
    schema: card.schema,
    sourceTypeBoost: scored.sourceTypeBoost,
    source_lists_hits: card.source_lists_hits,
    typology,
  };
}

const otherOf = ({ evidence, found, reason }: Other) => ({
  categories: found.card.categories,
  evidence,
  finalScore: found.scored.finalScore,
  ftm_id: found.scored.id,
  primary_name: found.card.primary_name,
  reason,
  source: found.source,
  typology: found.typology,
});

function decisionOf({ batch }: JudgeContext, found: readonly Found[]): SubjectDecision {
  if (found.length === 0) return 'auto_clear';
  const best = Math.max(...found.map(({ scored }) => scored.directScore));
  return best >= batch.thresholds.review ? 'match' : 'review';
}
