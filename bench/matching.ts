/**
 * How well people are found whose names are written in another script, on real names:
 *
 *   matching/arabic-to-latin   UN individuals by their Arabic name, against their Latin names
 *   matching/latin-to-arabic   the same, the other way round
 *   matching/arabic-words      words of name pairs, Arabic against Latin
 *
 * Each is the share that reaches a nameScore of 0.92, the line of a direct match; the baseline is a
 * romanisation character by character. Rows on whole lists by all re-rankers stand before them
 * (matchingFigures.ts, matchingLists.ts). Skipped aloud without TEST_DATA_DIR.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import jaroWinkler from 'jaro-winkler';
import { readWholeList } from '#slices/ingestion';
import type { CountryTable, ListEntity } from '#slices/lists';
import countries from '../config/tables/countries.json' with { type: 'json' };
import { arabicVariants, hasArabic } from '../src/engine/arabicVariants.ts';
import { foldName, listForms } from '../src/engine/foldName.ts';
import { sortTokens } from '../src/engine/tokenOrder.ts';
import { romaniseCharacter } from '../src/engine/unicodeTables.ts';
import { createListReaders } from '../src/sources/index.ts';
import { rows as figureRows } from './matchingFigures.ts';
import { rows as listRows } from './matchingLists.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const run = promisify(execFile);
const UN_LIST = 'lists/un/consolidated_2025-04-19.xml.xz';
const WORDS = 'matching/google_ar2en.txt';
const DIRECT_MATCH = 0.92;
const FILE_BYTES_MAX = 256 * 1024 * 1024;

/** One name in both scripts, folded. */
interface Pair {
  readonly arabic: string;
  readonly latin: readonly string[];
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const root = process.env.TEST_DATA_DIR;
  if (root === undefined || !existsSync(join(root, UN_LIST))) {
    console.warn('skipped: matching needs the real names of TEST_DATA_DIR');
    return [];
  }
  const people = await unPairs(join(root, UN_LIST));
  const words = await wordPairs(join(root, WORDS), options.smoke ? 100 : 5);
  const plain = (name: string): readonly string[] => [byCharacter(name)];
  return [
    ...(await figureRows(options)),
    ...(await listRows(options)),
    row('arabic-to-latin', 'UN individuals', people, { ours: arabicVariants, baseline: plain }),
    row('latin-to-arabic', 'UN individuals', people, { ours: formsOnList, baseline: plain }),
    row('arabic-words', 'google ar2en', words, { ours: arabicVariants, baseline: plain }),
  ];
}

/** What the index holds of a name that stands on the list in Arabic script alone. */
function formsOnList(arabic: string): readonly string[] {
  return listForms(foldName(arabic, 'person')).filter((form) => !hasArabic(form));
}

function byCharacter(name: string): string {
  return [...name]
    .map((char) => (char === ' ' ? ' ' : (romaniseCharacter(char.codePointAt(0) ?? 0) ?? char)))
    .join('');
}

function row(
  id: string,
  data: string,
  pairs: readonly Pair[],
  by: Readonly<Record<'ours' | 'baseline', (arabic: string) => readonly string[]>>,
): BenchRow {
  const before = process.cpuUsage();
  const ours = found(pairs, by.ours);
  const { user } = process.cpuUsage(before);
  const baseline = found(pairs, by.baseline);
  return {
    baseline,
    baseline_name: 'romanised character by character',
    data: `${data}, ${pairs.length} names`,
    id: `matching/${id}`,
    ours,
    p50_ms: user / 1e3 / Math.max(1, pairs.length),
    ratio: ours / baseline,
    size: 'lists',
    suite: 'matching',
    unit: `share ≥ ${DIRECT_MATCH}`,
  };
}

function found(pairs: readonly Pair[], spell: (arabic: string) => readonly string[]): number {
  const hits = pairs.filter(({ arabic, latin }) => {
    const spelt = spell(arabic);
    return latin.some((name) => spelt.some((one) => nameScore(one, name) >= DIRECT_MATCH));
  });
  return hits.length / Math.max(1, pairs.length);
}

/** As the engine compares: in the order given, and sorted. */
function nameScore(a: string, b: string): number {
  return Math.max(jaroWinkler(a, b), jaroWinkler(sortTokens(a), sortTokens(b)));
}

async function unPairs(file: string): Promise<Pair[]> {
  const reader = createListReaders(countries as CountryTable).get('UN_SC');
  if (reader === undefined) throw new Error('no reader for UN_SC');
  const { stdout } = await run('xz', ['-dc', file], {
    encoding: 'buffer',
    maxBuffer: FILE_BYTES_MAX,
  });
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield stdout;
  }
  const { entities } = await readWholeList(reader, chunks(), { sourceId: 'UN_SC' });
  return entities.filter(({ schema }) => schema === 'Person').flatMap(pairOf);
}

function pairOf(entity: ListEntity): Pair[] {
  const names = [entity.primary_name, ...entity.akas].map((name) => foldName(name, 'person'));
  const arabic = names.find(({ native }) => isArabic(native))?.native;
  const latin = names.filter(({ native }) => !hasArabic(native)).map((name) => name.latin);
  return arabic === undefined || latin.length === 0 ? [] : [{ arabic, latin }];
}

function isArabic(name: string): boolean {
  return name.split(' ').every(hasArabic);
}

async function wordPairs(file: string, every: number): Promise<Pair[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.flatMap((line, at): Pair[] => {
    const [given = '', spelt = ''] = line.split('\t');
    const arabic = foldName(given).native;
    const latin = foldName(spelt.replaceAll("'", '')).latin;
    const isWord = at % every === 0 && arabic.length > 2 && isArabic(arabic) && latin !== '';
    return isWord ? [{ arabic, latin: [latin] }] : [];
  });
}
