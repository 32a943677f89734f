/**
 * Learns how each letter of a script is written in Latin letters, by its neighbours, from pairs of
 * names. Every letter yields 0..chunkMax Latin ones. Expectation maximisation (forward-backward,
 * eight rounds) finds which; the best alignments are then counted in ever longer contexts, and each
 * context's shares are interpolated with the shorter one's (Witten-Bell). Contexts that were seen
 * too rarely are left out, so the decoder falls back to a shorter one.
 */
import assert from 'node:assert/strict';
import { contextsOf } from '../src/engine/letterSpelling.ts';

const ROUNDS = 8;
const INTERPOLATION = 3;
/** Costs are -log2 of the share, in sixteenths of a bit. */
const COST_UNIT = 16;

/** One name in both scripts. */
export interface Pair {
  readonly letters: readonly string[];
  readonly latin: string;
  readonly weight: number;
}

/** How much is kept. */
export interface Plan {
  /** Latin letters that one letter may yield. */
  readonly chunkMax: number;
  /** Mean natural logarithm a letter: below it a pair is no transliteration (a typo, say). */
  readonly alignedMin: number;
  /** Sightings of a context that is kept, by its length. */
  readonly seenMin: readonly number[];
  readonly shareMin: number;
  readonly chunksMax: number;
}

type Shares = Map<string, Map<string, number>>;

function bump(table: Shares, key: string, chunk: string, by: number): void {
  const row = table.get(key);
  if (row === undefined) table.set(key, new Map([[chunk, by]]));
  else row.set(chunk, (row.get(chunk) ?? 0) + by);
}

/** P(chunk | letter); undefined in the first round, when short chunks are just likelier. */
function shareOf(shares: Shares | undefined, letter: string, chunk: string): number {
  if (shares !== undefined) return shares.get(letter)?.get(chunk) ?? 0;
  return chunk.length === 1 || chunk.length === 2 ? 1 : 0.2;
}

function grid(rows: number, columns: number, fill: number): Float64Array[] {
  return Array.from({ length: rows }, () => new Float64Array(columns).fill(fill));
}

function at(rows: readonly Float64Array[], row: number, column: number): number {
  return rows[row]?.[column] ?? 0;
}

/** Calls back for every letter and every chunk that it may have. */
function eachChunk(
  pair: Pair,
  most: number,
  visit: (letter: number, from: number, to: number) => void,
): void {
  for (let letter = 0; letter < pair.letters.length; letter++) {
    for (let from = 0; from <= pair.latin.length; from++) {
      const last = Math.min(pair.latin.length, from + most);
      for (let to = from; to <= last; to++) visit(letter, from, to);
    }
  }
}

function countRound(pairs: readonly Pair[], shares: Shares | undefined, most: number): Shares {
  const counts: Shares = new Map();
  for (const pair of pairs) countPair(pair, shares, { counts, most });
  return new Map([...counts].map(([letter, row]) => [letter, normalised(row)]));
}

function countPair(
  pair: Pair,
  shares: Shares | undefined,
  { counts, most }: { readonly counts: Shares; readonly most: number },
): void {
  const { letters, latin, weight } = pair;
  const forward = grid(letters.length + 1, latin.length + 1, 0);
  const backward = grid(letters.length + 1, latin.length + 1, 0);
  const share = (letter: number, from: number, to: number): number =>
    shareOf(shares, letters[letter] ?? '', latin.slice(from, to));
  forward[0]?.fill(1, 0, 1);
  backward[letters.length]?.fill(1, latin.length);
  eachChunk(pair, most, (letter, from, to) => {
    const row = forward[letter + 1];
    if (row) row[to] = (row[to] ?? 0) + at(forward, letter, from) * share(letter, from, to);
  });
  for (let letter = letters.length - 1; letter >= 0; letter--) {
    for (let from = 0; from <= latin.length; from++) {
      let sum = 0;
      for (let to = from; to <= Math.min(latin.length, from + most); to++) {
        sum += share(letter, from, to) * at(backward, letter + 1, to);
      }
      const row = backward[letter];
      if (row) row[from] = sum;
    }
  }
  const whole = at(forward, letters.length, latin.length);
  if (!(whole > 0)) return;
  eachChunk(pair, most, (letter, from, to) => {
    const ways = at(forward, letter, from) * share(letter, from, to) * at(backward, letter + 1, to);
    const expected = (ways / whole) * weight;
    if (expected > 1e-6) bump(counts, letters[letter] ?? '', latin.slice(from, to), expected);
  });
}

function normalised(row: ReadonlyMap<string, number>): Map<string, number> {
  const sum = [...row.values()].reduce((total, one) => total + one, 0);
  const shares = [...row].map(([chunk, count]) => [chunk, count / sum] as const);
  return new Map(shares.filter(([, share]) => share > 1e-5));
}

/** The likeliest chunk of every letter; undefined where the pair does not align. */
function align(
  { letters, latin }: Pair,
  shares: Shares,
  { alignedMin, chunkMax }: Plan,
): string[] | undefined {
  const best = grid(letters.length + 1, latin.length + 1, Number.NEGATIVE_INFINITY);
  const lengths = grid(letters.length + 1, latin.length + 1, 0);
  best[0]?.fill(0, 0, 1);
  eachChunk({ letters, latin, weight: 1 }, chunkMax, (letter, from, to) => {
    const share = shareOf(shares, letters[letter] ?? '', latin.slice(from, to));
    const score = at(best, letter, from) + Math.log(share);
    const row = best[letter + 1];
    if (!row || !(score > (row[to] ?? 0))) return;
    row[to] = score;
    lengths[letter + 1]?.fill(to - from, to, to + 1);
  });
  const score = at(best, letters.length, latin.length);
  if (!(score / letters.length > alignedMin)) return undefined;
  const chunks: string[] = [];
  let end = latin.length;
  for (let letter = letters.length; letter > 0; letter--) {
    const start = end - at(lengths, letter, end);
    chunks.unshift(latin.slice(start, end));
    end = start;
  }
  return chunks;
}

/** One table of counts per length of context, shortest first. */
function countContexts(pairs: readonly Pair[], shares: Shares, plan: Plan): Shares[] {
  const counts: Shares[] = plan.seenMin.map(() => new Map());
  for (const pair of pairs) {
    const chunks = align(pair, shares, plan);
    if (chunks === undefined) continue;
    let written = '';
    chunks.forEach((chunk, letter) => {
      contextsOf(pair.letters, letter, written).forEach((context, length) => {
        const table = counts[length];
        if (table) bump(table, context, chunk, pair.weight);
      });
      written += chunk;
    });
  }
  return counts;
}

/** Shares of a context, each mixed with those of the next shorter one that is kept. */
function interpolate(counts: readonly Shares[], { seenMin }: Plan): Shares {
  const kept: Shares = new Map();
  counts.forEach((table, length) => {
    for (const [context, row] of table) {
      const seen = [...row.values()].reduce((sum, one) => sum + one, 0);
      if (seen < (seenMin[length] ?? 0)) continue;
      const shorter = shorterOf(context, length, kept);
      const trust = length === 0 ? 1 : seen / (seen + INTERPOLATION * row.size);
      const mixed = new Map([...shorter].map(([chunk, share]) => [chunk, share * (1 - trust)]));
      for (const [chunk, count] of row) {
        mixed.set(chunk, (mixed.get(chunk) ?? 0) + (trust * count) / seen);
      }
      kept.set(context, mixed);
    }
  });
  return kept;
}

/** Contexts are written `length|parts`, so the shorter one is made of the same parts. */
function shorterOf(context: string, length: number, kept: Shares): ReadonlyMap<string, number> {
  for (let shorter = length - 1; shorter >= 0; shorter--) {
    const found = kept.get(shorten(context, shorter));
    if (found) return found;
  }
  return new Map();
}

function shorten(context: string, length: number): string {
  const [, letter = '', next = '', last = '', previous = ''] = context.split('|');
  return [length, letter, next, last, previous].slice(0, length + 2).join('|');
}

function tableOf(shares: Shares, { chunksMax, shareMin }: Plan): Record<string, string> {
  const rows = [...shares].map(([context, row]): [string, string] => {
    const chunks = [...row]
      .filter(([, share]) => share >= shareMin)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, chunksMax)
      .map(([chunk, share]) => `${chunk}${Math.round(-Math.log2(share) * COST_UNIT)}`);
    return [context, chunks.join(' ')];
  });
  return Object.fromEntries(rows.sort((a, b) => (a[0] < b[0] ? -1 : 1)));
}

/** Rows of a table (letterSpelling.ts) learnt from pairs; the same pairs give the same rows. */
export function trainedRows(pairs: readonly Pair[], plan: Plan): Record<string, string> {
  let shares: Shares | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    shares = countRound(pairs, shares, plan.chunkMax);
  }
  assert(shares !== undefined);
  return tableOf(interpolate(countContexts(pairs, shares, plan), plan), plan);
}

/** Sightings from which a word is in every table: a product must not miss David for a measure. */
const COMMON_SEEN = 10;

/**
 * Whether a word is left out of what is learnt, to measure on: a tenth of those not common.
 * FNV-1a, so that the tenth is the same on every machine.
 */
export function isHeldOut(latin: string, count: number): boolean {
  if (count >= COMMON_SEEN) return false;
  let hash = 0x811c9dc5;
  for (const char of latin) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return hash % 10 === 0;
}
