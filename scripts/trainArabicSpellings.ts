/**
 * Makes config/tables/arabicSpellings.json: how each Arabic letter is written in Latin letters, by
 * its neighbours, learnt from pairs of names. Run by hand when the data changes
 * (`node scripts/trainArabicSpellings.ts <folder of the data>`); a new table is a new re-ranker
 * version, since scores follow from it. `--held-out` leaves a tenth of the names out and prints how
 * many of them are spelt as people do.
 * The learning is that of letterTrainer.ts.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { spellArabic } from '../src/engine/arabicSpelling.ts';
import { foldName } from '../src/engine/foldName.ts';
import { isHeldOut, type Pair, type Plan, trainedRows } from './letterTrainer.ts';

const OUT = new URL('../config/tables/arabicSpellings.json', import.meta.url);
const PLAN: Plan = {
  alignedMin: -4.5,
  chunkMax: 4,
  chunksMax: 7,
  seenMin: [0, 8, 12, 20, 40],
  shareMin: 0.02,
};

function folded(name: string): string {
  return foldName(name).native.replaceAll(' ', '');
}

function toPair(arabic: string, latin: string, count: number): Pair[] {
  const pair = { letters: [...folded(arabic)], latin: folded(latin.replaceAll("'", '')) };
  const isWord = /^[a-z]+$/.test(pair.latin) && /^[\u0621-\u064a]{2,}$/.test(pair.letters.join(''));
  if (!isWord || pair.latin.length > pair.letters.length * PLAN.chunkMax) return [];
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

function report(rows: Record<string, string>, pairs: readonly Pair[]): void {
  let first = 0;
  let among = 0;
  for (const { latin, letters } of pairs) {
    const found = spellArabic(letters.join(''), 5, rows);
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
  report(
    trainedRows(
      pairs.filter(({ latin }) => !isHeldOut(latin, 1)),
      PLAN,
    ),
    pairs.filter(({ latin }) => isHeldOut(latin, 1)).slice(0, 3_000),
  );
} else {
  const rows = trainedRows(pairs, PLAN);
  const head = {
    comment: 'Context: length|letter|next|last Latin letters written|previous; chunks with costs.',
    source: 'Wikidata labels, by steveash/NETransliteration-COLING2018; google/transliteration',
    license: 'CC0-1.0; Apache-2.0',
  };
  writeFileSync(OUT, `${JSON.stringify({ ...head, rows })}\n`);
  process.stdout.write(`${Object.keys(rows).length} contexts\n`);
}
