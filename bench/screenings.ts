/**
 * Screening events of the size that real ones have (about 12 KB), made by the code that makes them
 * in the product, over invented entities.
 */
import type { EventDraft } from '#core/audit';
import { recordScreening, type ScoredCandidate } from '#slices/screening';

/** Candidates of an event: with them it comes to about 12 KB. */
const CANDIDATES = 24;
const ENTITIES = 1_000;
const INDEX = {};

const SETTINGS = {
  boosts: { DI: 0.75, PEP: 0.85, RCA: 0.7, SAN: 1, SI: 0.9 },
  missingAttributes: 'rescale',
  phoneticNames: 'all',
  policyVersion: 1,
  rerankerVersion: '1.0.0',
  thresholds: { adverse_media: 0.75, direct: 0.92, pep: 0.85, rca_1: 0.8, rca_2: 0.7 },
  topN: 50,
  weights: { alias: 0.15, dob: 0.2, name: 0.4, nationality: 0.1, phonetic: 0.15 },
} as const;

const ENTITY_POOL = Array.from({ length: ENTITIES }, (_, at) => {
  const id = `BENCH-${String(at).padStart(6, '0')}`;
  const name = `Karim Ben Lorenstavi ${at}`;
  const card = {
    categories: ['SAN'],
    flattened_associated_sanctioned: [],
    ftm_id: id,
    primary_name: name,
    schema: 'Person',
    source_lists_hits: [{ added_at: '2026-01-01', list: 'DEMO', version: 'v2026-01-01.a' }],
  };
  return { card: JSON.stringify(card), id, name };
});

/** Over the threshold of sanctions. */
const HIT_SCORE = 0.95;

/**
 * The hashed members of one screening; `at` varies its candidates and their scores. With `isHit`
 * the first is one.
 */
export function screeningMembers(
  at: number,
  screeningId: string,
  isHit = false,
): EventDraft['members'] {
  const candidates = Array.from({ length: CANDIDATES }, (_, rank) => candidateOf(at, rank));
  const [first, ...others] = candidates;
  return recordScreening({
    candidates: isHit && first ? [{ ...first, directScore: HIT_SCORE }, ...others] : candidates,
    indexes: [INDEX],
    lists: { listVersion: 'b'.repeat(64), references: [] },
    requestedBy: 'key-bench',
    screeningId,
    settings: SETTINGS,
    truncated: false,
  }).members;
}

function candidateOf(at: number, rank: number): ScoredCandidate {
  const entity = ENTITY_POOL[(at * CANDIDATES + rank) % ENTITIES] ?? { card: '', id: '', name: '' };
  const nameScore = (900_000_000 - rank * 7_654_321 - (at % 1_000)) / 1e9;
  return {
    aliasUnfoldScore: null,
    card: entity.card,
    directScore: nameScore,
    dobScore: null,
    effectiveWeights: {
      alias: 0,
      dob: 0,
      name: 0.727272727,
      nationality: 0,
      phonetic: 0.272727273,
    },
    finalScore: nameScore,
    id: entity.id,
    index: 0,
    matchedName: entity.name,
    nameScore,
    nationalityScore: null,
    phoneticScore: rank === 0 ? 1 : 0,
    sourceTypeBoost: 1,
  };
}
