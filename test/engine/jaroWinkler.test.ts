/** Jaro-Winkler of single pairs: the classic ones, and npm's as the oracle. */
import oracle from 'jaro-winkler';
import { describe, expect, test } from 'vitest';
import { jaroWinkler } from '../../src/engine/jaroWinkler.ts';

describe('jaroWinkler', () => {
  test.each([
    ['martha', 'marhta', 0.961],
    ['dixon', 'dicksonx', 0.813],
    ['dwayne', 'duane', 0.84],
    ['abc', 'xyz', 0],
    ['', 'abc', 0],
    ['', '', 1],
  ])('%s / %s scores %d', (a, b, score) => {
    expect(jaroWinkler(a, b)).toBeCloseTo(score, 3);
  });

  test("is npm's for names", () => {
    const names = [
      'eriksson anna',
      'erikson anna',
      'ben salah mohamed',
      'bensalah mohammed',
      'o',
      'li',
      'lee',
    ];
    for (const a of names) {
      for (const b of names) expect(jaroWinkler(a, b)).toBeCloseTo(oracle(a, b), 9);
    }
  });
});
