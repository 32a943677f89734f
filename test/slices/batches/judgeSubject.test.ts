/** What a subject's candidates come to where somebody decided that one of them is no hit. */
import { expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import type { ScoredCandidate } from '#slices/screening';
import type { Batch } from '../../../src/slices/batches/batch.ts';
import { BatchIds } from '../../../src/slices/batches/batchIds.ts';
import { type JudgeContext, judgeSubject } from '../../../src/slices/batches/judgeSubject.ts';

const WEIGHTS = { alias: 0.1, dob: 0.2, name: 0.5, nationality: 0.1, phonetic: 0.1 };
const context: JudgeContext = {
  batch: {
    includeAdverseMedia: true,
    includePep: true,
    settings: { rerankerVersion: '1.0.0' } as Batch['settings'],
    thresholds: { autoClear: 0.6, autoMatch: 0.95, review: 0.85 },
  },
  ids: new BatchIds({ secret: Buffer.alloc(32).toString('base64') } as never),
  sources: ['UN_SC', 'EU_CFSP'],
};

const candidate = (index: number, id: string, directScore: number): ScoredCandidate => ({
  aliasUnfoldScore: null,
  card: canonicalJson({
    categories: ['SAN'],
    flattened_associated_sanctioned: [],
    ftm_id: id,
    primary_name: id,
    schema: 'Person',
    source_lists_hits: [],
  }),
  directScore,
  dobScore: null,
  effectiveWeights: WEIGHTS,
  finalScore: directScore,
  id,
  index,
  matchedName: id,
  nameScore: directScore,
  nationalityScore: null,
  phoneticScore: null,
  sourceTypeBoost: 1,
});

const CANDIDATES = [candidate(0, 'p-1', 0.97), candidate(1, 'p-1', 0.7), candidate(0, 'p-2', 0.2)];

test('an excluded entry is no hit, decides nothing, and is told', () => {
  const excluded = (source: string, id: string) =>
    source === 'UN_SC' && id === 'p-1' ? 'x-1' : undefined;
  const judged = judgeSubject(context, CANDIDATES, { excluded, ordinal: 0 });
  expect(judged.hits.map(({ list_source }) => list_source)).toEqual(['EU_CFSP']);
  expect(judged.decision).not.toBe('match');
  expect(judged.suppressed).toEqual([
    { exclusion_id: 'x-1', list_source: 'UN_SC', match_type: 'sanction', record_id: 'p-1' },
  ]);
});

test('without exclusions nothing is told of any', () => {
  const judged = judgeSubject(context, CANDIDATES, { ordinal: 0 });
  expect(judged.hits).toHaveLength(2);
  expect(judged.decision).toBe('match');
  expect(judged).not.toHaveProperty('suppressed');
});
