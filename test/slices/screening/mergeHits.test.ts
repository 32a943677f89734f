/** One person on several lists is one hit, and the answer can still be rebuilt from its event. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GENESIS_HASH, prepareEvent, sealEvent } from '#core/audit';
import type { ChainId, EventId, ScreeningId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { FACTS_UNKNOWN, type FactsOf } from '#slices/lists';
import { type Clusters, clustersOf, type EntityLink } from '#slices/resolution';
import {
  presentScreening,
  rebuildScreening,
  recordScreening,
  type ScoredCandidate,
  type ScreeningOutcome,
} from '#slices/screening';

const WITHOUT_FACTS = { facts: [], tookMs: 1.5 };
const caller = { turn: 'tenant' };
const factsOf: FactsOf = async (of) => of.map(() => FACTS_UNKNOWN);
const SOURCES = ['EU_CFSP', 'OFAC_SDN', 'OPEN_AGGREGATE'];
const WEIGHTS = { alias: 0.15, dob: 0.2, name: 0.4, nationality: 0.1, phonetic: 0.15 };

function candidate(
  index: number,
  directScore: number,
  given: { id?: string; categories?: readonly string[]; boost?: number } = {},
): ScoredCandidate {
  const { boost = 1, categories = ['SAN'], id = `e-${index}` } = given;
  return {
    aliasUnfoldScore: null,
    card: canonicalJson({
      categories,
      flattened_associated_sanctioned: [],
      ftm_id: id,
      primary_name: `Name of ${id}`,
      schema: 'Person',
      source_lists_hits: [{ added_at: '2026-01-01', list: SOURCES[index] ?? '', version: '1' }],
    }),
    directScore,
    dobScore: null,
    effectiveWeights: WEIGHTS,
    finalScore: directScore * boost,
    id,
    index,
    matchedName: 'Ivan',
    nameScore: directScore,
    nationalityScore: null,
    phoneticScore: null,
    sourceTypeBoost: boost,
  };
}

const end = (index: number, id = `e-${index}`) => ({ ftm_id: id, source: SOURCES[index] ?? '' });

function clustersFrom(pairs: readonly (readonly [number, number])[]): Clusters {
  const lists = SOURCES.map((source) => [source, 'd', 'c'] as const);
  const links = pairs.map(
    ([a, b]): EntityLink => ({
      a: end(a),
      b: end(b),
      evidence: ['passport:AB123456'],
      reason: 'identifier',
    }),
  );
  return clustersOf({ links, lists }, { digest: 'r'.repeat(64), inForce: lists });
}

const outcomeOf = (candidates: readonly ScoredCandidate[], clusters?: Clusters) =>
  ({
    candidates,
    indexes: [{}, {}, {}],
    lists: { listVersion: 'b'.repeat(64), references: [] },
    requestedBy: 'key-1',
    resolved: clusters && { clusters, sources: SOURCES },
    screeningId: '01890000-0000-7000-8000-000000000000',
    settings: {
      boosts: { DI: 0.75, PEP: 0.85, RCA: 0.7, SAN: 1, SI: 0.9 },
      missingAttributes: 'rescale',
      phoneticNames: 'all',
      policyVersion: 1,
      rerankerVersion: '1.0.0',
      thresholds: { adverse_media: 0.75, direct: 0.92, pep: 0.85, rca_1: 0.8, rca_2: 0.7 },
      topN: 50,
      weights: WEIGHTS,
    },
    truncated: false,
  }) satisfies ScreeningOutcome;

function seal(outcome: ScreeningOutcome) {
  const { members } = recordScreening(outcome);
  const draft = {
    eventId: '01890000-0000-7000-8000-000000000001' as EventId,
    members,
    occurredAt: 0 as EpochMs,
    open: { names: ['a'] },
    screeningId: outcome.screeningId as ScreeningId,
    type: 'screening' as const,
  };
  const random = { bytes: (count: number) => new Uint8Array(count) };
  const prepared = prepareEvent('tenant-a' as ChainId, draft, random);
  return sealEvent(prepared, { hash: GENESIS_HASH, seq: 0 }, signerFromSeed(new Uint8Array(32)));
}

describe('merged hits', () => {
  const ALL = clustersFrom([
    [0, 1],
    [1, 2],
  ]);

  test('three entries of one person are one hit with three sources and its reasons', () => {
    const candidates = [candidate(1, 0.97), candidate(0, 0.95), candidate(2, 0.93)];
    const { verdict } = recordScreening(outcomeOf(candidates, ALL));
    expect(verdict.hits.map((hit) => hit.ftm_id)).toEqual(['e-1']);
    const [hit] = verdict.hits;
    expect(hit?.source_lists_hits.map((source) => source.list)).toEqual([
      'OFAC_SDN',
      'EU_CFSP',
      'OPEN_AGGREGATE',
    ]);
    expect(hit?.merged?.map(({ reason, source }) => [source, reason])).toEqual([
      ['EU_CFSP', 'identifier'],
      ['OPEN_AGGREGATE', 'identifier'],
    ]);
  });

  test('the most severe entry leads, however the others score', () => {
    const pep = candidate(2, 1, { boost: 0.96, categories: ['PEP'] });
    const { verdict } = recordScreening(
      outcomeOf([pep, candidate(0, 0.93), candidate(1, 0.5)], ALL),
    );
    expect(verdict.decision).toBe('MATCH_DIRECT_SANCTIONS');
    expect(verdict.hits.map((hit) => [hit.ftm_id, hit.typology])).toEqual([
      ['e-0', 'MATCH_DIRECT_SANCTIONS'],
    ]);
    expect(verdict.hits[0]?.merged?.map(({ ftm_id, typology }) => [ftm_id, typology])).toEqual([
      ['e-2', 'MATCH_PEP'],
      ['e-1', null],
    ]);
  });

  test('the event holds every candidate as it was scored, and all hits', () => {
    const candidates = [candidate(1, 0.97), candidate(0, 0.95)];
    const { members } = recordScreening(outcomeOf(candidates, ALL));
    const alone = recordScreening(outcomeOf(candidates)).members;
    expect(String(members.candidates)).toBe(String(alone.candidates));
    expect(members.verdict).toEqual({ decision: 'MATCH_DIRECT_SANCTIONS', hits: ['e-1', 'e-0'] });
    expect(members.resolution).toBe('r'.repeat(64));
    expect(alone).not.toHaveProperty('resolution');
    expect(alone).not.toHaveProperty('merged');
  });

  test('without a resolution, or under every threshold, nothing merges', () => {
    const candidates = [candidate(1, 0.97), candidate(0, 0.95)];
    expect(recordScreening(outcomeOf(candidates)).verdict.hits).toHaveLength(2);
    const low = [candidate(1, 0.6), candidate(0, 0.6)];
    expect(recordScreening(outcomeOf(low, ALL)).members.merged).toEqual([]);
  });

  test('the same id on another list is another entry', () => {
    const clusters = clustersFrom([[0, 1]]);
    const other = candidate(2, 0.96, { id: 'e-0' });
    const { verdict } = recordScreening(
      outcomeOf([candidate(1, 0.97), other, candidate(0, 0.95)], clusters),
    );
    expect(verdict.hits.map((hit) => hit.source_lists_hits.length)).toEqual([2, 1]);
  });

  test('the answer is rebuilt from the event, byte for byte', async () => {
    const score = fc.integer({ max: 100, min: 60 }).map((value) => value / 100);
    const category = fc.constantFrom(['SAN'], ['PEP'], ['SI'], ['RCA']);
    const entries = fc.tuple(
      ...SOURCES.map((_, index) =>
        fc.tuple(score, category).map(([s, categories]) => candidate(index, s, { categories })),
      ),
    );
    const pairs = fc.subarray([[0, 1] as const, [1, 2] as const, [0, 2] as const]);
    await fc.assert(
      fc.asyncProperty(entries, pairs, async (candidates, links) => {
        const sorted = [...candidates].sort((a, b) => b.finalScore - a.finalScore);
        const outcome = outcomeOf(sorted, clustersFrom(links));
        const sealed = seal(outcome);
        expect(sealed.body).toBe(canonicalJson(JSON.parse(sealed.body)));
        const given = presentScreening(recordScreening(outcome).verdict, sealed, WITHOUT_FACTS);
        expect(await rebuildScreening(sealed, { caller, factsOf, tookMs: 1.5 })).toBe(given);
      }),
    );
  });
});

describe('excluded entries', () => {
  const excluding = (candidates: readonly ScoredCandidate[], id: string) => ({
    ...outcomeOf(candidates),
    excluded: {
      digest: 'e'.repeat(64),
      excluded: (source: string, ftmId: string) =>
        source === SOURCES[0] && ftmId === id ? 'x-1' : undefined,
      sources: SOURCES,
    },
  });

  test('are no hits, and the event says by which exclusion', async () => {
    const outcome = excluding([candidate(0, 0.97), candidate(1, 0.93)], 'e-0');
    const { members, verdict } = recordScreening(outcome);
    expect(verdict.hits.map(({ ftm_id }) => ftm_id)).toEqual(['e-1']);
    expect(members.exclusions).toBe('e'.repeat(64));
    expect(members.suppressed).toEqual([
      {
        candidate: 0,
        exclusion_id: 'x-1',
        ftm_id: 'e-0',
        source: SOURCES[0],
        typology: 'MATCH_DIRECT_SANCTIONS',
      },
    ]);
    expect(members).not.toHaveProperty('suppressed_only');
    const sealed = seal(outcome);
    const given = presentScreening(verdict, sealed, WITHOUT_FACTS);
    expect(JSON.parse(given)).toMatchObject({ suppressed: [{ exclusion_id: 'x-1' }] });
    expect(await rebuildScreening(sealed, { caller, factsOf, tookMs: 1.5 })).toBe(given);
  });

  test('that alone were found make a verdict that is clear by them alone', async () => {
    const outcome = excluding([candidate(0, 0.97)], 'e-0');
    const { members, verdict } = recordScreening(outcome);
    expect([verdict.decision, members.suppressed_only]).toEqual(['CLEAR', true]);
    const given = presentScreening(verdict, seal(outcome), WITHOUT_FACTS);
    expect(JSON.parse(given)).toMatchObject({ suppressed_only: true });
  });

  test('that would be no hits anyway are pinned: a replay asks as much of the engine', () => {
    const candidates = [candidate(0, 0.6), candidate(1, 0.93)];
    const outcome = excluding(candidates, 'e-0');
    const { exclusions, ...members } = recordScreening(outcome).members;
    expect(exclusions).toBe(outcome.excluded.digest);
    expect(members).toEqual(recordScreening(outcomeOf(candidates)).members);
  });
});
