/** FtM files in, entities out: joins in any order, deltas, and lines that cannot be read. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gathering, type ListEntity } from '#domain/lists';
import { ftmReader } from '../../../src/sources/ftm/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countryTable } from '../countries.ts';

type Properties = Record<string, readonly string[]>;

const line = (id: string, schema: string, properties: Properties, more: object = {}): string =>
  JSON.stringify({ id, caption: properties.name?.[0] ?? schema, schema, properties, ...more });

async function readLines(lines: readonly string[], options: { scratchFolder?: string } = {}) {
  return readText(`${lines.join('\n')}\n`, options);
}

async function readText(text: string, options: { scratchFolder?: string } = {}) {
  const entities: ListEntity[] = [];
  const removed: string[] = [];
  const read = await ftmReader(countryTable).read(chunksOf(text, 100), {
    sourceId: 'OPEN_AGGREGATE',
    sink: gathering(entities, removed),
    ...options,
  });
  const byId = new Map(entities.map((entity) => [entity.ftm_id, entity]));
  return { ...read, byId, entities, removed };
}

const PERSON = line(
  'NK-1',
  'Person',
  {
    name: ['Иван Петров', 'Ivan Petrov'],
    weakAlias: ['Vanya'],
    previousName: ['Ivan Sidorov'],
    birthDate: ['1970-02-01', '1970', 'about 1971'],
    birthPlace: ['Kazan'],
    birthCountry: ['ru'],
    nationality: ['ru', 'suhh'],
    country: ['ua-cri'],
    passportNumber: ['AB 2', 'AB 1'],
    leiCode: ['X'],
    topics: ['sanction', 'role.pep', 'crime.fin', 'fin.bank'],
    addressEntity: ['addr-1'],
    gender: ['male'],
    sourceUrl: ['https://example.org/1'],
  },
  {
    datasets: ['eu_fsf'],
    referents: ['ofac-36'],
    first_seen: '2023-04-20T18:00:25',
    last_seen: '2024-06-01T10:57:03',
    target: true,
  },
);
const RELATIVE = line('NK-2', 'Person', { name: ['Anna Petrova'], addressEntity: ['addr-1'] });
const COMPANY = line('NK-3', 'PublicBody', { name: ['Mining Office'], topics: ['reg.warn'] });
const JOINED = [
  line('rel-1', 'Family', { person: ['NK-1'], relative: ['NK-2'], relationship: ['wife'] }),
  line('rel-2', 'Ownership', { owner: ['NK-1'], asset: ['NK-3'], percentage: ['12,5 %'] }),
  line('addr-1', 'Address', { full: ['1 Long Street, Kazan 420000'] }),
  line('pass-1', 'Passport', { holder: ['NK-1'], number: ['CD 3'], country: ['ru'] }),
  line('sanc-1', 'Sanction', { entity: ['NK-1'], authority: ['UN'], unscId: ['QDi.001'] }),
  line('occ-1', 'Occupancy', { holder: ['NK-1'], post: ['pos-1'], startDate: ['2001'] }),
  line('pos-1', 'Position', { name: ['Minister of Mines'] }),
];

describe('FtM entities', () => {
  test('every property goes where list format v1 has a place for it', async () => {
    const { byId, releaseDate } = await readLines([PERSON]);
    expect(releaseDate).toBe('2024-06-01');
    expect(byId.get('NK-1')).toEqual({
      addresses: [],
      akas: ['Ivan Petrov', 'Ivan Sidorov', 'Vanya'],
      associations: [],
      categories: ['SAN', 'PEP', 'SI'],
      citizenships: ['RU'],
      countries: ['UA'],
      dates_of_birth: ['1970', '1970-02-01'],
      first_seen_at: '2023-04-20T18:00:25Z',
      flattened_associated_sanctioned: [],
      ftm_id: 'NK-1',
      identifiers: { lei: 'X', passport: 'AB 1', 'passport (2)': 'AB 2' },
      last_seen_at: '2024-06-01T10:57:03Z',
      places_of_birth: ['Kazan', 'RU'],
      primary_name: 'Иван Петров',
      primary_name_folded: 'иван петров',
      properties: {
        country_codes: ['suhh', 'ua-cri'],
        datasets: ['eu_fsf'],
        former_names: ['Ivan Sidorov'],
        gender: ['male'],
        referents: ['ofac-36'],
        source_url: ['https://example.org/1'],
        topics: ['crime.fin', 'fin.bank', 'role.pep', 'sanction'],
        unreadable_dates_of_birth: ['about 1971'],
        weak_aliases: ['Vanya'],
      },
      schema: 'Person',
      source_lists_hits: [
        { added_at: '2023-04-20', list: 'OPEN_AGGREGATE', version: '2024-06-01' },
      ],
    });
  });

  test('what cannot be normalised is counted', async () => {
    const { notes } = await readLines([PERSON, line('pay-1', 'Payment', {})]);
    expect(notes).toEqual({
      'address-missing': 1,
      'country-unknown': 1,
      'date-unreadable': 1,
      'schema-Payment': 1,
    });
  });

  test('an entity without a telling topic is a related party, never a sanctioned one', async () => {
    const { byId } = await readLines([RELATIVE, COMPANY]);
    expect(byId.get('NK-2')?.categories).toEqual(['RCA']);
    expect(byId.get('NK-3')?.categories).toEqual(['DI']);
    expect(byId.get('NK-3')?.schema).toBe('Organization');
  });
});

describe('what other lines join', () => {
  test('relations reach both ends, with their strengths', async () => {
    const { byId } = await readLines([PERSON, RELATIVE, COMPANY, ...JOINED]);
    expect(byId.get('NK-1')?.associations).toEqual([
      { label: 'same address', strength: 0.3, target_ftm_id: 'NK-2', type: 'ADDRESS' },
      { label: 'relative: wife', strength: 1, target_ftm_id: 'NK-2', type: 'FAMILY' },
      { label: 'owns: 12,5 %', strength: 0.5, target_ftm_id: 'NK-3', type: 'OWNER' },
    ]);
    expect(byId.get('NK-3')?.associations).toEqual([
      { label: 'owned by: 12,5 %', strength: 0.5, target_ftm_id: 'NK-1', type: 'OWNER' },
    ]);
  });

  test('passports, sanctions, addresses and posts belong to their holder', async () => {
    const { byId } = await readLines([...JOINED, PERSON]);
    const person = byId.get('NK-1');
    expect(person?.addresses).toEqual(['1 Long Street, Kazan 420000']);
    expect(person?.identifiers).toMatchObject({ 'passport (3)': 'CD 3', un_reference: 'QDi.001' });
    expect(person?.properties).toMatchObject({
      identifier_details: ['passport: CD 3; ru'],
      positions: ['Minister of Mines; 2001'],
      sanction_details: ['UN'],
    });
    expect(byId.get('pos-1')?.schema).toBe('Position');
  });

  test('a relation that ended before the release is a reported one', async () => {
    const ended = { owner: ['NK-1'], asset: ['NK-3'], endDate: ['2023-12-31'] };
    const { byId } = await readLines([PERSON, COMPANY, line('rel', 'Ownership', ended)]);
    expect(byId.get('NK-1')?.associations[0]?.strength).toBe(0.5);
  });

  test('an address of many is a registered office and ties nobody', async () => {
    const many = Array.from({ length: 22 }, (_, index) =>
      line(`NK-${index}`, 'Company', { name: [`Shell ${index}`], addressEntity: ['addr-1'] }),
    );
    const { entities } = await readLines([...many, ...JOINED]);
    expect(entities.flatMap(({ associations }) => associations)).not.toContainEqual(
      expect.objectContaining({ type: 'ADDRESS' }),
    );
  });

  test('the order of lines and values changes nothing', async () => {
    const lines = [PERSON, RELATIVE, COMPANY, ...JOINED];
    const sorted = (entities: readonly ListEntity[]) =>
      [...entities].sort((a, b) => (a.ftm_id < b.ftm_id ? -1 : 1));
    const expected = sorted((await readLines(lines)).entities);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(lines, { minLength: lines.length }), async (order) => {
        expect(sorted((await readLines(order)).entities)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
    const reversed = JSON.parse(PERSON) as { properties: Properties };
    for (const [name, values] of Object.entries(reversed.properties)) {
      reversed.properties[name] = [...values].reverse();
    }
    const reordered = await readLines([JSON.stringify(reversed), ...lines.slice(1)]);
    expect(sorted(reordered.entities)).toEqual(expected);
  });

  test('a scratch folder holds the lines meanwhile, and nothing afterwards', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ftm-'));
    try {
      const many = Array.from({ length: 5_000 }, (_, index) =>
        line(`NK-${index}`, 'Company', { name: [`Company ${index}`], notes: ['x'.repeat(400)] }),
      );
      const { entities } = await readLines(many, { scratchFolder: folder });
      expect(entities.map((entity) => entity.primary_name)).toEqual(
        many.map((_, index) => `Company ${index}`),
      );
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('FtM deltas', () => {
  const op = (name: string, entity: string): string => `{"op":"${name}","entity":${entity}}`;

  test('changed entities are handed on, removed ones named', async () => {
    const read = await readLines([op('MOD', PERSON), op('DEL', '{"id":"NK-9"}')]);
    expect(read).toMatchObject({ keepsRelations: true, kind: 'delta', releaseDate: '2024-06-01' });
    expect(read.byId.get('NK-1')?.akas).toHaveLength(3);
    expect(read.removed).toEqual(['NK-9']);
  });

  test('a delta that only removes names no release', async () => {
    const read = await readLines([op('DEL', '{"id":"NK-9"}')]);
    expect(read).toMatchObject({ notes: {}, releaseDate: '', removed: ['NK-9'] });
  });

  test('of several deltas in one file the last word of each id counts', async () => {
    const named = (id: string, name: string) => line(id, 'Company', { name: [name] });
    const gone = (id: string) => op('DEL', JSON.stringify({ id }));
    const read = await readLines([
      op('ADD', named('a', 'First')),
      gone('b'),
      op('ADD', named('c', 'Short Lived')),
      op('MOD', named('a', 'Second')),
      op('ADD', named('b', 'Back Again')),
      gone('c'),
      gone('d'),
      op('MOD', named('a', 'Third')),
    ]);
    expect(read.entities.map(({ ftm_id, primary_name }) => [ftm_id, primary_name])).toEqual([
      ['b', 'Back Again'],
      ['a', 'Third'],
    ]);
    expect(read.removed).toEqual(['c', 'd']);
  });

  test('what others are joined with is what the last line says of it', async () => {
    const address = (full: string) => op('MOD', line('addr-1', 'Address', { full: [full] }));
    const family = line('rel-1', 'Family', { person: ['NK-1'], relative: ['NK-2'] });
    const [person, relative] = [op('MOD', PERSON), op('MOD', RELATIVE)];
    const read = await readLines([
      address('1 Old Street, Kazan 420000'),
      op('ADD', family),
      person,
      relative,
      address('2 New Street, Kazan 420000'),
      op('DEL', '{"id":"rel-1"}'),
    ]);
    const entity = read.byId.get('NK-1');
    expect(entity?.addresses).toEqual(['2 New Street, Kazan 420000']);
    expect(entity?.associations.map(({ type }) => type)).toEqual(['ADDRESS']);
    expect(read.removed).toEqual(['rel-1']);
  });

  test('a whole file is no delta', async () => {
    expect((await readLines([PERSON])).kind).toBe('full');
  });
});

describe('lines that cannot be read', () => {
  const many = Array.from({ length: 200 }, (_, index) =>
    line(`NK-${index}`, 'Company', { name: [`Company ${index}`] }),
  );

  test('are skipped and told, with line and reason', async () => {
    const bad = ['{"id": "x", "caption": "c", "schema": "Person", "properties": {"name": "text"}}'];
    const read = await readLines([...many, ...bad, line('NK-n', 'Person', {})]);
    expect(read.entities).toHaveLength(200);
    expect(read.skipped).toEqual([
      'line 201: name: expected texts',
      'line 202: an entity without a name',
    ]);
  });

  test('a record of more parties, or more text, than one fact has is skipped', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `NK-${index}`);
    const holders = many.slice(0, 100);
    const lines = [
      PERSON,
      line('many', 'Family', { person: many, relative: ['NK-1'] }),
      line('long', 'Sanction', { entity: holders, reason: ['x'.repeat(64 * 1024)] }),
      line('fine', 'Passport', { holder: holders, number: ['CD 3'] }),
    ];
    // One line in a hundred may be skipped.
    const others = Array.from({ length: 200 }, (_, index) =>
      line(`A-${index}`, 'Person', { name: ['Ann Bee'] }),
    );
    const { byId, skipped } = await readLines([...lines, ...others]);
    const reason = 'a record of too many parties, or too much about them';
    expect(skipped).toEqual([`line 2: ${reason}`, `line 3: ${reason}`]);
    expect(byId.get('NK-1')?.identifiers['passport (3)']).toBe('CD 3');
    expect(byId.get('NK-1')?.associations).toEqual([]);
  });

  test('bytes that are not UTF-8 damage their line alone', async () => {
    const text = Buffer.from(`${[...many, many[0]?.replace('Company 0', 'é')].join('\n')}\n`);
    const damaged = Buffer.concat([text.subarray(0, -1), Buffer.from([0xff, 10])]);
    const entities: ListEntity[] = [];
    const read = await ftmReader(countryTable).read(chunksOf(damaged), {
      sourceId: 'OPEN_AGGREGATE',
      sink: gathering(entities),
    });
    expect(read.skipped).toEqual(['line 201: bytes that are not UTF-8']);
    expect(entities).toHaveLength(200);
  });

  test('more than one in a hundred is a damaged file', async () => {
    await expect(readLines([...many, '{}', '[]', '7'])).rejects.toMatchObject({
      code: 'list-damaged',
      message: expect.stringContaining('3 of 203'),
    });
  });

  test('a file that ends within a line was cut', async () => {
    const text = many.join('\n');
    await expect(readText(text.slice(0, -5))).rejects.toMatchObject({ code: 'list-damaged' });
    expect((await readText(text)).entities).toHaveLength(200);
  });

  test.each(['', '{"versions":\n{}}\n', '<xml/>\n', '{"id":"a"}\n'])(
    'another document is foreign: %j',
    async (text) => {
      await expect(readText(text)).rejects.toMatchObject({ code: 'list-foreign' });
    },
  );
});
