/** Figures of two policies: the page's example, and bounds that hold for any matrix. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  figuresOf,
  matrixOf,
  movementOf,
  newTally,
  psi,
  segmentsOfTally,
  wilson,
} from '#slices/risk';

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

  test('are those of whole numbers, to the twelfth decimal', () => {
    const cell = fc.oneof(fc.nat(5), fc.nat(100_000));
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 16, minLength: 16 }), (confusion) => {
        const found = figuresOf(tallyOf(confusion));
        const second = exactFigures(confusion);
        for (const name of ['kappa', 'quadratic_kappa', 'agreement', 'psi_levels'] as const) {
          const [own, other] = [found[name], second[name]];
          if (other === null) expect(own).toBeNull();
          else expect(Math.abs((own ?? Number.NaN) - other)).toBeLessThanOrEqual(1e-12);
        }
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 1_000) },
    );
  });

  test('are those of scikit-learn and NumPy, of a thousand matrices (figures.py)', () => {
    const rows = readFileSync(new URL('./figures.csv', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    expect(rows).toHaveLength(1_000);
    for (const row of rows) {
      const numbers = row.split(',').map((one) => (one === '' ? null : Number(one)));
      const found = figuresOf(tallyOf(numbers.slice(0, 16) as number[]));
      const told = [found.kappa, found.quadratic_kappa, found.agreement, found.psi_levels];
      for (const [at, own] of told.entries()) {
        const other = numbers[16 + at] ?? null;
        if (own === null || other === null) expect(own, row).toBe(other);
        else expect(Math.abs(own - other), row).toBeLessThanOrEqual(1e-12);
      }
    }
  });

  test('shares have the bounds of Wilson', () => {
    expect(wilson(8, 10)).toMatchObject({
      high: expect.closeTo(0.943_317_848, 8),
      low: expect.closeTo(0.490_162_471, 8),
      share: 0.8,
    });
    expect(wilson(0, 5)).toMatchObject({
      high: expect.closeTo(0.434_482_465, 8),
      low: expect.closeTo(0, 12),
    });
    expect(wilson(0, 0)).toBeNull();
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

/** The textbook's formulas over fractions of big integers; only logarithms are floating. */
function exactFigures(confusion: readonly number[]) {
  const cells = confusion.map(BigInt);
  const at = (row: number, column: number): bigint => cells[row * 4 + column] ?? 0n;
  const sides = [0, 1, 2, 3];
  const sum = (all: readonly bigint[]) => all.reduce((total, one) => total + one, 0n);
  const rows = sides.map((row) => sum(sides.map((column) => at(row, column))));
  const columns = sides.map((column) => sum(sides.map((row) => at(row, column))));
  const total = sum(cells);
  const kappa = (power: number): number | null => {
    let [seen, chance] = [0n, 0n];
    for (const row of sides) {
      for (const column of sides) {
        const apart = BigInt(power === 0 ? Number(row !== column) : (row - column) ** power);
        seen += apart * at(row, column) * total;
        chance += apart * (rows[row] ?? 0n) * (columns[column] ?? 0n);
      }
    }
    return total === 0n || chance === 0n ? null : ratio(chance - seen, chance);
  };
  const [old, now] = [rows, columns].map((counts) => counts.map((one) => one * 2n)) as [
    bigint[],
    bigint[],
  ];
  const hasEmpty = [...old, ...now].includes(0n);
  let psi_levels = 0;
  const used = sides.filter((side) => (old[side] ?? 0n) + (now[side] ?? 0n) > 0n);
  const half = (one: bigint | undefined) => (one ?? 0n) + (hasEmpty ? 1n : 0n);
  const [olds, nows] = [old, now].map((counts) => sum(used.map((side) => half(counts[side]))));
  for (const side of used) {
    const [a, b] = [half(old[side]) * (nows ?? 1n), half(now[side]) * (olds ?? 1n)];
    psi_levels += ratio(b - a, (olds ?? 1n) * (nows ?? 1n)) * Math.log(ratio(b, a));
  }
  return {
    agreement: total === 0n ? 0 : ratio(sum(sides.map((side) => at(side, side))), total),
    kappa: kappa(0),
    psi_levels,
    quadratic_kappa: kappa(2),
  };
}

const SCALE = 10n ** 30n;
const ratio = (one: bigint, other: bigint): number => Number((one * SCALE) / other) / Number(SCALE);
