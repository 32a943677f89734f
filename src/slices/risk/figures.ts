/** Figures of a comparison of two policies, from what a tally has counted. */
import { UNIT } from './limits.ts';
import { OUTCOMES } from './outcomes.ts';
import type { RiskTally } from './tally.ts';
import { LEVELS, type Level } from './words.ts';

const SIDE = LEVELS.length;
/** Added to every count where some cell is empty: no logarithm of nothing. */
const EMPTY_CELL = 0.5;
/** Cases below which a segment is not shown: it would tell of single clients. */
const SEGMENT_CASES_MIN = 10;
/** PSI: below the first it is stable, above the second it has changed. */
const PSI_WATCH = 0.1;
const PSI_CHANGED = 0.25;

/** Movement from one level to another. */
export interface Movement {
  readonly from: Level;
  readonly to: Level;
  readonly count: number;
  readonly share: number;
  /** Ids of evaluations. */
  readonly examples: readonly string[];
}

/** What a report says in numbers. */
export interface RiskFigures {
  readonly agreement: number;
  readonly upgrades: number;
  readonly downgrades: number;
  /** Null where it is not defined: all cases in one cell. */
  readonly kappa: number | null;
  readonly quadratic_kappa: number | null;
  readonly high_share_before: number;
  readonly high_share_after: number;
  /** Mean of new scores minus that of old ones, in points. */
  readonly mean_shift: number;
  readonly psi_levels: number;
  readonly psi_bands: number;
  readonly psi_verdict: 'stable' | 'watch' | 'changed';
}

/** Sums of rows and columns of a 4 × 4 matrix. */
export function marginsOf(confusion: readonly number[]) {
  const rows = LEVELS.map((_, row) => sum(confusion.slice(row * SIDE, (row + 1) * SIDE)));
  const columns = LEVELS.map((_, column) =>
    sum(confusion.filter((_cell, at) => at % SIDE === column)),
  );
  return { columns, rows };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** All figures; shares of no case are 0. */
export function figuresOf(tally: RiskTally): RiskFigures {
  const { bandsNew, bandsOld, cases, confusion } = tally;
  const { columns, rows } = marginsOf(confusion);
  const of = (cells: (row: number, column: number) => boolean): number =>
    sum(confusion.filter((_, at) => cells(Math.floor(at / SIDE), at % SIDE)));
  const share = (part: number): number => (cases === 0 ? 0 : part / cases);
  const psiLevels = psi(rows, columns);
  const high = LEVELS.indexOf('HIGH');
  return {
    agreement: share(of((row, column) => row === column)),
    downgrades: of((row, column) => column < row),
    high_share_after: share(sum(columns.slice(high))),
    high_share_before: share(sum(rows.slice(high))),
    kappa: kappaOf(confusion, (row, column) => (row === column ? 0 : 1)),
    mean_shift: share((tally.scoreNew - tally.scoreOld) / UNIT),
    psi_bands: psi(bandsOld, bandsNew),
    psi_levels: psiLevels,
    psi_verdict: psiLevels > PSI_CHANGED ? 'changed' : psiLevels < PSI_WATCH ? 'stable' : 'watch',
    quadratic_kappa: kappaOf(confusion, (row, column) => (row - column) ** 2),
    upgrades: of((row, column) => column > row),
  };
}

/** Cohen's κ with weights of disagreement; null where chance alone would agree everywhere. */
export function kappaOf(
  confusion: readonly number[],
  weight: (row: number, column: number) => number,
): number | null {
  const { columns, rows } = marginsOf(confusion);
  const total = sum(rows);
  let observed = 0;
  let expected = 0;
  for (const [at, cell] of confusion.entries()) {
    const [row, column] = [Math.floor(at / SIDE), at % SIDE];
    const disagreement = weight(row, column);
    observed += disagreement * cell;
    expected += (disagreement * (rows[row] ?? 0) * (columns[column] ?? 0)) / total;
  }
  return total === 0 || expected === 0 ? null : 1 - observed / expected;
}

/** Population stability index of two distributions over the same cells. */
export function psi(before: readonly number[], after: readonly number[]): number {
  const isEmpty = [...before, ...after].some((one) => one === 0);
  const cells = (counts: readonly number[]): number[] => {
    // A cell that is empty on both sides says nothing.
    const used = counts.filter((_, at) => (before[at] ?? 0) + (after[at] ?? 0) > 0);
    const smooth = isEmpty ? used.map((one) => one + EMPTY_CELL) : used;
    const total = sum(smooth);
    return smooth.map((one) => one / total);
  };
  const [old, now] = [cells(before), cells(after)];
  return sum(now.map((one, at) => (one - (old[at] ?? one)) * Math.log(one / (old[at] ?? one))));
}

/** Where cases moved, the most first. */
export function movementOf({ cases, confusion, examples }: RiskTally): readonly Movement[] {
  return confusion
    .map((count, at) => {
      const [from, to] = [levelAt(Math.floor(at / SIDE)), levelAt(at % SIDE)];
      return { count, examples: examples[`${from}>${to}`] ?? [], from, share: count / cases, to };
    })
    .filter(({ count, from, to }) => count > 0 && from !== to)
    .sort((one, other) => other.count - one.count);
}

const levelAt = (at: number): Level => LEVELS[at] ?? 'LOW';

/** A share with the bounds that hold it in 19 of 20 samples. */
export interface Share {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** Standard normal quantile of 97.5 %. */
const Z = 1.959963984540054;

/** Wilson's score interval of 95 %; null of no case. */
export function wilson(hits: number, cases: number): Share | null {
  if (cases === 0) return null;
  const share = hits / cases;
  const square = Z * Z;
  const middle = share + square / (2 * cases);
  const spread = Z * Math.sqrt((share * (1 - share)) / cases + square / (4 * cases * cases));
  const scale = 1 + square / cases;
  return {
    high: Math.min(1, (middle + spread) / scale),
    low: Math.max(0, (middle - spread) / scale),
    share,
  };
}

/** How many of those to whom it happened later each policy has at HIGH or above. */
export const outcomesOf = ({ outcomes }: Pick<RiskTally, 'outcomes'>) =>
  OUTCOMES.map((outcome) => {
    const { cases, highAfter, highBefore } = outcomes[outcome] ?? NONE;
    return {
      cases,
      high_after: highAfter,
      high_before: highBefore,
      outcome,
      recall_after: wilson(highAfter, cases),
      recall_before: wilson(highBefore, cases),
    };
  });

const NONE = { cases: 0, highAfter: 0, highBefore: 0 };

/** Segments with enough cases, by name; how many are hidden. */
export function segmentsOfTally({ segments }: RiskTally) {
  const all = Object.entries(segments).sort(([one], [other]) => (one < other ? -1 : 1));
  const shown = all.filter(([, confusion]) => sum(confusion) >= SEGMENT_CASES_MIN);
  return {
    hidden: all.length - shown.length,
    shown: shown.map(([segment, confusion]) => ({ confusion: matrixOf(confusion), segment })),
  };
}

/** Row by row, with sums at the end of each and below all. */
export const matrixOf = (confusion: readonly number[]) => {
  const { columns, rows } = marginsOf(confusion);
  const cells = LEVELS.map((_, row) => confusion.slice(row * SIDE, (row + 1) * SIDE));
  return { cells, columns, levels: LEVELS, rows, total: sum(rows) };
};
