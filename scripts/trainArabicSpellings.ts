/**
 * Makes config/tables/arabicSpellings.json: how each Arabic letter is written in Latin letters, by
 * its neighbours, learnt from pairs of names. Run by hand when the data changes
 * (`node scripts/trainArabicSpellings.ts <folder of the data>`); a new table is a new re-ranker
 * version, since scores follow from it. `--held-out` leaves a tenth of the names out and prints how
 * many of them are spelt as people do.
 *
 * Every Arabic letter yields 0..4 Latin ones. Expectation maximisation (forward-backward, eight
 * rounds) finds which; the best alignments are then counted in ever longer contexts, and each
 * context's shares are interpolated with the shorter one's (Witten-Bell). Contexts that were seen
 * too rarely are left out, so the decoder falls back to a shorter one.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { contextsOf, spellArabic } from '../src/engine/arabicSpelling.ts';
import { foldName } from '../src/engine/foldName.ts';

const OUT = new URL('../config/tables/arabicSpellings.json', import.meta.url);
const CHUNK_MAX = 4;
const ROUNDS = 8;
/** Mean natural logarithm a letter: below it a pair is no transliteration (a typo, say). */
const ALIGNED_MIN = -4.5;
/** Sightings of a context that is kept, by its length; those of one letter all are. */
const SEEN_MIN = [0, 8, 12, 20, 40];
const INTERPOLATION = 3;
const SHARE_MIN = 0.02;
const CHUNKS_MAX = 7;
/** Costs are -log2 of the share, in sixteenths of a bit. */
const COST_UNIT = 16;

interface Pair {
  readonly arabic: readonly string[];
  readonly latin: string;
  readonly weight: number;
}

function folded(name: string): string {
  return foldName(name).native.replaceAll(' ', '');
}

function toPair(arabic: string, latin: string, count: number): Pair[] {
  const pair = { arabic: [...folded(arabic)], latin: folded(latin.replaceAll("'", '')) };
  const isWord = /^[a-z]+$/.test(pair.latin) && /^[\u0621-\u064a]{2,}$/.test(pair.arabic.join(''));
  if (!isWord || pair.latin.length > pair.arabic.length * CHUNK_MAX) return [];
  return [{ ...pair, weight: Math.min(5, 1 + Math.log2(count)) }];
}

function readPairs(folder: string): Pair[] {
  const file = `${folder}/matching/transliteration/wd_arabic_80.tsv.xz`;
  const text = execFileSync('xz', ['-dc', file], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const wikidata = text.split('\n').flatMap((line) => {
    const [latin = '', arabic = '', count = '1'] = line.split('\t');
    return toPair(arabic.replaceAll(' ', ''), latin, Number(count));
  });
  const google = readFileSync(`${folder}/matching/google_ar2en.txt`, 'utf8');
  const others = google.split('\n').flatMap((line) => {
    const [arabic = '', latin = ''] = line.split('\t');
    return toPair(arabic, latin, 1);
  });
  return [...wikidata, ...others];
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
function eachChunk(pair: Pair, visit: (letter: number, from: number, to: number) => void): void {
  for (let letter = 0; letter < pair.arabic.length; letter++) {
    for (let from = 0; from <= pair.latin.length; from++) {
      const last = Math.min(pair.latin.length, from + CHUNK_MAX);
      for (let to = from; to <= last; to++) visit(letter, from, to);
    }
  }
}

function countRound(pairs: readonly Pair[], shares: Shares | undefined): Shares {
  const counts: Shares = new Map();
  for (const pair of pairs) countPair(pair, shares, counts);
  return new Map([...counts].map(([letter, row]) => [letter, normalised(row)]));
}

function countPair(pair: Pair, shares: Shares | undefined, counts: Shares): void {
  const { arabic, latin, weight } = pair;
  const forward = grid(arabic.length + 1, latin.length + 1, 0);
  const backward = grid(arabic.length + 1, latin.length + 1, 0);
  const share = (letter: number, from: number, to: number): number =>
    shareOf(shares, arabic[letter] ?? '', latin.slice(from, to));
  forward[0]?.fill(1, 0, 1);
  backward[arabic.length]?.fill(1, latin.length);
  eachChunk(pair, (letter, from, to) => {
    const row = forward[letter + 1];
    if (row) row[to] = (row[to] ?? 0) + at(forward, letter, from) * share(letter, from, to);
  });
  for (let letter = arabic.length - 1; letter >= 0; letter--) {
    for (let from = 0; from <= latin.length; from++) {
      let sum = 0;
      for (let to = from; to <= Math.min(latin.length, from + CHUNK_MAX); to++) {
        sum += share(letter, from, to) * at(backward, letter + 1, to);
      }
      const row = backward[letter];
      if (row) row[from] = sum;
    }
  }
  const whole = at(forward, arabic.length, latin.length);
  if (!(whole > 0)) return;
  eachChunk(pair, (letter, from, to) => {
    const ways = at(forward, letter, from) * share(letter, from, to) * at(backward, letter + 1, to);
    const expected = (ways / whole) * weight;
    if (expected > 1e-6) bump(counts, arabic[letter] ?? '', latin.slice(from, to), expected);
  });
}

function normalised(row: ReadonlyMap<string, number>): Map<string, number> {
  const sum = [...row.values()].reduce((total, one) => total + one, 0);
  const shares = [...row].map(([chunk, count]) => [chunk, count / sum] as const);
  return new Map(shares.filter(([, share]) => share > 1e-5));
}

/** The likeliest chunk of every letter; undefined where the pair does not align. */
function align({ arabic, latin }: Pair, shares: Shares): string[] | undefined {
  const best = grid(arabic.length + 1, latin.length + 1, Number.NEGATIVE_INFINITY);
  const lengths = grid(arabic.length + 1, latin.length + 1, 0);
  best[0]?.fill(0, 0, 1);
  eachChunk({ arabic, latin, weight: 1 }, (letter, from, to) => {
    const share = shareOf(shares, arabic[letter] ?? '', latin.slice(from, to));
    const score = at(best, letter, from) + Math.log(share);
    const row = best[letter + 1];
    if (!row || !(score > (row[to] ?? 0))) return;
    row[to] = score;
    lengths[letter + 1]?.fill(to - from, to, to + 1);
  });
  const score = at(best, arabic.length, latin.length);
  if (!(score / arabic.length > ALIGNED_MIN)) return undefined;
  const chunks: string[] = [];
  let end = latin.length;
  for (let letter = arabic.length; letter > 0; letter--) {
    const start = end - at(lengths, letter, end);
    chunks.unshift(latin.slice(start, end));
    end = start;
  }
  return chunks;
}

/** One table of counts per length of context, shortest first. */
function countContexts(pairs: readonly Pair[], shares: Shares): Shares[] {
  const counts: Shares[] = SEEN_MIN.map(() => new Map());
  for (const pair of pairs) {
    const chunks = align(pair, shares);
    if (chunks === undefined) continue;
    let written = '';
    chunks.forEach((chunk, letter) => {
      contextsOf(pair.arabic, letter, written).forEach((context, length) => {
        const table = counts[length];
        if (table) bump(table, context, chunk, pair.weight);
      });
      written += chunk;
    });
  }
  return counts;
}

/** Shares of a context, each mixed with those of the next shorter one that is kept. */
function interpolate(counts: readonly Shares[]): Shares {
  const kept: Shares = new Map();
  counts.forEach((table, length) => {
    for (const [context, row] of table) {
      const seen = [...row.values()].reduce((sum, one) => sum + one, 0);
      if (seen < (SEEN_MIN[length] ?? 0)) continue;
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

function tableOf(shares: Shares): Record<string, string> {
  const rows = [...shares].map(([context, row]): [string, string] => {
    const chunks = [...row]
      .filter(([, share]) => share >= SHARE_MIN)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, CHUNKS_MAX)
      .map(([chunk, share]) => `${chunk}${Math.round(-Math.log2(share) * COST_UNIT)}`);
    return [context, chunks.join(' ')];
  });
  return Object.fromEntries(rows.sort((a, b) => (a[0] < b[0] ? -1 : 1)));
}

function train(pairs: readonly Pair[]): Record<string, string> {
  let shares: Shares | undefined;
  for (let round = 0; round < ROUNDS; round++) shares = countRound(pairs, shares);
  assert(shares !== undefined);
  return tableOf(interpolate(countContexts(pairs, shares)));
}

/** FNV-1a, so that the tenth is the same on every machine. */
function isHeldOut({ latin }: Pair): boolean {
  let hash = 0x811c9dc5;
  for (const char of latin) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return hash % 10 === 0;
}

function report(rows: Record<string, string>, pairs: readonly Pair[]): void {
  let first = 0;
  let among = 0;
  for (const { arabic, latin } of pairs) {
    const found = spellArabic(arabic.join(''), 5, rows);
    if (found[0] === latin) first++;
    if (found.includes(latin)) among++;
  }
  const share = (count: number): string => (count / pairs.length).toFixed(3);
  process.stdout.write(`held out ${pairs.length}: first ${share(first)}, of 5 ${share(among)}\n`);
}

const folder = process.argv[2];
assert(folder !== undefined, 'usage: trainArabicSpellings.ts <folder of the data> [--held-out]');
const pairs = readPairs(folder);
if (process.argv[3] === '--held-out') {
  report(train(pairs.filter((pair) => !isHeldOut(pair))), pairs.filter(isHeldOut).slice(0, 3_000));
} else {
  const rows = train(pairs);
  const head = {
    comment: 'Context: length|letter|next|last Latin letters written|previous; chunks with costs.',
    source: 'Wikidata labels, by steveash/NETransliteration-COLING2018; google/transliteration',
    license: 'CC0-1.0; Apache-2.0',
  };
  writeFileSync(OUT, `${JSON.stringify({ ...head, rows })}\n`);
  process.stdout.write(`${Object.keys(rows).length} contexts\n`);
}
