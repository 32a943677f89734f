/**
 * Makes config/tables/commonWords.json from open data: how much a word of a name tells, in bits,
 * for words that many names have (src/engine/commonWords.ts). Run by hand when the data changes
 * (`node scripts/generateCommonWords.ts <folder of the data>`). The table is part of re-ranker 1.1:
 * another one is another version.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import countries from '../config/tables/countries.json' with { type: 'json' };
import { foldName } from '../src/engine/foldName.ts';

const OUT = new URL('../config/tables/commonWords.json', import.meta.url);
/** Words that tell more are left out: one of them is enough, whatever stands beside it. */
const BITS_MAX = 11;
/** A popular given or family name of any country tells at most this. */
const POPULAR_BITS = 8.9;
/** Company words up to this are general: any number of them tells no more than one. */
const GENERAL_BITS = 7.5;
/** Rarer words of listed companies are the names of some of them, with their branches. */
const LISTED_COMPANY_BITS = 6;
const BUFFER_BYTES = 512 * 1024 * 1024;

interface Country {
  readonly name: string;
  readonly also?: readonly string[];
  readonly demonyms?: readonly string[];
}
type Kind = 'person' | 'company';
const REGISTERS: Readonly<Record<string, Kind>> = {
  chadwick: 'person',
  us_congress: 'person',
  wikidata_en: 'person',
  listed_equities: 'company',
  sec: 'company',
};
const LISTS: ReadonlySet<string> = new Set(['ofac_advanced', 'ofac_sdn', 'eu', 'un', 'uk_ofsi']);

/** Names and, by word, how many of them have it. */
class Counts {
  names = 0;
  readonly words = new Map<string, number>();

  add(name: string, kind: Kind): void {
    const { latin } = foldName(name, kind === 'person' ? 'person' : 'entity');
    const words = new Set(latin.split(' ').filter((word) => /^[a-z]{2,}$/.test(word)));
    if (words.size === 0) return;
    this.names += 1;
    for (const word of words) this.words.set(word, (this.words.get(word) ?? 0) + 1);
  }

  share(word: string): number {
    return (this.words.get(word) ?? 0) / Math.max(1, this.names);
  }
}

/** Registers and lists apart: a word is as common as in the one that has it most. */
const counts = {
  company: [new Counts(), new Counts()],
  person: [new Counts(), new Counts()],
} as const;

function readNames(folder: string): void {
  const file = `${folder}/names/real_names.tsv.xz`;
  const text = execFileSync('xz', ['-dc', file], { maxBuffer: BUFFER_BYTES }).toString('utf8');
  for (const line of text.split('\n')) {
    const [name = '', label = '', source = ''] = line.split('\t');
    const register = REGISTERS[source];
    if (register !== undefined) counts[register][0].add(name, register);
    else if (!LISTS.has(source)) continue;
    else if (label === 'person') counts.person[1].add(name, 'person');
    else if (label === 'org') counts.company[1].add(name, 'company');
  }
}

function popularNames(folder: string): Set<string> {
  const files = { 'common-forenames-by-country.csv': 11, 'common-surnames-by-country.csv': 5 };
  const found = new Set<string>();
  for (const [file, column] of Object.entries(files)) {
    const lines = readFileSync(`${folder}/names/${file}`, 'utf8').split('\n').slice(1);
    for (const line of lines) {
      const words = foldName(line.split(',')[column] ?? '', 'person').latin.split(' ');
      for (const word of words) if (/^[a-z]{2,}$/.test(word)) found.add(word);
    }
  }
  return found;
}

/** Countries tell where a company is: they are no general words. */
const places = new Set(
  Object.values(countries as Readonly<Record<string, Country>>)
    .flatMap(({ also = [], demonyms = [], name }) => [name, ...also, ...demonyms])
    .flatMap((name) => foldName(name).latin.split(' ')),
);

const bitsOf = (share: number): number =>
  share <= 0 ? Number.POSITIVE_INFINITY : Math.round(-Math.log2(share) * 10) / 10;

function table(popular: ReadonlySet<string>): object {
  const all = [...counts.person, ...counts.company].flatMap(({ words }) => [...words.keys()]);
  const names = new Map<number, string[]>();
  const general = new Map<number, string[]>();
  for (const word of [...new Set([...all, ...popular])].sort()) {
    const person = Math.max(...counts.person.map((of) => of.share(word)));
    const [registered, listed] = counts.company.map((of) => of.share(word));
    const isFrequent = bitsOf(listed ?? 0) <= LISTED_COMPANY_BITS && !places.has(word);
    const company = Math.max(registered ?? 0, isFrequent ? (listed ?? 0) : 0);
    const isGeneral = company > 1.5 * person && bitsOf(company) <= GENERAL_BITS;
    const most = popular.has(word) ? POPULAR_BITS : Number.POSITIVE_INFINITY;
    const bits = Math.min(bitsOf(Math.max(person, company)), most);
    if (bits > BITS_MAX) continue;
    const group = isGeneral ? general : names;
    group.set(bits, [...(group.get(bits) ?? []), word]);
  }
  const rows = (group: ReadonlyMap<number, readonly string[]>) =>
    [...group].sort(([a], [b]) => a - b).map(([bits, words]) => [bits, words.join(' ')]);
  return {
    source:
      'Words of 694,160 names of persons and 53,706 of companies (Chadwick register, ODC-BY 1.0; ' +
      'Wikidata, CC0; listed companies, MIT and PDDL), of the OFAC, UN, EU and UK lists, and ' +
      'popular names by country (CC0)',
    comment:
      'rows of [bits, words]: -log2 of the share of names that have the word; general: words of ' +
      'company names, of which only the rarest counts',
    general: rows(general),
    words: rows(names),
  };
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('expected the folder of the data');
readNames(folder);
writeFileSync(OUT, `${JSON.stringify(table(popularNames(folder)), null, 1)}\n`);
