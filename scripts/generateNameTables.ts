/**
 * Makes config/tables/{romanisation,unicodeClasses,arabicTokens}.json from open data. Run by hand
 * when the data or Unicode changes (`node scripts/generateNameTables.ts <folder of the data>`): the
 * fold reads the tables and nothing of the host's ICU, so that two hosts fold alike. A change of
 * any table is a new re-ranker version, since scores follow from it.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const OUT = new URL('../config/tables/', import.meta.url);
const SPELLINGS_MAX = 5;
const TOKENS_MAX = 4000;

/** Runs of code points; inside a run the values are joined by commas, empty where there is none. */
function romanisation(folder: string): object {
  const file = `${folder}/matching/transliteration/any_latin_ascii.json`;
  const table = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  const entries = Object.entries(table)
    .filter(([, value]) => /^[a-z0-9]+$/.test(value))
    .map(([char, value]) => [char.codePointAt(0) ?? 0, value] as const)
    .sort((a, b) => a[0] - b[0]);
  const runs: [number, string[]][] = [];
  for (const [codePoint, value] of entries) {
    const last = runs.at(-1);
    const gap = last === undefined ? -1 : codePoint - (last[0] + last[1].length);
    if (last === undefined || gap > 4) runs.push([codePoint, [value]]);
    else last[1].push(...Array.from({ length: gap }, () => ''), value);
  }
  return {
    source: 'ICU Any-Latin; Latin-ASCII; Lower, from CLDR, with name practice laid over it',
    license: 'Unicode License v3 (https://www.unicode.org/license.txt)',
    runs: runs.map(([start, values]) => [start, values.join(',')]),
  };
}

function ranges(test: (char: string) => boolean): number[] {
  const out: number[] = [];
  let start = -1;
  for (let codePoint = 0; codePoint <= 0x110000; codePoint++) {
    const surrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
    const inside = codePoint < 0x110000 && !surrogate && test(String.fromCodePoint(codePoint));
    if (inside && start < 0) start = codePoint;
    if (!inside && start >= 0) {
      out.push(start, codePoint - 1);
      start = -1;
    }
  }
  return out;
}

function unicodeClasses(): object {
  return {
    source: 'Unicode Character Database',
    license: 'Unicode License v3 (https://www.unicode.org/license.txt)',
    unicode: process.versions.unicode,
    comment: 'word: letters, numbers and marks; digitZero: first digit of each decimal set',
    word: ranges((char) => /[\p{L}\p{N}\p{M}]/u.test(char)),
    digitZero: ranges((char) => /\p{Nd}/u.test(char)).flatMap((start, index, all) => {
      if (index % 2 === 1) return [];
      const end = all[index + 1] ?? start;
      return Array.from({ length: (end - start + 1) / 10 }, (_, set) => start + set * 10);
    }),
  };
}

/** The commonest Latin spellings of the commonest Arabic tokens, by count. */
function arabicTokens(folder: string): object {
  const file = `${folder}/matching/transliteration/wd_arabic_80.tsv.xz`;
  const text = execFileSync('xz', ['-dc', file], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const spellings = new Map<string, Map<string, number>>();
  for (const line of text.split('\n')) {
    const [latin, arabic, count] = line.split('\t');
    if (latin === undefined || arabic === undefined || !/^[a-z]+$/.test(latin)) continue;
    const token = arabic
      .replaceAll(' ', '')
      .normalize('NFD')
      .replace(/[\u064b-\u065f\u0640]/g, '')
      .replaceAll('ى', 'ي');
    if (!/^[\u0621-\u064a]{2,}$/.test(token)) continue;
    const bag = spellings.get(token) ?? new Map<string, number>();
    bag.set(latin, (bag.get(latin) ?? 0) + Number(count));
    spellings.set(token, bag);
  }
  const rows = [...spellings]
    .map(([token, bag]) => {
      const sorted = [...bag].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
      const total = sorted.reduce((sum, [, count]) => sum + count, 0);
      const top = sorted[0]?.[1] ?? 0;
      const kept = sorted.filter(([, count]) => count * 20 >= top).slice(0, SPELLINGS_MAX);
      return { token, total, kept: kept.map(([latin]) => latin) };
    })
    .filter(({ total }) => total >= 4)
    .sort((a, b) => b.total - a.total || (a.token < b.token ? -1 : 1))
    .slice(0, TOKENS_MAX)
    .sort((a, b) => (a.token < b.token ? -1 : 1));
  return {
    source: 'Wikidata labels, by steveash/NETransliteration-COLING2018',
    license: 'CC0-1.0',
    tokens: Object.fromEntries(rows.map(({ token, kept }) => [token, kept.join(' ')])),
  };
}

const folder = process.argv[2];
assert(folder !== undefined, 'usage: node scripts/generateNameTables.ts <folder of the data>');
for (const [name, table] of Object.entries({
  romanisation: romanisation(folder),
  unicodeClasses: unicodeClasses(),
  arabicTokens: arabicTokens(folder),
})) {
  writeFileSync(new URL(`${name}.json`, OUT), `${JSON.stringify(table)}\n`);
}
