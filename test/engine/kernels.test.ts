/**
 * Kernels against published vectors and, digit for digit, against the npm packages that are their
 * oracles.
 */
import fc from 'fast-check';
import levenshtein from 'fast-levenshtein';
import jaroWinklerNpm from 'jaro-winkler';
import { describe, expect, test } from 'vitest';
import {
  jaroRequired,
  matchesRequired,
  popcount,
  signatureOnce,
  signatureTwice,
} from '../../src/engine/signature.ts';
import { pairKernels } from './pairKernels.ts';
import { hasTestData, readCsv } from './testData.ts';

const units = (text: string) => Uint16Array.from(text.split(''), (char) => char.charCodeAt(0));
const wasm = pairKernels('wasm');
const twin = pairKernels('twin');

/** Both kernels, which must agree to the last bit. */
function both(of: (kernels: typeof wasm) => number): number {
  const answer = of(wasm);
  expect(of(twin)).toBe(answer);
  return answer;
}

const jaroWinkler = (a: string, b: string) => both((kernels) => kernels.jaroWinkler(a, b));
const levenshteinDistance = (a: string, b: string) => both((kernels) => kernels.levenshtein(a, b));
const levenshteinRatio = (a: string, b: string) => both((kernels) => kernels.ratio(a, b));

const letters = (max: number) =>
  fc.string({ unit: fc.constantFrom(...'aabcde éاж\ud83d'), maxLength: max });
const names = fc.oneof(letters(12), letters(40), letters(80), letters(200));
const near = fc
  .tuple(names, fc.nat(30), fc.string({ maxLength: 3 }))
  .map(([text, at, change]) => [text, text.slice(0, at) + change + text.slice(at + 1)] as const);
const pairs = fc.oneof(near, fc.tuple(names, names));
const RUNS = Number(process.env.FUZZ_RUNS ?? 2_000);

describe('jaroWinkler', () => {
  test.for([
    ['dixon', 'dicksonx', 0.813],
    ['martha', 'marhta', 0.961],
    ['dwayne', 'duane', 0.84],
    ['', 'foo', 0],
    ['a', 'a', 1],
    ['a', 'b', 0],
    ['ab', 'ba', 0],
  ] as const)('%s / %s scores %d', ([a, b, score]) => {
    expect(jaroWinkler(a, b)).toBeCloseTo(score, 3);
  });

  test('answers what npm jaro-winkler answers, to the last bit, in either order', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const expected = jaroWinklerNpm(a, b);
        expect(jaroWinkler(a, b)).toBe(expected);
        expect(jaroWinkler(b, a)).toBe(expected);
      }),
      { numRuns: RUNS, seed: 1 },
    );
  });

  test('names of 512 units compare as short ones do', () => {
    const long = 'muhammad ali hussein '.repeat(25).slice(0, 512);
    const other = `${long.slice(0, 200)}x${long.slice(202)}`;
    expect(jaroWinkler(long, other)).toBe(jaroWinklerNpm(long, other));
  });

  test.skipIf(!hasTestData('matching/jaro_winkler_classic_table.csv'))(
    'agrees with the published table to three decimals',
    () => {
      const rows = readCsv('matching/jaro_winkler_classic_table.csv').slice(1);
      expect(rows.length).toBeGreaterThan(10);
      for (const [a = '', b = '', , , , score] of rows) {
        // The table boosts at any Jaro; we only above 0.7, as the oracle does.
        if (Number(score) < 0.7) continue;
        expect(jaroWinkler(a, b), `${a} / ${b}`).toBeCloseTo(Number(score), 3);
      }
    },
  );

  test.skipIf(!hasTestData('matching/jaro_winkler.csv'))(
    'agrees with the oracle on the published pairs',
    () => {
      for (const [a = '', b = ''] of readCsv('matching/jaro_winkler.csv')) {
        expect(jaroWinkler(a, b), `${a} / ${b}`).toBe(jaroWinklerNpm(a, b));
      }
    },
  );
});

describe('levenshtein', () => {
  test('answers what fast-levenshtein answers', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        expect(levenshteinDistance(a, b)).toBe(levenshtein.get(a, b));
      }),
      { numRuns: RUNS, seed: 2 },
    );
  });

  test('the ratio is 1 for equal names, empty ones too, and 0 where nothing is shared', () => {
    expect(levenshteinRatio('', '')).toBe(1);
    expect(levenshteinRatio('ali', 'ali')).toBe(1);
    expect(levenshteinRatio('abc', 'xyz')).toBe(0);
    expect(levenshteinRatio('kitten', 'sitting')).toBeCloseTo(4 / 7, 12);
  });

  test.skipIf(!hasTestData('matching/levenshtein.csv'))('agrees with the published pairs', () => {
    for (const [a = '', b = '', distance] of readCsv('matching/levenshtein.csv')) {
      expect(levenshteinDistance(a, b), `${a} / ${b}`).toBe(Number(distance));
    }
  });
});

describe('letter signatures', () => {
  test('never promise less than the kernel finds', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        if (a === '' || b === '') return;
        const score = jaroWinkler(a, b);
        const [ua, ub] = [units(a), units(b)];
        const missed = (x: Uint16Array, y: Uint16Array) =>
          popcount(signatureOnce(x, 0, x.length) & ~signatureOnce(y, 0, y.length)) +
          popcount(signatureTwice(x, 0, x.length) & ~signatureTwice(y, 0, y.length));
        const matches = matchesRequired(jaroRequired(score), a.length, b.length);
        expect(matches).toBeLessThanOrEqual(
          Math.min(a.length - missed(ua, ub), b.length - missed(ub, ua)),
        );
      }),
      { numRuns: RUNS, seed: 3 },
    );
  });
});
