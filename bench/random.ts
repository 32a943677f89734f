/** Seeded randomness of benches and tests: the same seed gives the same data on every host. */

/** Numbers of 0..1. */
export type Random = () => number;

/** Mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A seed of its own for item `index`, so that items can be made one by one and in any order. */
export function seedOf(seed: number, index: number): number {
  let mixed = Math.imul(index ^ (index >>> 16), 0x21f0aaad) ^ Math.imul(seed + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return mixed ^ (mixed >>> 15);
}

export function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('pick: expected at least one value');
  return value;
}

/** Rank in 0..ranks-1 by Zipf and Mandelbrot: p(r) falls as 1 / (r + flatness). */
export function zipfRank(random: Random, ranks: number, flatness: number): number {
  return Math.floor(flatness * ((1 + ranks / flatness) ** random() - 1));
}
