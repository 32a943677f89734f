/** The verdict table of decisions 2.6 to 2.8, line by line. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, rcaHitsOf, typologyOf } from '#slices/screening';
import { RERANKERS } from '../../../src/slices/screening/rerankers.ts';

const THRESHOLDS = { adverse_media: 0.75, direct: 0.92, pep: 0.85, rca_1: 0.8, rca_2: 0.7 };
const path = (depth: 1 | 2, target = 'x-1', decay = 0.6) => ({
  depth,
  path_decay: decay,
  path_types: ['FAMILY' as const],
  target_ftm_id: target,
});

describe('typologyOf', () => {
  const table: [string, string[], ReturnType<typeof path>[], number, string | undefined][] = [
    ['a sanction at its threshold', ['SAN'], [], 0.92, 'MATCH_DIRECT_SANCTIONS'],
    ['a sanction just below it', ['SAN'], [], 0.919999999, undefined],
    ['a record without categories counts as a sanction', [], [], 0.92, 'MATCH_DIRECT_SANCTIONS'],
    ['a PEP at 0.85', ['PEP'], [], 0.85, 'MATCH_PEP'],
    ['a sanctioned PEP below direct', ['SAN', 'PEP'], [], 0.9, 'MATCH_PEP'],
    ['a sanctioned PEP over direct', ['SAN', 'PEP'], [], 0.93, 'MATCH_DIRECT_SANCTIONS'],
    ['a one-hop relative', ['RCA'], [path(1)], 0.8, 'MATCH_RCA_DIRECT'],
    ['a one-hop relative below 0.80', ['RCA'], [path(1)], 0.79, undefined],
    ['a two-hop relative', ['RCA'], [path(2)], 0.7, 'MATCH_RCA_INDIRECT'],
    [
      'both depths below the first threshold',
      ['RCA'],
      [path(1), path(2)],
      0.75,
      'MATCH_RCA_INDIRECT',
    ],
    ['a relative without any path', ['RCA'], [], 0.8, 'MATCH_RCA_DIRECT'],
    ['special interest', ['SI'], [], 0.75, 'POTENTIAL_ADVERSE_MEDIA'],
    ['disqualified', ['DI'], [], 0.75, 'POTENTIAL_ADVERSE_MEDIA'],
    ['special interest below 0.75', ['SI'], [], 0.7499, undefined],
  ];
  test.each(table)('%s, by every re-ranker', (_, categories, paths, directScore, expected) => {
    for (const reranker of RERANKERS) {
      expect(typologyOf({ categories, directScore, paths, reranker }, THRESHOLDS)).toBe(expected);
    }
  });

  test.each([
    ['a sanctioned relative', ['SAN', 'RCA'], [path(1)], 0.9, 'MATCH_RCA_DIRECT', undefined],
    ['a sanctioned party with paths', ['SAN'], [path(2)], 0.7, 'MATCH_RCA_INDIRECT', undefined],
    ['an exposed one', ['PEP'], [path(1)], 0.84, 'MATCH_RCA_DIRECT', undefined],
    ['one that is of interest, too', ['RCA', 'SI'], [path(1)], 0.8, 'MATCH_RCA_DIRECT', 'same'],
    ['a sanctioned one over direct', ['SAN'], [path(1)], 0.92, 'MATCH_DIRECT_SANCTIONS', 'same'],
  ])('%s: related parties by 1.0 and from 1.1 on', (_, categories, paths, directScore, ...by) => {
    const [former, later] = by;
    const judged = (reranker: string) =>
      typologyOf({ categories, directScore, paths, reranker }, THRESHOLDS);
    expect(judged('1.0.0')).toBe(former);
    expect(judged('1.1.0')).toBe(later === 'same' ? former : later);
    expect(rcaHitsOf({ categories, directScore, paths })).toHaveLength(paths.length);
  });

  test('a higher score never weakens the typology', () => {
    const order = ['MATCH_DIRECT_SANCTIONS', 'MATCH_PEP', 'MATCH_RCA_DIRECT', 'MATCH_RCA_INDIRECT'];
    const severity = (typology: string | undefined) =>
      typology === undefined ? 9 : order.indexOf(typology) === -1 ? 4 : order.indexOf(typology);
    fc.assert(
      fc.property(
        fc.subarray(['SAN', 'PEP', 'RCA', 'SI', 'DI']),
        fc.subarray([path(1), path(2)]),
        fc.double({ max: 1, min: 0, noNaN: true }),
        fc.double({ max: 1, min: 0, noNaN: true }),
        fc.constantFrom(...RERANKERS),
        (categories, paths, a, b, reranker) => {
          const at = (directScore: number) =>
            severity(typologyOf({ categories, directScore, paths, reranker }, THRESHOLDS));
          expect(at(Math.max(a, b))).toBeLessThanOrEqual(at(Math.min(a, b)));
        },
      ),
    );
  });
});

describe('decide', () => {
  test('the most severe typology is the verdict', () => {
    expect(decide(['POTENTIAL_ADVERSE_MEDIA', 'MATCH_RCA_INDIRECT', 'MATCH_PEP'])).toBe(
      'MATCH_PEP',
    );
  });
  test('nothing at its threshold is CLEAR', () => {
    expect(decide([])).toBe('CLEAR');
  });
});

describe('rcaHitsOf', () => {
  test('below a direct score of 0.70 no related party is shown', () => {
    expect(rcaHitsOf({ categories: ['RCA'], directScore: 0.6999, paths: [path(1)] })).toEqual([]);
  });
  test('rcaScore is directScore times decay, rounded to nine decimals, best first', () => {
    const paths = [path(2, 'b', 0.3), path(1, 'c', 0.5), path(1, 'a', 0.5)];
    const hits = rcaHitsOf({ categories: ['RCA'], directScore: 0.9, paths });
    expect(hits.map((hit) => [hit.sanctionedTargetFtmId, hit.rcaScore])).toEqual([
      ['a', 0.45],
      ['c', 0.45],
      ['b', 0.27],
    ]);
  });
  test('a policy has decays of its own, in place of those that lists are read with', () => {
    const paths = [path(2, 'b', 0.3), path(1, 'a', 0.5)];
    const subject = { categories: ['RCA'], directScore: 0.9, paths };
    const scores = (depth_1: number, depth_2: number) =>
      rcaHitsOf(subject, { depth_1, depth_2 }).map((hit) => [
        hit.sanctionedTargetFtmId,
        hit.rcaScore,
      ]);
    expect(scores(1, 0.6)).toEqual([
      ['a', 0.45],
      ['b', 0.27],
    ]);
    // Farther relations first: the order follows.
    expect(scores(0.5, 1)).toEqual([
      ['b', 0.45],
      ['a', 0.225],
    ]);
    expect(scores(0, 0).map(([, score]) => score)).toEqual([0, 0]);
  });
});
