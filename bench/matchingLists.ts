/**
 * How well each re-ranker finds the entries of real lists at the default thresholds, in one run:
 *
 *   matching/published       every published name and alias, as it stands and in natural order
 *   matching/transposed      two neighbouring letters of a primary name changed places
 *   matching/wrong-digit     the published name, and the date of birth with one wrong digit
 *   matching/clean           names of registers that are on no list: the share with any hit that is
 *                            not the name itself but for spelling (some of them are listed)
 *   matching/common-words    a word that many names have, alone: the share with any hit
 *
 * Found is a hit by the default thresholds. `matching/published` counts names that tell something;
 * names of one common word decide nothing by themselves, and are counted in its `data`. Each
 * other name that does not find its entry is told on stderr.
 */
import { execFile } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  buildSnapshot,
  createEngine,
  type Engine,
  type IndexEntity,
  type LoadedIndex,
  type RawQuery,
} from '#engine';
import { canonicalJson } from '#platform/canonicalJson';
import { readWholeList } from '#slices/ingestion';
import { type CountryTable, toIndexEntity } from '#slices/lists';
import countries from '../config/tables/countries.json' with { type: 'json' };
import { isListed } from '../scripts/reranker2/seeker.ts';
import { commonWordsOf } from '../src/engine/commonWords.ts';
import { typologyOf } from '../src/slices/screening/verdict.ts';
import { createListReaders } from '../src/sources/index.ts';
import { publishedLists } from './data.ts';
import { pick, type Random, seededRandom } from './random.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import { SETTINGS } from './syntheticList.ts';

const run = promisify(execFile);
const VERSIONS = { also: '1.1.0', baseline: '1.0.0', ours: '2.0.0' } as const;
/** Queries of each kind, unless the caller says how many. */
const COUNT = 300;
const THRESHOLDS = { direct: 0.92, pep: 0.85, rca_1: 0.8, rca_2: 0.7, adverse_media: 0.75 };
const NAMES = 'names/real_names.tsv.xz';
const NAMES_BYTES_MAX = 512 * 1024 * 1024;
const REGISTERS = { chadwick: 'US', wikidata_en: 'global' } as const;
const MISSES_TOLD = 40;

/** A query, and the entry that it is to find; undefined where it is to find none. */
interface Probe {
  readonly query: RawQuery;
  readonly id: string | undefined;
}

interface Loaded {
  readonly source: string;
  readonly entities: readonly IndexEntity[];
  readonly index: LoadedIndex;
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const engine = createEngine({ queueMax: 1, threads: 0 });
  const lists: Loaded[] = [];
  for (const { file, source } of await publishedLists()) {
    const entities = await entitiesOf(file, source);
    lists.push({ entities, index: engine.load(buildSnapshot(entities)), source });
  }
  if (lists.length === 0) {
    console.warn('skipped: published names need the lists of TEST_DATA_DIR');
    return [];
  }
  const finder = new Finder(engine, options);
  try {
    return await allRows(finder, lists);
  } finally {
    for (const { index } of lists) index.release();
    await engine.close();
  }
}

async function allRows(finder: Finder, lists: readonly Loaded[]): Promise<BenchRow[]> {
  const found: BenchRow[] = [];
  for (const list of lists) {
    const probes = publishedProbes(list.entities);
    const telling = probes.filter(({ query }) => commonWordsOf(query.name) !== 'one');
    const silent = probes.length - telling.length;
    const note = `${list.source}, of one common word: ${silent} of ${probes.length} names`;
    found.push(await finder.row('published', note, [list], telling, { tells: true }));
  }
  const [ofac] = lists.filter(({ source }) => source === 'OFAC_SDN');
  const main = ofac === undefined ? lists : [ofac];
  const entities = main.flatMap((list) => list.entities);
  const random = seededRandom(11);
  for (const [schema, label] of [
    ['Person', 'persons'],
    ['Company', 'organisations'],
  ] as const) {
    const some = entities.filter((one) => one.schema === schema);
    const probes = some.flatMap((entity) => transposedProbe(entity, random));
    found.push(await finder.row('transposed', label, main, probes));
  }
  const dated = entities.flatMap((entity) => wrongDigitProbe(entity, random));
  found.push(await finder.row('wrong-digit', 'persons with a full date', main, dated));
  for (const [register, label] of Object.entries(REGISTERS)) {
    const clean = await registerNames(register, finder.count);
    found.push(await finder.row('clean', `${label} names`, main, clean.map(noEntry)));
  }
  const words = commonWords(entities);
  found.push(await finder.row('common-words', 'frequent words', main, words.map(noEntry)));
  return found;
}

/** Items at even distances. */
function sample<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  const size = Math.min(count, items.length);
  return Array.from({ length: size }, (_, at) => items[Math.floor(at * step)] as T);
}

const noEntry = (name: string): Probe => ({ id: undefined, query: queryOf(name) });
const queryOf = (name: string): RawQuery => ({ name, transliterations: [] });

/** Screens probes by both versions. */
class Finder {
  /** Queries of each kind. */
  readonly count: number;
  readonly #engine: Engine;

  constructor(engine: Engine, { count = COUNT, smoke }: BenchOptions) {
    this.count = smoke ? 100 : count;
    this.#engine = engine;
  }

  async row(
    id: string,
    data: string,
    lists: readonly Loaded[],
    probes: readonly Probe[],
    { tells = false } = {},
  ): Promise<BenchRow> {
    const some = sample(probes, this.count);
    const baseline = await this.#share(VERSIONS.baseline, lists, some, false);
    const also = await this.#share(VERSIONS.also, lists, some, false);
    const before = process.cpuUsage();
    const ours = await this.#share(VERSIONS.ours, lists, some, tells);
    const { user } = process.cpuUsage(before);
    return {
      also: { [VERSIONS.also]: also },
      baseline,
      baseline_name: `re-ranker ${VERSIONS.baseline}`,
      data: `${data}, ${some.length} queries`,
      id: `matching/${id}`,
      ours,
      p50_ms: user / 1e3 / Math.max(1, some.length),
      size: 'lists',
      suite: 'matching',
      unit: probes[0]?.id === undefined ? 'share with a hit' : 'share that finds its entry',
    };
  }

  async #share(
    version: string,
    lists: readonly Loaded[],
    probes: readonly Probe[],
    tells: boolean,
  ): Promise<number> {
    let count = 0;
    let missed = 0;
    for (const probe of probes) {
      const found = await this.#hits(version, lists, probe.query);
      const { name } = probe.query;
      const hits =
        probe.id === undefined ? found.filter((hit) => !isListed(name, hit.name)) : found;
      const isFound = hits.some(({ id }) => id === probe.id);
      if (probe.id === undefined ? hits.length > 0 : isFound) count += 1;
      else if (tells && missed++ < MISSES_TOLD) {
        console.error(`not found by ${version}: ${probe.query.name} (${probe.id})`);
      }
    }
    return count / Math.max(1, probes.length);
  }

  async #hits(
    version: string,
    lists: readonly Loaded[],
    query: RawQuery,
  ): Promise<readonly { readonly id: string; readonly name: string }[]> {
    const { candidates } = await this.#engine.screen({
      deadlineMs: 60_000,
      indexes: lists.map(({ index }) => index),
      query,
      settings: { ...SETTINGS, answerScoreMin: 0.5, version },
    });
    return candidates.flatMap(({ card, directScore, id, matchedName }) => {
      const { categories, flattened_associated_sanctioned: paths } = JSON.parse(card);
      const subject = { categories, directScore, paths, reranker: version };
      return typologyOf(subject, THRESHOLDS) === undefined ? [] : [{ id, name: matchedName }];
    });
  }
}

/** The entities of a published list, as they are indexed. */
export async function entitiesOf(file: string, source: string): Promise<IndexEntity[]> {
  const reader = createListReaders(countries as CountryTable).get(source);
  if (reader === undefined) throw new Error(`no reader for ${source}`);
  const parsed = await readWholeList(reader, createReadStream(file), { sourceId: source });
  const lines = parsed.entities.map((entity) => Buffer.from(canonicalJson(entity)));
  return lines.map(toIndexEntity).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** `LAST, First` as people write it. */
function naturalOf(name: string): string | undefined {
  const at = name.indexOf(',');
  if (at < 0 || name.includes(',', at + 1)) return undefined;
  return `${name.slice(at + 1).trim()} ${name.slice(0, at).trim()}`;
}

/** Persons and companies are sought with their kind, all others with none. */
function typeOf({ schema }: IndexEntity): Pick<RawQuery, 'schema'> {
  return schema === 'Other' ? {} : { schema };
}

function publishedProbes(entities: readonly IndexEntity[]): Probe[] {
  return entities.flatMap((entity) => {
    const { id, names, schema } = entity;
    return names.flatMap((name): Probe[] => {
      const natural = schema === 'Person' ? naturalOf(name) : undefined;
      const spelt = natural === undefined ? [name] : [name, natural];
      const worded = spelt.filter((one) => /[\p{L}\p{N}]/u.test(one));
      return worded.map((one) => ({ id, query: { ...queryOf(one), ...typeOf(entity) } }));
    });
  });
}

/** Two neighbouring letters of a word, not its first ones, that differ. */
function transposedProbe(entity: IndexEntity, random: Random): Probe[] {
  const name = entity.names[0] ?? '';
  const places = [...name.slice(1)].flatMap((_, at) => {
    const pair = name.slice(at + 1, at + 3);
    return /^\p{L}\p{L}$/u.test(pair) && pair[0] !== pair[1] ? [at + 1] : [];
  });
  if (places.length === 0) return [];
  const at = pick(random, places);
  const turned = `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`;
  return [{ id: entity.id, query: { ...queryOf(turned), ...typeOf(entity) } }];
}

function wrongDigitProbe(entity: IndexEntity, random: Random): Probe[] {
  const date = entity.datesOfBirth.find((one) => /^\d{4}-\d{2}-\d{2}$/.test(one));
  const name = entity.names[0] ?? '';
  if (date === undefined || entity.schema !== 'Person') return [];
  for (let attempt = 0; attempt < 100; attempt++) {
    const at = pick(random, [0, 1, 2, 3, 5, 6, 8, 9]);
    const digit = Math.floor(random() * 10);
    const wrong: string = `${date.slice(0, at)}${digit}${date.slice(at + 1)}`;
    if (wrong === date || wrong < '1900' || wrong > '2020') continue;
    if (Number.isNaN(Date.parse(wrong))) continue;
    return [{ id: entity.id, query: { ...queryOf(name), ...typeOf(entity), dob: wrong } }];
  }
  return [];
}

async function registerNames(register: string, count: number): Promise<string[]> {
  const root = process.env.TEST_DATA_DIR ?? '';
  if (!existsSync(join(root, NAMES))) return [];
  const { stdout } = await run('xz', ['-dc', join(root, NAMES)], { maxBuffer: NAMES_BYTES_MAX });
  const names = stdout.split('\n').flatMap((line) => {
    const [name = '', , source] = line.split('\t');
    return source === register && name.includes(' ') ? [name] : [];
  });
  const random = seededRandom(5);
  return Array.from({ length: Math.min(count, names.length) }, () => pick(random, names));
}

/** The most frequent words of a list's names, as they are published. */
function commonWords(entities: readonly IndexEntity[]): string[] {
  const counts = new Map<string, number>();
  for (const { names } of entities) {
    for (const word of new Set(names.flatMap((name) => name.split(/[^\p{L}]+/u)))) {
      if (word.length > 1) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const frequent = [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word);
  return frequent.filter((word) => commonWordsOf(word) !== undefined).slice(0, 300);
}
