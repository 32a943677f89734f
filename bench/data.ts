/**
 * Real data for benches, where TEST_DATA_DIR points at it; nothing of it ships. Without it the
 * benches run on the list that ships and say so in their `data` column.
 */
import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const OFAC_XML = 'lists/ofac/sdn_2024-07-02_DERIVED_from_csv.xml.xz';
const FILE_BYTES_MAX = 256 * 1024 * 1024;

export interface PublishedList {
  readonly source: string;
  readonly file: string;
}

const PUBLISHED = {
  EU_CFSP: 'lists/eu/xmlFullSanctionsList_1_1_2022-03-18_first1044.xml.xz',
  HMT_OFSI: 'lists/uk/ConList_2020-04-27.csv.xz',
  OFAC_SDN: OFAC_XML,
  UN_SC: 'lists/un/consolidated_2025-04-19.xml.xz',
} as const;

/** Real lists, unpacked; none where the data is absent. */
export async function publishedLists(): Promise<readonly PublishedList[]> {
  const lists: PublishedList[] = [];
  for (const [source, path] of Object.entries(PUBLISHED)) {
    const file = await unpacked(path);
    if (file !== undefined) lists.push({ file, source });
  }
  return lists;
}

/** Path of OFAC's SDN list as plain XML, or undefined where the data is absent. */
export function ofacFile(): Promise<string | undefined> {
  return unpacked(OFAC_XML);
}

let folder: Promise<string> | undefined;

/** One for all lists, removed when the process ends: they are read until then. */
function unpackedFolder(): Promise<string> {
  folder ??= mkdtemp(join(tmpdir(), 'compliance-bench-data-')).then((path) => {
    process.once('exit', () => rmSync(path, { force: true, recursive: true }));
    return path;
  });
  return folder;
}

async function unpacked(path: string): Promise<string | undefined> {
  const root = process.env.TEST_DATA_DIR;
  if (root === undefined || !existsSync(join(root, path))) return undefined;
  const file = join(await unpackedFolder(), basename(path, '.xz'));
  const { stdout } = await run('xz', ['-dc', join(root, path)], {
    encoding: 'buffer',
    maxBuffer: FILE_BYTES_MAX,
  });
  await writeFile(file, stdout);
  return file;
}

const GIVEN = [
  'Amira',
  'Jonas',
  'Leila',
  'Pedro',
  'Ingrid',
  'Samir',
  'Chiara',
  'Tomas',
  'Noura',
  'Erik',
];
const FAMILY = ['Lindqvist', 'Ben Salah', 'Moreau', 'Haddad', 'Novak', 'Okafor', 'Tanaka', 'Ricci'];

/**
 * `count` different names: every second one from the list with one letter changed, the others
 * invented. The same seed gives the same names.
 */
export async function benchNames(listFile: string | undefined, count: number): Promise<string[]> {
  const listed = listFile === undefined ? [] : await namesOf(listFile);
  const random = seeded(20_260_701);
  return Array.from({ length: count }, (_, index) => {
    const name = listed[Math.floor(random() * listed.length)];
    return index % 2 === 0 && name !== undefined ? withTypo(name, random) : invented(random);
  });
}

async function namesOf(file: string): Promise<string[]> {
  const xml = await readFile(file, 'utf8');
  const names: string[] = [];
  for (const [, entry = ''] of xml.matchAll(/<sdnEntry>([\s\S]*?)<\/sdnEntry>/g)) {
    const first = /<firstName>([^<]+)/.exec(entry)?.[1];
    const last = /<lastName>([^<]+)/.exec(entry)?.[1];
    if (last !== undefined) names.push(first === undefined ? last : `${first} ${last}`);
  }
  return names;
}

function withTypo(name: string, random: () => number): string {
  const at = 1 + Math.floor(random() * Math.max(1, name.length - 1));
  const letter = String.fromCharCode(97 + Math.floor(random() * 26));
  return name.slice(0, at) + letter + name.slice(at + 1);
}

function invented(random: () => number): string {
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? '';
  const syllable = () => pick(['ka', 'lo', 'mi', 'ren', 'sta', 'vi', 'dor', 'ul', 'pe', 'zan']);
  return `${pick(GIVEN)} ${syllable()}${syllable()}${syllable()} ${pick(FAMILY)}`;
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
