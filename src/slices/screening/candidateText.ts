/**
 * A candidate as the event holds it, written directly as canonical JSON (RFC 8785).
 *
 * Why not an object and a serialiser: fifty candidates are nine tenths of an event, and their text
 * about an entity is the same every time. So an entity's part is serialised once per list version,
 * and a candidate is this text and a dozen numbers. test/slices/screening/screeningRecord.test.ts
 * compares it with canonicalJson of the parsed record.
 */
import assert from 'node:assert/strict';
import type { JsonObject } from '#core/audit';
import { canonicalJson } from '#platform/canonicalJson';
import type { RcaPath } from '#slices/lists';
import type { ScoredCandidate } from './ports.ts';
import type { RcaHit, Typology } from './verdict.ts';

/** A candidate of an event. `effectiveWeights` is a position in the event's `effective_weights`. */
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

/** The entity's part of a candidate, as the list publication stored it. */
interface Card {
  readonly categories: readonly string[];
  readonly flattened_associated_sanctioned: readonly RcaPath[];
  readonly ftm_id: string;
  readonly primary_name: string;
  readonly schema: string;
  readonly source_lists_hits: readonly JsonObject[];
}

/** An entity's part of the text. */
export interface EntityText {
  readonly card: Card;
  readonly categories: string;
  readonly id: string;
  readonly name: string;
  readonly schema: string;
  readonly lists: string;
}

/** Entities kept per list version; a full table is cleared. */
const ENTITIES_MAX = 100_000;
const texts = new WeakMap<object, Map<string, EntityText>>();

/** @param index the loaded list of the candidate; its texts are dropped with it */
export function entityText(index: object, candidate: ScoredCandidate): EntityText {
  let known = texts.get(index);
  if (known === undefined || known.size > ENTITIES_MAX) {
    known = new Map();
    texts.set(index, known);
  }
  const text = known.get(candidate.id) ?? wordsOf(candidate.card);
  known.set(candidate.id, text);
  return text;
}

function wordsOf(json: string): EntityText {
  const card = JSON.parse(json) as Card;
  assert(Array.isArray(card.categories), 'a card holds categories');
  assert(Array.isArray(card.flattened_associated_sanctioned), 'a card holds related parties');
  return {
    card,
    categories: canonicalJson(card.categories),
    id: canonicalJson(card.ftm_id),
    lists: canonicalJson(card.source_lists_hits),
    name: canonicalJson(card.primary_name),
    schema: canonicalJson(card.schema),
  };
}

/** What the verdict adds to a scored candidate. */
export interface Judged {
  readonly scored: ScoredCandidate;
  readonly entity: EntityText;
  readonly effectiveWeights: number;
  readonly rcaHits: readonly RcaHit[];
  readonly typology: Typology | null;
}

/** Members in code-unit order; a template prints numbers and null as JCS does. */
export function candidateText({ scored, entity, ...judged }: Judged): string {
  const rcaHits = judged.rcaHits.length === 0 ? '[]' : canonicalJson(judged.rcaHits);
  const typology = judged.typology === null ? 'null' : `"${judged.typology}"`;
  return (
    `{"aliasUnfoldScore":${scored.aliasUnfoldScore},"categories":${entity.categories}` +
    `,"directScore":${scored.directScore},"dobScore":${scored.dobScore}` +
    `,"effectiveWeights":${judged.effectiveWeights},"finalScore":${scored.finalScore}` +
    `,"ftm_id":${entity.id},"matched_name":${JSON.stringify(scored.matchedName)}` +
    `,"nameScore":${scored.nameScore},"nationalityScore":${scored.nationalityScore}` +
    `,"phoneticScore":${scored.phoneticScore},"primary_name":${entity.name}` +
    `,"rcaHits":${rcaHits},"schema":${entity.schema}` +
    `,"sourceTypeBoost":${scored.sourceTypeBoost},"source_lists_hits":${entity.lists}` +
    `,"typology":${typology}}`
  );
}

/** The same as an object, for a hit in the answer. */
export function candidateRecord({ scored, entity, ...judged }: Judged): CandidateRecord {
  const { card } = entity;
  return {
    aliasUnfoldScore: scored.aliasUnfoldScore,
    categories: card.categories,
    directScore: scored.directScore,
    dobScore: scored.dobScore,
    effectiveWeights: judged.effectiveWeights,
    finalScore: scored.finalScore,
    ftm_id: card.ftm_id,
    matched_name: scored.matchedName,
    nameScore: scored.nameScore,
    nationalityScore: scored.nationalityScore,
    phoneticScore: scored.phoneticScore,
    primary_name: card.primary_name,
    rcaHits: judged.rcaHits,
    schema: card.schema,
    sourceTypeBoost: scored.sourceTypeBoost,
    source_lists_hits: card.source_lists_hits,
    typology: judged.typology,
  };
}
