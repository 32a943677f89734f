/** Figures of two policies: the page's example, and bounds that hold for any matrix. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { figuresOf, matrixOf, movementOf, newTally, psi, segmentsOfTally } from '#slices/risk';

const EXAMPLE = [540, 78, 2, 0, 20, 245, 35, 0, 0, 7, 68, 0, 0, 0, 0, 5];
const tallyOf = (confusion: number[]) => ({
  ...newTally(),
  cases: confusion.reduce((sum, one) => sum + one, 0),
  confusion,
});

describe('figures', () => {
  test('of the worked example', () => {
    const found = figuresOf(tallyOf(EXAMPLE));
    expect(found).toMatchObject({ downgrades: 27, psi_verdict: 'stable', upgrades: 115 });
    expect(found.agreement).toBeCloseTo(0.858, 12);
    expect(found.kappa).toBeCloseTo(0.7399, 4);
    expect(found.quadratic_kappa).toBeCloseTo(0.8398, 4);
    expect(found.psi_levels).toBeCloseTo(0.0191, 4);
    expect(matrixOf(EXAMPLE)).toMatchObject({
      columns: [560, 330, 105, 5],
      rows: [620, 300, 75, 5],
      total: 1_000,
    });
    expect(movementOf(tallyOf(EXAMPLE)).map(({ count, from, to }) => [from, to, count])).toEqual([
      ['LOW', 'STANDARD', 78],
      ['STANDARD', 'HIGH', 35],
      ['STANDARD', 'LOW', 20],
      ['HIGH', 'STANDARD', 7],
      ['LOW', 'HIGH', 2],
    ]);
  });

  test('of no case, and of cases in one cell', () => {
    expect(figuresOf(newTally())).toMatchObject({ agreement: 0, kappa: null, psi_levels: 0 });
    const one = figuresOf(tallyOf([7, ...Array.from({ length: 15 }, () => 0)]));
    expect(one).toMatchObject({ agreement: 1, kappa: null, quadratic_kappa: null });
  });

  test('stay in their bounds, and nothing moved is full agreement', () => {
    const matrix = fc.array(fc.nat(500), { maxLength: 16, minLength: 16 });
    fc.assert(
      fc.property(matrix, (confusion) => {
        const { agreement, kappa, psi_levels, quadratic_kappa } = figuresOf(tallyOf(confusion));
        expect(agreement).toBeGreaterThanOrEqual(0);
        expect(agreement).toBeLessThanOrEqual(1);
        expect(psi_levels).toBeGreaterThanOrEqual(0);
        for (const one of [kappa, quadratic_kappa]) expect(one ?? 0).toBeLessThanOrEqual(1);
        const still = confusion.map((cell, at) => (at % 5 === 0 ? cell + 1 : 0));
        expect(figuresOf(tallyOf(still))).toMatchObject({ agreement: 1, kappa: 1, psi_levels: 0 });
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 200) },
    );
  });

  test('an empty cell is half a case, and small segments are hidden', () => {
    expect(psi([10, 0], [5, 5])).toBeGreaterThan(0);
    expect(Number.isFinite(psi([10, 0], [0, 10]))).toBe(true);
    const few = Array.from({ length: 16 }, (_, at) => (at === 0 ? 9 : 0));
    const enough = few.map((one) => (one === 9 ? 10 : one));
    const segments = { 'country:FR': few, 'country:TN': enough };
    expect(segmentsOfTally({ ...newTally(), segments })).toMatchObject({
      hidden: 1,
      shown: [{ segment: 'country:TN' }],
    });
  });
});
