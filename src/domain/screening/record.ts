/**
 * What a screening leaves behind and what it answers, both made from one record, so that the answer
 * can be rebuilt from the event byte for byte (decisions 1.2, 2.1, 2.13).
 *
 * Objects that go into the chain are built with their keys in code-unit order: JCS then costs no
 * more than JSON.stringify.
 */
import assert from 'node:assert/strict';
import type { Json, JsonObject, SealedEvent } from '#domain/audit';
import type { RcaPath } from '#domain/lists';
import type { ListSet } from './lists.ts';
import type { ComponentWeights, ScoredCandidate, ScreeningSettings } from './ports.ts';
import {
  type Decision,
  decide,
  type RcaHit,
  rcaHitsOf,
  type Typology,
  typologyOf,
} from './verdict.ts';

/** The entity's part of a candidate, as the list publication stored it. */
interface EntityCard {
  readonly categories: readonly string[];
  readonly flattened_associated_sanctioned: readonly RcaPath[];
  readonly ftm_id: string;
  readonly primary_name: string;
  readonly schema: string;
  readonly source_lists_hits: readonly JsonObject[];
}

/** A candidate as the event holds it. `effectiveWeights` is a position in `effective_weights`. */
export interface CandidateRecord {
  readonly aliasUnfoldScore: number | null;
  readonly categories: readonly string[];
  readonly directScore: number;
  readonly dobScore: number | null;
  readonly effectiveWeights: number;
  readonly finalScore: number;
  readonly ftm_id: string;
  readonly matched_name: string;
  readonly nameScore: number;
  readonly nationalityScore: number | null;
  readonly phoneticScore: number | null;
  readonly primary_name: string;
  readonly rcaHits: readonly RcaHit[];
  readonly schema: string;
  readonly source_lists_hits: readonly JsonObject[];
  readonly sourceTypeBoost: number;
  readonly typology: Typology | null;
}

/** The hashed members of a screening event, next to those that the chain itself adds. */
export interface ScreeningMembers {
  readonly boosts: object;
  readonly candidates: readonly CandidateRecord[];
  readonly effective_weights: readonly ComponentWeights[];
  readonly list_version: string;
  readonly lists: readonly object[];
  readonly missing_attributes: string;
  readonly phonetic_names: string;
  readonly policy_version: number;
  readonly requested_by: string;
  readonly reranker_version: string;
  readonly reranker_weights: ComponentWeights;
  readonly screening_id: string;
  readonly thresholds: object;
  readonly top_n: number;
  readonly truncated: boolean;
  readonly verdict: { readonly decision: Decision; readonly hits: readonly string[] };
}

export interface ScreeningOutcome {
  readonly screeningId: string;
  readonly requestedBy: string;
  readonly settings: ScreeningSettings;
  readonly lists: ListSet;
  readonly candidates: readonly ScoredCandidate[];
  readonly truncated: boolean;
}

/** The event's members from what the engine answered. */
export function recordScreening(outcome: ScreeningOutcome): ScreeningMembers {
  const { settings } = outcome;
  const weights = new WeightTable();
  const candidates = outcome.candidates.map((candidate) =>
    recordCandidate(candidate, settings, weights),
  );
  const hits = candidates.filter((candidate) => candidate.typology !== null);
  return {
    boosts: settings.boosts,
    candidates,
    effective_weights: weights.rows,
    list_version: outcome.lists.listVersion,
    lists: outcome.lists.references,
    missing_attributes: settings.missingAttributes,
    phonetic_names: settings.phoneticNames,
    policy_version: settings.policyVersion,
    requested_by: outcome.requestedBy,
    reranker_version: settings.rerankerVersion,
    reranker_weights: settings.weights,
    screening_id: outcome.screeningId,
    thresholds: settings.thresholds,
    top_n: settings.topN,
    truncated: outcome.truncated,
    verdict: {
      decision: decide(hits.map((hit) => hit.typology as Typology)),
      hits: hits.map((hit) => hit.ftm_id),
    },
  };
}

function recordCandidate(
  scored: ScoredCandidate,
  settings: ScreeningSettings,
  weights: WeightTable,
): CandidateRecord {
  const card = parseCard(scored.card);
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
    effectiveWeights: weights.positionOf(scored.effectiveWeights),
    finalScore: scored.finalScore,
    ftm_id: card.ftm_id,
    matched_name: scored.matchedName,
    nameScore: scored.nameScore,
    nationalityScore: scored.nationalityScore,
    phoneticScore: scored.phoneticScore,
    primary_name: card.primary_name,
    rcaHits: rcaHitsOf(subject),
    schema: card.schema,
    sourceTypeBoost: scored.sourceTypeBoost,
    source_lists_hits: card.source_lists_hits,
    typology: typologyOf(subject, settings.thresholds) ?? null,
  };
}

/**
 * Cards by their text: a list is small beside the queries against it, and candidates repeat.
 * Bounded; cleared whole when full, so that the cards of replaced versions go.
 */
const cards = new Map<string, EntityCard>();
const CARDS_MAX = 50_000;

function parseCard(card: string): EntityCard {
  const known = cards.get(card);
  if (known !== undefined) return known;
  const parsed = JSON.parse(card) as EntityCard;
  assert(Array.isArray(parsed.categories), 'a card holds categories');
  assert(Array.isArray(parsed.flattened_associated_sanctioned), 'a card holds related parties');
  if (cards.size >= CARDS_MAX) cards.clear();
  cards.set(card, parsed);
  return parsed;
}

/** Distinct effective weights of one event: a handful, where every candidate would repeat them. */
class WeightTable {
  readonly rows: ComponentWeights[] = [];

  positionOf(weights: ComponentWeights): number {
    const known = this.rows.findIndex(
      (row) =>
        row.alias === weights.alias &&
        row.dob === weights.dob &&
        row.name === weights.name &&
        row.nationality === weights.nationality &&
        row.phonetic === weights.phonetic,
    );
    if (known >= 0) return known;
    const { alias, dob, name, nationality, phonetic } = weights;
    return this.rows.push({ alias, dob, name, nationality, phonetic }) - 1;
  }
}

/** The answer of a screening (decisions 2.1), in the order of its description. */
export function presentScreening(
  members: ScreeningMembers,
  sealed: Pick<SealedEvent, 'eventId' | 'seq' | 'hash'>,
  tookMs: number,
): string {
  return JSON.stringify({
    screening_id: members.screening_id,
    decision: members.verdict.decision,
    hits: members.candidates.filter((candidate) => candidate.typology !== null).map(presentHit),
    list_version: members.list_version,
    policy_version: members.policy_version,
    reranker_version: members.reranker_version,
    weights: members.reranker_weights,
    thresholds: members.thresholds,
    took_ms: tookMs,
    audit: { event_id: sealed.eventId, seq: sealed.seq, hash: sealed.hash },
  });
}

function presentHit(hit: CandidateRecord): object {
  return {
    candidate: {
      ftm_id: hit.ftm_id,
      primary_name: hit.primary_name,
      schema: hit.schema,
      categories: hit.categories,
      source_lists_hits: hit.source_lists_hits,
      finalScore: hit.finalScore,
      nameScore: hit.nameScore,
      phoneticScore: hit.phoneticScore,
      dobScore: hit.dobScore,
      nationalityScore: hit.nationalityScore,
      aliasUnfoldScore: hit.aliasUnfoldScore,
      sourceTypeBoost: hit.sourceTypeBoost,
      matched_name: hit.matched_name,
    },
    directScore: hit.directScore,
    typology: hit.typology,
    rcaHits: hit.rcaHits,
  };
}

/** The same answer from the stored event: what an idempotent replay returns. */
export function rebuildScreening(sealed: SealedEvent, tookMs: number): string {
  const members = JSON.parse(sealed.body) as ScreeningMembers;
  return presentScreening(members, sealed, tookMs);
}

/** Members as the chain takes them: plain JSON by construction. */
export const asJsonObject = (members: ScreeningMembers): JsonObject =>
  members as unknown as Record<string, Json>;
