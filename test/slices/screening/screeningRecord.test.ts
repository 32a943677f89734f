/** The evidence record: its text is canonical, and the answer can be made again from it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GENESIS_HASH, prepareEvent, sealEvent } from '#core/audit';
import type { ChainId, EventId, ScreeningId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { FACTS_UNKNOWN, type FactsOf, type ShownFacts } from '#slices/lists';
import {
  presentScreening,
  rebuildScreening,
  recordScreening,
  type ScoredCandidate,
  type ScreeningOutcome,
} from '#slices/screening';

const SETTINGS = {
  boosts: { DI: 0.75, PEP: 0.85, RCA: 0.7, SAN: 1, SI: 0.9 },
  missingAttributes: 'rescale',
  phoneticNames: 'all',
  policyVersion: 3,
  rerankerVersion: '1.0.0',
  thresholds: { adverse_media: 0.75, direct: 0.92, pep: 0.85, rca_1: 0.8, rca_2: 0.7 },
  topN: 50,
  weights: { alias: 0.15, dob: 0.2, name: 0.4, nationality: 0.1, phonetic: 0.15 },
} as const;

const score = fc
  .double({ max: 1, min: 0, noNaN: true })
  .map((value) => Math.round(value * 1e9) / 1e9);
const maybe = fc.option(score);
const text = fc.string({ maxLength: 30, unit: 'grapheme' });

const candidate: fc.Arbitrary<ScoredCandidate> = fc
  .record({
    aliasUnfoldScore: maybe,
    categories: fc.subarray(['SAN', 'PEP', 'RCA', 'SI', 'DI']),
    depth: fc.constantFrom(1, 2),
    directScore: score,
    dobScore: maybe,
    finalScore: score,
    id: fc.uuid(),
    matchedName: text,
    nameScore: score,
    nationalityScore: maybe,
    phoneticScore: maybe,
    primaryName: text,
    sourceTypeBoost: score,
  })
  .map(({ categories, depth, primaryName, ...scored }) => ({
    ...scored,
    card: canonicalJson({
      categories,
      flattened_associated_sanctioned: [
        { depth, path_decay: 0.5, path_types: ['FAMILY'], target_ftm_id: 'x-"1"' },
      ],
      ftm_id: scored.id,
      primary_name: primaryName,
      schema: 'Person',
      source_lists_hits: [{ added_at: '2026-01-01', list: 'DEMO', version: 'v2026-01-01.a' }],
    }),
    effectiveWeights: SETTINGS.weights,
    index: 0,
  }));

const outcomeOf = (candidates: readonly ScoredCandidate[]): ScreeningOutcome => ({
  candidates,
  indexes: [{}],
  lists: {
    listVersion: 'b'.repeat(64),
    references: [
      {
        content_digest: 'c',
        index: 'i',
        list_digest: 'l',
        list_version: 'v2026-01-01.a',
        source: 'DEMO',
      },
    ],
  },
  requestedBy: 'key-1',
  screeningId: '01890000-0000-7000-8000-000000000000',
  settings: SETTINGS,
  truncated: false,
});

const factsNamed = (id: string): ShownFacts => ({ ...FACTS_UNKNOWN, akas: [id] });
const factsOf: FactsOf = async (entries) => entries.map(({ id }) => factsNamed(id));

function seal(outcome: ScreeningOutcome) {
  const { members } = recordScreening(outcome);
  const prepared = prepareEvent(
    'tenant-a' as ChainId,
    {
      eventId: '01890000-0000-7000-8000-000000000001' as EventId,
      members,
      occurredAt: 0 as EpochMs,
      open: { names: ['a'] },
      screeningId: outcome.screeningId as ScreeningId,
      type: 'screening',
    },
    { bytes: (count) => new Uint8Array(count) },
  );
  return sealEvent(prepared, { hash: GENESIS_HASH, seq: 0 }, signerFromSeed(new Uint8Array(32)));
}

describe('recordScreening', () => {
  test('what is stored is canonical JSON, whatever the names and scores', () => {
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 5 }), (candidates) => {
        const { body } = seal(outcomeOf(candidates));
        expect(body).toBe(canonicalJson(JSON.parse(body)));
      }),
    );
  });

  test('every component of the score is in the event', () => {
    const [one] = fc.sample(candidate, { numRuns: 1, seed: 7 });
    if (one === undefined) throw new Error('no sample');
    const [stored] = JSON.parse(seal(outcomeOf([one])).body).candidates;
    expect(stored).toMatchObject({
      aliasUnfoldScore: one.aliasUnfoldScore,
      directScore: one.directScore,
      dobScore: one.dobScore,
      effectiveWeights: 0,
      finalScore: one.finalScore,
      ftm_id: one.id,
      matched_name: one.matchedName,
      nameScore: one.nameScore,
      nationalityScore: one.nationalityScore,
      phoneticScore: one.phoneticScore,
      sourceTypeBoost: one.sourceTypeBoost,
    });
  });

  test('the answer rebuilt from the event is the one that was given, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(candidate, { maxLength: 8 }), async (candidates) => {
        const outcome = outcomeOf(candidates);
        const sealed = seal(outcome);
        const { verdict } = recordScreening(outcome);
        const facts = verdict.hits.map(({ ftm_id }) => factsNamed(ftm_id));
        const given = presentScreening(verdict, sealed, { facts, tookMs: 1.234 });
        expect(
          await rebuildScreening(sealed, { caller: { turn: 't' }, factsOf, tookMs: 1.234 }),
        ).toBe(given);
      }),
    );
  });

  test('hits are the candidates at their threshold, in the order of the candidates', () => {
    const base = fc.sample(candidate, { numRuns: 1, seed: 1 })[0];
    if (base === undefined) throw new Error('no sample');
    const card = canonicalJson({
      ...JSON.parse(base.card),
      categories: ['SAN'],
      flattened_associated_sanctioned: [],
    });
    const at = (id: string, directScore: number) => ({ ...base, card, directScore, id });
    const { verdict } = recordScreening(outcomeOf([at('a', 0.95), at('b', 0.91), at('c', 0.92)]));
    expect(verdict.decision).toBe('MATCH_DIRECT_SANCTIONS');
    expect(verdict.hits.map((hit) => hit.directScore)).toEqual([0.95, 0.92]);
  });
});
