/**
 * Retrieval against the truth: every entity that the re-ranker would put at or over the lowest
 * threshold is found, with the same scores to the last digit, whatever the noise and the settings.
 */
import { describe, expect, test } from 'vitest';
import { noisyQueries, syntheticEntities } from '../../bench/names.ts';
import { measureRecall } from '../../bench/recall.ts';
import { buildSnapshot } from '../../src/engine/index.ts';
import { SETTINGS } from './fixtures.ts';

const entities = syntheticEntities(1_500);
const snapshot = buildSnapshot(entities);
const queries = noisyQueries(entities, 120);

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
  ] as const)('%s', ([, change]) => {
    const settings = { ...SETTINGS, ...change };
    const { wanted, found } = measureRecall({ snapshot, queries, settings });
    if (settings.missingAttributes === 'rescale') expect(wanted).toBeGreaterThan(40);
    expect(found).toBe(wanted);
  });
});
