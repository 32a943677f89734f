/**
 * The real files of the United Nations, the European Union and the United Kingdom, where
 * TEST_DATA_DIR points at them: counted against the files themselves, imported twice and reordered,
 * damaged, and searched.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSnapshot, createEngine, type LoadedIndex, type RawQuery } from '#engine';
import { canonicalJson } from '#platform/canonicalJson';
import { importList, type ListReader, readWholeList, type WholeList } from '#slices/ingestion';
import { type CountryTable, type ListEntity, toIndexEntity } from '#slices/lists';
import countryTable from '../../config/tables/countries.json' with { type: 'json' };
import { createListReaders } from '../../src/sources/index.ts';
import { MemoryStore, memoryPorts } from '../slices/ingestion/memoryPorts.ts';
import { source } from '../slices/ingestion/release.ts';
import { chunksOf } from './chunks.ts';
import { reordered } from './reordered.ts';
import { dataFolder, sharedBytes, warnWithoutData } from './sharedData.ts';

warnWithoutData('the lists of the UN, the EU and the UK');

const readers = createListReaders(countryTable as CountryTable);
const UN_2018 = 'lists/un/consolidated_2018-08-24.xml.xz';
const UN_2025 = 'lists/un/consolidated_2025-04-19.xml.xz';
const UN_MALFORMED = 'lists/un/MALFORMED_consolidated_2025-08-16.xml.xz';
const EU_2022 = 'lists/eu/xmlFullSanctionsList_1_1_2022-03-18_first1044.xml.xz';
const EU_SAMPLE = 'lists/eu/sample_eu_xml_1_1.xml';
const UK_2020 = 'lists/uk/ConList_2020-04-27.csv.xz';
const FILES: readonly (readonly [sourceId: string, file: string])[] = [
  ['UN_SC', UN_2018],
  ['UN_SC', UN_2025],
  ['EU_CFSP', EU_2022],
  ['EU_CFSP', EU_SAMPLE],
  ['HMT_OFSI', UK_2020],
];

function readerOf(sourceId: string): ListReader {
  const reader = readers.get(sourceId);
  if (!reader) throw new Error(`no reader for ${sourceId}`);
  return reader;
}

const readBytes = (sourceId: string, bytes: Uint8Array): Promise<WholeList> =>
  readWholeList(readerOf(sourceId), chunksOf(bytes), { sourceId });

type ById = ReadonlyMap<string, ListEntity> & WholeList;
const lists = new Map<string, Promise<ById>>();

/** Each file once: reading is what the tests of it share. */
function read(sourceId: string, file: string): Promise<ById> {
  const known = lists.get(file);
  if (known) return known;
  const reading = sharedBytes(file)
    .then((bytes) => readBytes(sourceId, bytes))
    .then((list) =>
      Object.assign(new Map(list.entities.map((one) => [one.ftm_id, one] as const)), list),
    );
  lists.set(file, reading);
  return reading;
}

const run = (store: MemoryStore, sourceId: string, bytes: Uint8Array, shrink = false) =>
  importList({
    actor: 'cli:test',
    allow: { shrink },
    ports: memoryPorts(store),
    read: chunksOf(bytes),
    reader: readerOf(sourceId),
    sourceId,
  });

const refusal = (reading: Promise<unknown>) => reading.catch((reason: unknown) => reason);

describe.skipIf(!dataFolder)('the files, read', () => {
  test('UN 2018: every individual and entity', async () => {
    const list = await read('UN_SC', UN_2018);
    expect(list.releaseDate).toBe('2018-08-24');
    const schemas = Map.groupBy(list.entities, (one) => one.schema);
    expect(schemas.get('Person')).toHaveLength(701);
    expect(schemas.get('Organization')).toHaveLength(397);
    expect(list.notes['country-unknown']).toBe(1);
    expect(list.notes['date-unreadable']).toBe(5);
    expect(list.notes['unknown-element']).toBeUndefined();
  });

  test('UN 2025: every individual and entity, names in their scripts, relations', async () => {
    const list = await read('UN_SC', UN_2025);
    expect(list.releaseDate).toBe('2025-04-19');
    const schemas = Map.groupBy(list.entities, (one) => one.schema);
    expect(schemas.get('Person')).toHaveLength(684);
    expect(schemas.get('Organization')).toHaveLength(193);
    const scripts = list.entities.flatMap((one) => one.properties?.name_original_script ?? []);
    expect(scripts).toHaveLength(380);
    expect(list.notes).toEqual({ 'date-unreadable': 2, 'relation-unresolved': 9 });
    const relations = list.entities.flatMap((one) => one.associations);
    expect(relations.length).toBeGreaterThan(350);
    expect(list.get('un-TAi.144')?.associations).toEqual([
      { label: 'heading', strength: 0.5, target_ftm_id: 'un-TAe.012', type: 'BUSINESS' },
      { label: 'son of', strength: 0.5, target_ftm_id: 'un-TAi.040', type: 'FAMILY' },
    ]);
  });

  test('UN 2025: a person as it stands in the file', async () => {
    const list = await read('UN_SC', UN_2025);
    expect(list.get('un-QDi.290')).toMatchObject({
      akas: ['Dokka Umarov', 'Lom-ali Butayev (Butaev)', 'Умаров Доку Хаматович'],
      citizenships: ['RU'],
      dates_of_birth: ['1955', '1964-04-13', '1964-05-12', '1965-04-13'],
      primary_name: 'DOKU KHAMATOVICH UMAROV',
      properties: {
        data_id: ['2960872'],
        former_nationalities: ['former Soviet Union'],
        listed_on: ['2011-03-10'],
        updated_on: ['2014-06-02', '2014-12-30', '2019-05-01', '2021-11-15'],
      },
      schema: 'Person',
    });
    expect(list.get('un-KPi.033')).toMatchObject({
      akas: [],
      citizenships: ['KP'],
      countries: [],
      dates_of_birth: ['1964-07-17'],
      identifiers: { Passport: '381310014', 'UN reference': 'KPi.033' },
      primary_name: 'RI WON HO',
    });
  });

  test('UN 2025: names beside an acronym, none with the label of its script', async () => {
    const list = await read('UN_SC', UN_2025);
    const akas = list.get('un-QDe.137')?.akas ?? [];
    expect(akas).toContain('Hay’at Tahrir al-Sham (HTS)');
    expect(akas).toContain('Hayat Tahrir al-Sham');
    expect(akas).toContain('هيئة تحرير الشام');
    const names = list.entities.flatMap((one) => one.akas);
    expect(names.filter((name) => name.includes(') (') || /original script/.test(name))).toEqual(
      [],
    );
  });

  test('EU 2022: 1,044 records of 1,024 subjects', async () => {
    const text = (await sharedBytes(EU_2022)).toString();
    expect(text.match(/<sanctionEntity /g)).toHaveLength(1_044);
    const list = await read('EU_CFSP', EU_2022);
    expect(list.releaseDate).toBe('2022-03-18');
    expect(list.size).toBe(new Set(text.match(/euReferenceNumber="[^"]+"/g)).size);
    expect(list.size).toBe(1_024);
    expect(list.notes['record-of-known-entity']).toBe(20);
    const names = list.entities.flatMap((one) => [one.primary_name, ...one.akas]);
    expect(names.length).toBeGreaterThan(4_700);
    expect(list.notes['date-unreadable']).toBeUndefined();
    expect(list.notes['unknown-element']).toBeUndefined();
    expect(list.notes['country-unknown']).toBeUndefined();
  });

  test('EU 2022: a person as it stands in the file', async () => {
    const list = await read('EU_CFSP', EU_2022);
    expect(list.get('eu-13')).toMatchObject({
      akas: ['Abou Ali', 'Abu Ali'],
      citizenships: ['IQ'],
      dates_of_birth: ['1937-04-28'],
      identifiers: { 'EU reference': 'EU.27.28' },
      places_of_birth: ['al-Awja, near Tikrit, IRAQ'],
      primary_name: 'Saddam Hussein Al-Tikriti',
      programmes: ['IRQ'],
      properties: { gender: ['male'], remarks: ['UNSC RESOLUTION 1483'] },
      schema: 'Person',
    });
    expect(list.get('eu-2442')?.akas).toContain('Al-Haramain Foundation (Κομόρες)');
    expect(list.get('eu-20')?.primary_name).toBe('Qusay Saddam Hussein Al-Tikriti');
    expect(list.get('eu-516')?.programmes).toEqual(['AFG', 'TAQA']);
  });

  test('UK 2020: 2,114 groups, nationalities by demonym', async () => {
    const list = await read('HMT_OFSI', UK_2020);
    expect(list.releaseDate).toBe('2020-04-27');
    expect(list.size).toBe(2_114);
    const persons = list.entities.filter((one) => one.schema === 'Person');
    const nationals = persons.filter((one) => one.properties?.nationality);
    const coded = nationals.filter((one) => one.citizenships.length > 0);
    expect(coded.length / nationals.length).toBeGreaterThan(0.97);
    expect(list.notes['date-unreadable']).toBeUndefined();
    const unknown = list.entities.flatMap((one) => one.properties?.unknown_countries ?? []);
    expect([...new Set(unknown)].sort()).toEqual([
      'Africa',
      'Central District, Pyongyang',
      'Congolese',
      'Crimea 295000',
    ]);
    expect(list.get('gb-13556')).toMatchObject({
      identifiers: { IMO: '8937675' },
      primary_name: 'TONG SAN 2',
      schema: 'Vessel',
    });
    expect(list.entities.filter((one) => one.schema === 'Vessel')).toHaveLength(26);
    expect(list.get('gb-6968')).toMatchObject({
      countries: ['PK'],
      identifiers: { 'UN reference': 'QDe.005' },
      primary_name: 'AL RASHID TRUST',
    });
  });

  test('UN and UK: numbers of documents, without words and all of them', async () => {
    const numbers = async (sourceId: string, file: string, id: string) =>
      Object.values((await read(sourceId, file)).get(id)?.identifiers ?? {});
    expect(await numbers('HMT_OFSI', UK_2020, 'gb-13254')).toEqual(
      expect.arrayContaining(['02117777', '06070777', '17979']),
    );
    expect(await numbers('HMT_OFSI', UK_2020, 'gb-13440')).toContain('8208 555627');
    expect(await numbers('UN_SC', UN_2025, 'un-QDi.363')).toContain('515458008');
    const { entities } = await read('UN_SC', UN_2025);
    const all = entities.flatMap((one) => Object.values(one.identifiers));
    expect(all.length).toBeGreaterThan(1_000);
    expect(all.filter((number) => /\p{Ll}{2}/u.test(number))).toEqual([]);
  });

  test('UN references that the UK states lead to the same names, but for slips', async () => {
    const [un, uk] = [await read('UN_SC', UN_2018), await read('HMT_OFSI', UK_2020)];
    const words = (one: ListEntity) =>
      new Set(
        [one.primary_name, ...one.akas]
          .join(' ')
          .toLowerCase()
          .match(/\p{L}{3,}/gu),
      );
    const pairs = uk.entities.flatMap((one) => {
      const other = un.get(`un-${one.identifiers['UN reference']}`);
      return other ? [[one, other] as const] : [];
    });
    expect(pairs.length).toBeGreaterThan(500);
    const strangers = pairs.filter(([one, other]) => {
      const known = words(other);
      return ![...words(one)].some((word) => known.has(word));
    });
    expect(strangers.length / pairs.length).toBeLessThan(0.015);
  });
});

describe.skipIf(!dataFolder)('the files, imported', () => {
  test.each(FILES)(
    '%s, %s: twice is once, in another order too',
    async (sourceId, file) => {
      const bytes = await sharedBytes(file);
      const store = new MemoryStore();
      const first = await run(store, sourceId, bytes);
      const second = await run(store, sourceId, bytes);
      expect([first.status, second.status]).toEqual(['success', 'skipped']);
      const turned = await run(
        store,
        sourceId,
        reordered(bytes, (all) => all.reverse()),
      );
      expect(turned.status).toBe('skipped');
      expect(turned.version).toEqual(first.version);
    },
    60_000,
  );

  test.each(FILES)('%s, %s: any order of any part', async (sourceId, file) => {
    const bytes = await sharedBytes(file);
    const part = reordered(bytes, (all) => all.slice(0, 60), true);
    const expected = await contents(sourceId, part);
    const orders = fc.shuffledSubarray([...Array(60).keys()], { minLength: 60 });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const shuffled = reordered(part, (all) => order.flatMap((index) => all[index] ?? []));
        expect(await contents(sourceId, shuffled)).toEqual(expected);
      }),
      { numRuns: 5 },
    );
  });

  test('seven years later: the same subjects are the same entities', async () => {
    const store = new MemoryStore();
    await run(store, 'UN_SC', await sharedBytes(UN_2018));
    const later = await sharedBytes(UN_2025);
    expect(await refusal(run(store, 'UN_SC', later))).toMatchObject({ code: 'list-shrunk' });
    const { counts } = await run(store, 'UN_SC', later, true);
    expect(counts).toMatchObject({ added: 68, entities: 877, removed: 289 });
  });
});

describe.skipIf(!dataFolder)('the files, damaged', () => {
  test('a list that was saved anew in another encoding changes nothing', async () => {
    const store = new MemoryStore();
    const { version } = await run(store, 'UN_SC', await sharedBytes(UN_2025));
    const error = await refusal(run(store, 'UN_SC', await sharedBytes(UN_MALFORMED)));
    expect(error).toMatchObject({
      code: 'list-damaged',
      message: expect.stringMatching(/line \d+, column \d+/),
    });
    expect(source(store, 'UN_SC').active).toEqual(version);
  });

  test.each(FILES)('%s, %s: a cut, wherever it is', async (sourceId, file) => {
    const bytes = await sharedBytes(file);
    for (const length of [100, Math.floor(bytes.length / 2), bytes.length - 20]) {
      const cut = bytes.subarray(0, length);
      expect(await refusal(readBytes(sourceId, cut))).toMatchObject({ code: 'list-damaged' });
    }
  });

  test.each(FILES.filter(([, file]) => ![EU_SAMPLE, UK_2020].includes(file)))(
    '%s, %s, its UTF-8 encoded twice',
    async (sourceId, file) => {
      const text = (await sharedBytes(file)).toString('latin1');
      expect(await refusal(readBytes(sourceId, Buffer.from(text)))).toMatchObject({
        code: 'list-damaged',
        message: expect.stringMatching(/^line \d+, column \d+, .*encoded twice/),
      });
    },
  );

  test('a CSV that was cut between two rows lacks the main name of a target', async () => {
    const bytes = await sharedBytes(UK_2020);
    for (const share of [0.1, 0.9]) {
      const end = bytes.lastIndexOf('\n', Math.floor(bytes.length * share)) + 1;
      const error = await refusal(readBytes('HMT_OFSI', bytes.subarray(0, end)));
      expect(error).toMatchObject({ message: expect.stringMatching(/lacks its main name/) });
    }
  });

  test('one publisher’s file is no other’s', async () => {
    const others: readonly (readonly [string, string])[] = [
      ['UN_SC', EU_2022],
      ['EU_CFSP', UN_2025],
      ['HMT_OFSI', UN_2025],
      ['HMT_OFSI', EU_2022],
    ];
    for (const [sourceId, file] of others) {
      const error = await refusal(readBytes(sourceId, await sharedBytes(file)));
      expect(error, `${file} as ${sourceId}`).toMatchObject({ code: 'list-foreign' });
    }
    for (const sourceId of ['UN_SC', 'EU_CFSP']) {
      const error = await refusal(readBytes(sourceId, await sharedBytes(UK_2020)));
      expect(error).toMatchObject({ code: 'list-damaged' });
    }
  });
});

describe.skipIf(!dataFolder)('the files, searched', () => {
  const engine = createEngine({ queueMax: 1, threads: 0 });
  const indexes = new Map<string, LoadedIndex>();

  beforeAll(async () => {
    for (const [sourceId, file] of FILES) {
      if (file === UN_2018 || file === EU_SAMPLE) continue;
      const { entities } = await read(sourceId, file);
      const sorted = [...entities].sort((a, b) => (a.ftm_id < b.ftm_id ? -1 : 1));
      const snapshot = buildSnapshot(
        sorted.map((entity) => toIndexEntity(Buffer.from(canonicalJson(entity)))),
      );
      indexes.set(sourceId, engine.load(snapshot));
    }
  });

  afterAll(() => engine.close());

  test.each<[string, string, Partial<RawQuery> & { name: string }]>([
    ['UN_SC', 'un-TAi.144', { name: 'Sirajuddin Jallaloudine Haqqani' }],
    ['UN_SC', 'un-TAi.144', { name: 'سراج الدين جلال الدين حقانى' }],
    ['UN_SC', 'un-QDi.290', { name: 'Умаров Доку Хаматович', nationality: 'RU' }],
    ['UN_SC', 'un-QDi.290', { dob: '1964-04-13', name: 'Dokka Umarov' }],
    ['UN_SC', 'un-QDe.004', { name: 'القاعدة' }],
    ['EU_CFSP', 'eu-13', { dob: '1937-04-28', name: 'Hussein Al-Tikriti Saddam' }],
    ['EU_CFSP', 'eu-20', { name: 'Qoussaï Saddam Hussein Al-Tikriti' }],
    ['HMT_OFSI', 'gb-6968', { name: 'Al Rasheed Trust' }],
    ['HMT_OFSI', 'gb-11633', { name: 'Khalil ur Rahman Haqqani', nationality: 'AF' }],
  ])('%s: %s is found', async (sourceId, id, query) => {
    const index = indexes.get(sourceId);
    if (!index) throw new Error(`no index of ${sourceId}`);
    const { candidates } = await engine.screen({
      deadlineMs: 10_000,
      indexes: [index],
      query: { transliterations: [], ...query },
      settings: {
        boosts: { DI: 0.75, PEP: 0.85, RCA: 0.7, SAN: 1, SI: 0.9 },
        missingAttributes: 'rescale',
        phoneticNames: 'all',
        topN: 50,
        version: '1.0.0',
        weights: { alias: 0.15, dob: 0.2, name: 0.4, nationality: 0.1, phonetic: 0.15 },
      },
    });
    expect(candidates[0]?.id).toBe(id);
    expect(candidates[0]?.directScore).toBeGreaterThan(0.92);
  });
});

async function contents(sourceId: string, bytes: Uint8Array): Promise<unknown> {
  const { entities, notes } = await readBytes(sourceId, bytes);
  return { entities: [...entities].sort((a, b) => (a.ftm_id < b.ftm_id ? -1 : 1)), notes };
}
