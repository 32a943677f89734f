/**
 * The modes of a batch on two releases of the United Nations' list, seven years apart, and on one
 * of the European Union's that was not there before; where TEST_DATA_DIR points at them. What each
 * must find is told by the files alone.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type Batch, type BatchMode, readFindings } from '#slices/batches';
import { type ListReader, readWholeList } from '#slices/ingestion';
import type { CountryTable, ListEntity } from '#slices/lists';
import countryTable from '../../../config/tables/countries.json' with { type: 'json' };
import { createListReaders } from '../../../src/sources/index.ts';
import { dataFolder, sharedFile, warnWithoutData } from '../../sources/sharedData.ts';
import { BatchHouse } from './batchHouse.ts';

warnWithoutData('the modes of a batch on real releases');

const readers = createListReaders(countryTable as CountryTable);
const OLD = { file: 'lists/un/consolidated_2018-08-24.xml.xz', source: 'UN_SC' } as const;
const NEW = { file: 'lists/un/consolidated_2025-04-19.xml.xz', source: 'UN_SC' } as const;
const OTHER = {
  file: 'lists/eu/xmlFullSanctionsList_1_1_2022-03-18_first1044.xml.xz',
  source: 'EU_CFSP',
} as const;
type Release = typeof OLD | typeof NEW | typeof OTHER;
/** Every third of the names is enough. */
const NAMES_EVERY = 3;
/** So high that nobody has as many hits as are kept of one: what is cut off differs by mode. */
const THRESHOLDS = { autoClear: 0.75, autoMatch: 0.95, review: 0.85 };
const HITS_KEPT = 50;

type ById = ReadonlyMap<string, ListEntity>;

function readerOf({ source }: Release): ListReader {
  const reader = readers.get(source);
  if (!reader) throw new Error(`no reader of ${source}`);
  return reader;
}

async function read(release: Release): Promise<ById> {
  const { file, source } = release;
  const whole = await readWholeList(readerOf(release), sharedFile(file), { sourceId: source });
  return new Map(whole.entities.map((entity) => [entity.ftm_id, entity]));
}

/** Without what every release says anew: when somebody was seen on it. */
function textOf(entity: ListEntity | undefined): string {
  const { first_seen_at, last_seen_at, source_lists_hits, ...content } = entity ?? {};
  return canonicalJson(content);
}

/** Every name as it is listed, every third without its last letter. */
async function* cohortOf(names: Iterable<string>): AsyncGenerator<Uint8Array> {
  const rows = [...new Set(names)].map((name, place) => {
    const spelled = place % 3 === 0 ? name.slice(0, -1) : name;
    return `c-${place},"${spelled.replaceAll('"', '""')}"\n`;
  });
  yield Buffer.from(`external_id,full_name\n${rows.join('')}`);
}

describe.skipIf(!dataFolder)('a batch of everybody listed, after two releases', () => {
  let house: BatchHouse;
  let old: ById;
  let now: ById;
  const found = new Map<BatchMode | 'base', readonly string[]>();
  const of = (name: BatchMode | 'base') => found.get(name) ?? [];

  beforeAll(async () => {
    house = await BatchHouse.open();
    const [former, later, other] = await Promise.all([read(OLD), read(NEW), read(OTHER)]);
    [old, now] = [former, later];
    const listed = [...old.values(), ...now.values(), ...other.values()];
    const names = listed
      .filter((_, place) => place % NAMES_EVERY === 0)
      .map(({ primary_name }) => primary_name);
    const tenantId = randomUUID() as TenantId;
    const submit = (mode: BatchMode, lists: readonly string[]) =>
      house.submit({
        csv: cohortOf(names),
        lists,
        mode,
        subjects: names.length,
        tenantId,
        thresholds: THRESHOLDS,
      });

    await put(OLD);
    const base = await submit('full', ['UN']);
    const worker = await house.worker();
    found.set('base', await hitsOf(await house.completed(base)));
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    await put(NEW);
    await put(OTHER);
    // All are made before one is screened: each goes on from the base.
    const batches = [
      await submit('delta', ['UN']),
      await submit('listsdelta', ['UN']),
      await submit('newlist', ['UN', 'EU']),
      await submit('full', ['UN', 'EU']),
    ];
    await house.worker();
    for (const batch of batches) {
      const completed = await house.completed(batch);
      expect(completed.baseBatchId).toBe(batch.mode === 'full' ? undefined : base.batchId);
      found.set(batch.mode, await hitsOf(completed));
    }
  });
  afterAll(() => house.close());

  const put = (release: Release) =>
    house.import(release.source, readerOf(release), sharedFile(release.file));

  /** `external_id source/record_id score` of each. */
  async function hitsOf(batch: Batch): Promise<string[]> {
    const { batches, results } = house;
    const hits: string[] = [];
    for await (const { lines, parse } of readFindings({ batches, results }, batch)) {
      for (const line of lines) {
        const result = parse(line);
        expect(result.hits.length).toBeLessThan(HITS_KEPT);
        for (const { list_source, match_score, record_id } of result.hits) {
          hits.push(`${result.external_id} ${list_source}/${record_id} ${match_score}`);
        }
      }
    }
    return hits.sort();
  }

  const idOf = (hit: string): string => /UN_SC\/(\S+)/.exec(hit)?.[1] ?? '';
  const isAdded = (hit: string): boolean => now.has(idOf(hit)) && !old.has(idOf(hit));
  const isChanged = (hit: string): boolean =>
    now.has(idOf(hit)) && textOf(old.get(idOf(hit))) !== textOf(now.get(idOf(hit)));

  test('delta finds what full finds and the base did not, and what it finds of the changed', () => {
    const before = new Set(of('base'));
    const delta = new Set(of('delta'));
    const unseen = of('full').filter((hit) => hit.includes(' UN_SC/') && !before.has(hit));
    expect(unseen.length).toBeGreaterThan(0);
    expect(unseen.filter((hit) => !delta.has(hit))).toEqual([]);
    expect(of('delta')).toEqual(of('full').filter(isChanged));
    const again = of('delta').filter((hit) => before.has(hit));
    expect(again.length).toBeGreaterThan(0);
    expect(again.filter(isAdded)).toEqual([]);
  });

  test('listsdelta finds what full finds of the added, none of which the base found', () => {
    expect(of('listsdelta').length).toBeGreaterThan(0);
    expect(of('listsdelta')).toEqual(of('full').filter(isAdded));
    const before = new Set(of('base'));
    expect(of('listsdelta').filter((hit) => before.has(hit))).toEqual([]);
  });

  test('newlist finds what full finds of the list that is new', () => {
    expect(of('newlist').length).toBeGreaterThan(0);
    expect(of('newlist')).toEqual(of('full').filter((hit) => hit.includes(' EU_CFSP/')));
  });

  test('what the base found of the unchanged, delta and newlist make up what full finds', () => {
    const kept = of('base').filter((hit) => now.has(idOf(hit)) && !isChanged(hit));
    expect(of('full')).toEqual([...kept, ...of('delta'), ...of('newlist')].sort());
  });
});
