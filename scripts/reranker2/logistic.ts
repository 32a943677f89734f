/**
 * Logistic regression with L2 by Newton's method, under signs: a weight that lands on the wrong
 * side of 0 is dropped and the rest fitted again. Seeded by nothing: the same rows give the same
 * weights.
 */

/** Rows of terms with their labels and what each counts. */
export interface Sample {
  readonly rows: readonly Float64Array[];
  readonly labels: readonly boolean[];
  readonly counts: readonly number[];
}

/** Weights by place, and what they start from. */
export interface Fit {
  readonly bias: number;
  readonly weights: Float64Array;
}

const NEWTON_STEPS = 14;
const SIGN_ROUNDS = 8;
const SETTLED = 1e-6;

/** Solves a symmetric positive system in place by Cholesky's decomposition. */
function solve(matrix: Float64Array[], right: Float64Array): Float64Array {
  const size = right.length;
  for (let i = 0; i < size; i++) {
    const row = matrix[i] as Float64Array;
    for (let j = 0; j <= i; j++) {
      const other = matrix[j] as Float64Array;
      let sum = row[j] as number;
      for (let k = 0; k < j; k++) sum -= (row[k] as number) * (other[k] as number);
      row[j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / (other[j] as number);
    }
  }
  const out = Float64Array.from(right);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++)
      out[i] = (out[i] as number) - (matrix[i]?.[k] ?? 0) * (out[k] as number);
    out[i] = (out[i] as number) / (matrix[i]?.[i] ?? 1);
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++)
      out[i] = (out[i] as number) - (matrix[k]?.[i] ?? 0) * (out[k] as number);
    out[i] = (out[i] as number) / (matrix[i]?.[i] ?? 1);
  }
  return out;
}

function scales({ rows }: Sample, size: number) {
  const mean = new Float64Array(size);
  const spread = new Float64Array(size);
  for (const row of rows)
    for (let at = 0; at < size; at++)
      mean[at] = (mean[at] as number) + (row[at] as number) / rows.length;
  for (const row of rows) {
    for (let at = 0; at < size; at++)
      spread[at] =
        (spread[at] as number) + ((row[at] as number) - (mean[at] as number)) ** 2 / rows.length;
  }
  return { mean, spread: spread.map((value) => Math.sqrt(value) + 1e-6) };
}

/** One fit over the terms that are not dropped. */
function fitOnce(sample: Sample, dropped: readonly boolean[], strength: number): Fit {
  const size = dropped.length;
  const { mean, spread } = scales(sample, size);
  const kept = dropped.flatMap((isGone, at) => (isGone ? [] : [at]));
  const width = kept.length + 1;
  const rows = sample.rows.map((row) => {
    const out = new Float64Array(width);
    kept.forEach((at, place) => {
      out[place] = ((row[at] as number) - (mean[at] as number)) / (spread[at] as number);
    });
    out[width - 1] = 1;
    return out;
  });
  let beta = new Float64Array(width);
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const { gradient, hessian } = derivatives(rows, sample, beta, strength);
    const change = solve(hessian, gradient);
    beta = beta.map((value, at) => value - (change[at] as number));
    if (change.every((value) => Math.abs(value) < SETTLED)) break;
  }
  const weights = new Float64Array(size);
  let bias = beta[width - 1] as number;
  kept.forEach((at, place) => {
    weights[at] = (beta[place] as number) / (spread[at] as number);
    bias -= (weights[at] as number) * (mean[at] as number);
  });
  return { bias, weights };
}

function derivatives(
  rows: readonly Float64Array[],
  { counts, labels }: Sample,
  beta: Float64Array,
  strength: number,
) {
  const width = beta.length;
  const gradient = new Float64Array(width);
  const hessian = Array.from({ length: width }, () => new Float64Array(width));
  rows.forEach((row, index) => {
    let z = 0;
    for (let at = 0; at < width; at++) z += (row[at] as number) * (beta[at] as number);
    const p = 1 / (1 + Math.exp(-Math.max(-30, Math.min(30, z))));
    const count = counts[index] ?? 1;
    const slope = count * (p - (labels[index] === true ? 1 : 0));
    const bend = count * p * (1 - p) + 1e-9;
    for (let i = 0; i < width; i++) {
      gradient[i] = (gradient[i] as number) + slope * (row[i] as number);
      const line = hessian[i] as Float64Array;
      const by = bend * (row[i] as number);
      for (let j = 0; j <= i; j++) line[j] = (line[j] as number) + by * (row[j] as number);
    }
  });
  for (let at = 0; at < width - 1; at++) {
    gradient[at] = (gradient[at] as number) + strength * (beta[at] as number);
    const line = hessian[at] as Float64Array;
    line[at] = (line[at] as number) + strength;
  }
  return { gradient, hessian };
}

/** The weights of a sample; `signs` has 1, -1 or 0 (either) for each term. */
export function fitSigned(sample: Sample, signs: readonly number[], strength = 3.3): Fit {
  const dropped = signs.map(() => false);
  for (let round = 0; ; round++) {
    const found = fitOnce(sample, dropped, strength);
    const wrong = signs.map((sign, at) => sign * (found.weights[at] as number) < -1e-9);
    if (!wrong.includes(true) || round >= SIGN_ROUNDS) {
      return {
        bias: found.bias,
        weights: found.weights.map((weight, at) => (wrong[at] === true ? 0 : weight)),
      };
    }
    wrong.forEach((isWrong, at) => {
      if (isWrong) dropped[at] = true;
    });
  }
}
