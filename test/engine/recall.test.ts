/**
 * Retrieval against the truth: every entity that the re-ranker would put at or over the lowest
 * threshold is found, with the same scores to the last digit, whatever the noise and the settings.
 */
import { describe, expect, test } from 'vitest';
import { syntheticEntities } from '../../bench/names.ts';
import { noisyQueries } from '../../bench/noise.ts';
import { measureRecall, openRunner, taskOf } from '../../bench/recall.ts';
import { buildSnapshot } from '../../src/engine/index.ts';
import { BLOCK, BLOCK_LENGTH } from '../../src/engine/messages.ts';
import { normalizeQuery } from '../../src/engine/normalizeQuery.ts';
import { RERANKER_VERSIONS } from '../../src/engine/rerankers.ts';
import { COLUMN, ROW_LENGTH } from '../../src/engine/topK.ts';
import { SETTINGS } from './fixtures.ts';

/** Re-rankers of the formula; the other kind has tests of its own. */
const ONES = RERANKER_VERSIONS.filter((version) => version.startsWith('1.'));

const entities = syntheticEntities(1_500);
const snapshot = buildSnapshot(entities);
const queries = noisyQueries(entities, 120);

/** The truth of re-ranker 2 takes longer. */
const some = queries.slice(0, 60);

const weights = { name: 0.4, phonetic: 0.15, dob: 0.2, nationality: 0.1, alias: 0.15 };

describe('retrieval holds every entity over the threshold', () => {
  test.for([
    ['default settings', {}],
    ['zero', { missingAttributes: 'zero' }],
    ['primary names', { phoneticNames: 'primary' }],
    [
      'name alone',
      {
        weights: {
          ...weights,
          name: 0.96,
          phonetic: 0.01,
          dob: 0.01,
          nationality: 0.01,
          alias: 0.01,
        },
      },
    ],
    ['dates above all', { weights: { ...weights, name: 0.2, dob: 0.4 } }],
    ['a threshold of 0.6', { directScoreMin: 0.6 }],
    ['ten candidates', { topN: 10 }],
    ['nothing shown under 0.5, as screenings ask', { answerScoreMin: 0.5 }],
    ['matches alone, as batches ask', { answerScoreMin: 0.6, directScoreMin: 0.6 }],
    ['the three best matches alone', { answerScoreMin: 0.5, directScoreMin: 0.5, topN: 3 }],
    ['three candidates and unequal boosts', { topN: 3, boosts: { ...SETTINGS.boosts, SAN: 0.5 } }],
  ] as const)('%s', ([, change]) => {
    for (const version of ONES) expectAll({ ...SETTINGS, ...change, version });
  });

  function expectAll(settings: typeof SETTINGS): void {
    const { wanted, found } = measureRecall({ snapshot, queries, settings });
    if (settings.missingAttributes === 'rescale') expect(wanted).toBeGreaterThan(40);
    expect(found, settings.version).toBe(wanted);
  }
});

describe('queries with transliterations', () => {
  // Spellings that share some letters with the name, and one that shares few.
  const spelt = queries.slice(0, 40).map(({ raw, ...query }) => ({
    ...query,
    raw: {
      ...raw,
      transliterations: [
        raw.name.replaceAll('a', 'e'),
        raw.name.split(' ').toReversed().join(' '),
        `${raw.name.slice(1)} x`,
        'olga petrova',
      ],
    },
  }));

  test.for([
    ['default settings', {}],
    ['zero', { missingAttributes: 'zero', directScoreMin: 0.4 }],
    ['alias above all', { weights: { ...weights, name: 0.15, alias: 0.4 }, directScoreMin: 0.6 }],
    ['matches alone', { answerScoreMin: 0.6, directScoreMin: 0.6 }],
  ] as const)('%s', ([, change]) => {
    for (const version of ONES) {
      const settings = { ...SETTINGS, ...change, version };
      const { wanted, found } = measureRecall({ snapshot, queries: spelt, settings });
      expect(wanted).toBeGreaterThan(15);
      expect(found, version).toBe(wanted);
    }
  });
});

describe('re-ranker 2', () => {
  test.for([
    ['the best 50', {}],
    ['as screenings ask', { answerScoreMin: 0.5 }],
    ['matches alone, as batches ask', { answerScoreMin: 0.6, directScoreMin: 0.6 }],
    ['few candidates and unequal boosts', { topN: 3, boosts: { ...SETTINGS.boosts, SAN: 0.5 } }],
  ] as const)('holds every entity over the threshold: %s', ([, change]) => {
    const settings = { ...SETTINGS, ...change, version: '2.0.0' };
    const { wanted, found } = measureRecall({ snapshot, queries: some, settings });
    expect(wanted).toBeGreaterThan(40);
    expect(found).toBe(wanted);
  });
});

describe('an answer of few candidates', () => {
  test.for([
    ['with others to fill it up', {}],
    ['of matches alone', { answerScoreMin: 0.6 }],
  ] as const)(
    'is truncated exactly when the exhaustive one leaves a match out: %s',
    ([, change]) => {
      const settings = { ...SETTINGS, directScoreMin: 0.6, topN: 2, ...change };
      const runner = openRunner(snapshot);
      const block = new Float64Array(BLOCK_LENGTH);
      const outcomes = { truncated: 0, whole: 0 };
      for (const { raw } of queries) {
        const task = taskOf(normalizeQuery(raw), settings);
        runner.run(task, block, { exhaustive: true });
        const rows = [0, 1].map((rank) => BLOCK.rows + rank * ROW_LENGTH);
        const isFull = rows.every((at) => (block[at + COLUMN.directScore] ?? 0) >= 0.6);
        if ((block[BLOCK.count] ?? 0) < 2 || !isFull) continue;
        const expected = block.slice();
        runner.run(task, block);
        expect(block).toEqual(expected);
        outcomes[expected[BLOCK.truncated] === 1 ? 'truncated' : 'whole'] += 1;
      }
      expect(outcomes.truncated).toBeGreaterThan(5);
      expect(outcomes.whole).toBeGreaterThan(5);
    },
  );
});
