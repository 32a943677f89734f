/** FtM files in, entities out: joins in any order, deltas, and lines that cannot be read. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gathering } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { ftmReader } from '../../../src/sources/ftm/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countryTable } from '../countries.ts';
import {
  COMPANY,
  JOINED,
  line,
  PERSON,
  type Properties,
  RELATIVE,
  readLines,
  readText,
} from './ftmLines.ts';

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
    const sanction = (authorities: string[], program: string[]) =>
      line('s', 'Sanction', { authority: authorities, entity: ['NK-1'], program });
    const [one, other] = await Promise.all([
      readLines([PERSON, sanction(['UN', 'EU'], ['A', 'B'])]),
      readLines([PERSON, sanction(['EU', 'UN'], ['B', 'A'])]),
    ]);
    expect(one.entities).toEqual(other.entities);
    expect(one.entities[0]?.programmes).toEqual(['A', 'B']);
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

describe('what a file holds in its own way', () => {
  test('dates of release before long properties are found all the same', async () => {
    const { id, caption, schema, properties, ...more } = JSON.parse(PERSON) as {
      properties: Properties;
    } & Record<string, unknown>;
    const long = { ...properties, notes: ['"last_seen": "2099-01-01" '.repeat(40)] };
    const text = JSON.stringify({ id, caption, schema, ...more, properties: long });
    expect((await readLines([text])).releaseDate).toBe('2024-06-01');
  });

  test('records that tell nobody anything are counted', async () => {
    const wallet = line('w-1', 'CryptoWallet', { publicKey: ['1abc'], topics: ['sanction'] });
    expect((await readLines([PERSON, wallet])).notes).toMatchObject({ 'record-tells-nothing': 1 });
  });

  test('documents, posts and relations bring all that they say', async () => {
    const pass = { country: ['ru'], holder: ['NK-2'], number: ['1'], personalNumber: ['77'] };
    const post = { constituency: ['North'], holder: ['NK-2'], post: ['pos-1'] };
    const owned = {
      asset: ['NK-2'],
      owner: ['NK-3'],
      ownershipType: ['direct'],
      startDate: ['2001'],
    };
    const { byId } = await readLines([
      RELATIVE,
      COMPANY,
      line('p', 'Passport', pass),
      line('o', 'Occupancy', post),
      line('own', 'Ownership', owned),
    ]);
    expect(byId.get('NK-2')?.identifiers).toEqual({ passport: '1', personal_number: '77' });
    expect(byId.get('NK-2')?.properties).toMatchObject({
      positions: ['pos-1; North'],
      relation_details: ['owned by NK-3: 2001; direct'],
    });
  });

  test('a day that no month has is no date', async () => {
    const dates = ['1970-02-30', '1971-04-31', '1972-02-29', '1973-12-31'];
    const { byId, notes } = await readLines([
      line('NK-1', 'Person', { birthDate: dates, name: ['A B'] }),
    ]);
    expect(byId.get('NK-1')?.dates_of_birth).toEqual(['1972-02-29', '1973-12-31']);
    expect(notes).toMatchObject({ 'date-unreadable': 2 });
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
    const reason = 'a record of too many parties, or too much';
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
