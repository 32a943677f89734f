/** The UK Sanctions List as CSV, in list format v1: the entities of its XML. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importList, readWholeList } from '#slices/ingestion';
import type { ListEntity } from '#slices/lists';
import { ukReader } from '../../../src/sources/uk/reader.ts';
import { MemoryStore, memoryPorts } from '../../slices/ingestion/memoryPorts.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';
import { columnsOf, rowsOf, type Stated, xmlOf } from './statedDesignations.ts';
import {
  type CsvCells,
  DESIGNATION_COLUMNS,
  designationRow,
  designationsCsv,
  sanctionsList,
} from './ukFiles.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 80);

const read = (content: string | Uint8Array, chunkBytes?: number) =>
  readWholeList(ukReader(countries), chunksOf(content, chunkBytes), { sourceId: 'HMT_OFSI' });
const sorted = (entities: readonly ListEntity[]) =>
  [...entities].sort((a, b) => (a.ftm_id < b.ftm_id ? -1 : 1));

const PERSON: Stated = {
  addresses: [
    {
      'Address Country': 'Afghanistan',
      'Address Line 1': '1 Road',
      'Address Line 2': 'Flat 2, "Rear"',
      'Address Line 3': 'Third',
      'Address Line 4': 'Fourth',
      'Address Line 5': 'Fifth',
      'Address Line 6': 'Kabul',
      'Address Postal Code': '1001',
    },
    { 'Address Country': 'Iran' },
  ],
  births: [
    { 'Country of birth': 'Afghanistan', 'Town of birth': 'Herat' },
    { 'Town of birth': 'Kabul' },
  ],
  dates: [{ 'D.O.B': 'dd/mm/1960' }, { 'D.O.B': '05/01/1961' }],
  emails: [{ 'Email address': 'a@example.org' }],
  genders: [{ Gender: 'Male' }],
  itself: [
    {
      'Date Designated': '25/01/2001',
      'Designation Type': 'Individual',
      'Designation source': 'UN',
      'Last Updated': '01/02/2026',
      'OFSI Group ID': '7001',
      'Other Information': 'Brother of ORVAND CO.\nUN Ref TAi.002 & more. ',
      'Regime Name': 'The Afghanistan Regulations',
      'Sanctions Imposed': 'Asset freeze|Travel Ban|Asset freeze',
      'UK Statement of Reasons': ' Reasons, with “signs” <and> "quotes".',
      'UN Reference Number': 'TAi.002',
      'Unique ID': 'AFG0006',
    },
  ],
  names: [
    {
      'Name 1': 'Tarek',
      'Name 2': 'B',
      'Name 3': 'C',
      'Name 4': 'D',
      'Name 5': 'E',
      'Name 6': 'VELMOR',
      'Name type': 'Primary Name',
    },
    { 'Alias strength': 'Low quality a.k.a', 'Name 6': 'TARIQ', 'Name type': 'Alias' },
    { 'Name 1': 'Tarik', 'Name 6': 'VELMOR', 'Name type': 'Primary Name Variation' },
  ],
  nationalIds: [
    {
      'National Identifier additional information': 'tazkira',
      'National Identifier number': 'N1',
    },
  ],
  nationalities: [{ 'Nationality(/ies)': 'Afghanistan' }, { 'Nationality(/ies)': 'Iran' }],
  passports: [
    { 'Passport additional information': 'issued in 2001', 'Passport number': 'A1' },
    { 'Passport additional information': 'number not known' },
  ],
  phones: [{ 'Phone number': '(02) 5555' }, { 'Phone number': '+93 1' }],
  positions: [{ Position: '(1) Clerk (2) Governor' }],
  scripts: [
    {
      'Name non-latin script': 'طارق',
      'Non-latin script language': 'Arabic',
      'Non-latin script type': 'Arabic',
    },
  ],
  titles: [{ Title: 'Haji' }],
  websites: [{ Website: 'www.example.org' }],
};
const COMPANY: Stated = {
  itself: [{ 'Designation Type': 'Entity', 'Last Updated': '01/02/2026', 'Unique ID': 'RUS0001' }],
  names: [{ 'Name 6': 'ORVAND CO', 'Name type': 'Primary Name' }],
  parents: [{ 'Parent company': 'VELMOR HOLDING' }],
  registrations: [
    { 'Business registration number (s)': 'INN: 77' },
    { 'Business registration number (s)': 'KPP: 78' },
  ],
  subsidiaries: [{ Subsidiaries: 'ORVAND SUB' }],
  types: [{ 'Type of entity': 'Company' }],
};
const SHIP: Stated = {
  flags: [{ 'Current believed flag of ship': 'Gabon' }],
  formerFlags: [{ 'Previous flags': 'Panama' }, { 'Previous flags': 'Liberia' }],
  formerOwners: [{ 'Previous owner/operator (s)': 'OLD CO' }],
  hulls: [{ 'Hull identification number (HIN)': 'HIN1' }],
  imoNumbers: [{ 'IMO number': 'IMO9187629' }],
  itself: [{ 'Designation Type': 'Ship', 'OFSI Group ID': '7009', 'Unique ID': 'RUS0999' }],
  lengths: [{ 'Length of ship': '120' }],
  names: [{ 'Name 6': 'STAR', 'Name type': 'Primary Name' }],
  owners: [{ 'Current owner/operator (s)': 'ORVAND CO' }],
  shipTypes: [{ 'Type of ship': 'Oil Tanker' }],
  tonnages: [{ 'Tonnage of ship': '5000' }],
  years: [{ 'Year Built': '2019' }],
};
const ALL = [PERSON, COMPANY, SHIP];
const ROWS = ALL.flatMap(rowsOf);

describe('UK-Sanctions-List.csv', () => {
  test('what is told below is told in every column', () => {
    expect(new Set(ALL.flatMap(columnsOf))).toEqual(new Set(DESIGNATION_COLUMNS.split(',')));
  });

  test('every column comes to where the XML has it', async () => {
    const { entities, notes, releaseDate } = await read(designationsCsv(ROWS));
    expect(releaseDate).toBe('2026-10-02');
    expect(notes).toEqual({ 'relation-unresolved': 1 });
    expect(entities).toMatchObject([
      {
        addresses: [
          '1 Road, Flat 2, "Rear", Third, Fourth, Fifth, Kabul, 1001, Afghanistan',
          'Iran',
        ],
        akas: ['TARIQ', 'Tarik VELMOR', 'طارق'],
        citizenships: ['AF', 'IR'],
        countries: ['AF', 'IR'],
        dates_of_birth: ['1960', '1961-01-05'],
        ftm_id: 'gb-7001',
        identifiers: {
          'National ID': 'N1',
          Passport: 'A1',
          'UK reference': 'AFG0006',
          'UN reference': 'TAi.002',
        },
        places_of_birth: ['Herat, Afghanistan', 'Kabul'],
        primary_name: 'Tarek B C D E VELMOR',
        programmes: ['The Afghanistan Regulations'],
        properties: {
          designated_on: ['2001-01-25'],
          designation: ['Clerk', 'Governor'],
          emails: ['a@example.org'],
          gender: ['male'],
          identifier_details: [
            'National ID: N1; tazkira',
            'Passport: ; number not known',
            'Passport: A1; issued in 2001',
          ],
          listing_type: ['UN'],
          name_original_script: ['طارق'],
          nationality: ['Afghanistan', 'Iran'],
          phones: ['(02) 5555', '+93 1'],
          remarks: ['Brother of ORVAND CO. UN Ref TAi.002 & more.'],
          sanction_details: ['Asset freeze', 'Travel Ban'],
          statement_of_reasons: ['Reasons, with “signs” <and> "quotes".'],
          title: ['Haji'],
          updated_on: ['2026-02-01'],
          weak_aliases: ['TARIQ'],
          websites: ['www.example.org'],
        },
        schema: 'Person',
      },
      {
        ftm_id: 'gb-RUS0001',
        identifiers: { 'Registration number': 'INN: 77', 'Registration number (2)': 'KPP: 78' },
        properties: {
          organization_type: ['Company'],
          parent_companies: ['VELMOR HOLDING'],
          subsidiaries: ['ORVAND SUB'],
        },
        schema: 'Organization',
      },
      {
        associations: [{ label: 'current owner', target_ftm_id: 'gb-RUS0001', type: 'OWNER' }],
        countries: ['GA'],
        ftm_id: 'gb-7009',
        identifiers: { 'Hull number': 'HIN1', IMO: '9187629', 'UK reference': 'RUS0999' },
        properties: {
          length: ['120'],
          previous_flags: ['Liberia', 'Panama'],
          previous_owners: ['OLD CO'],
          tonnage: ['5000'],
          vessel_flag: ['Gabon'],
          vessel_owner: ['ORVAND CO'],
          vessel_type: ['Oil Tanker'],
          year_built: ['2019'],
        },
        schema: 'Vessel',
      },
    ]);
  });

  test('the XML of the same list has the same entities, and is no news after it', async () => {
    const xml = sanctionsList(ALL.map(xmlOf));
    expect((await read(designationsCsv(ROWS))).entities).toEqual((await read(xml)).entities);
    const store = new MemoryStore();
    const take = (content: string) =>
      importList({
        actor: 'cli:test',
        allow: {},
        ports: memoryPorts(store),
        read: chunksOf(content),
        reader: ukReader(countries),
        sourceId: 'HMT_OFSI',
      });
    const day = { first: 'Report Date: 02-Jan-2026' };
    expect(await take(designationsCsv(ROWS, day))).toMatchObject({ status: 'success' });
    const same = await take(sanctionsList(ALL.map(xmlOf), '02/01/2026'));
    expect(same).toMatchObject({ counts: { added: 0, removed: 0, updated: 0 }, status: 'skipped' });
  });

  test('rows of one designation may lie apart, in any order', async () => {
    const { entities } = await read(designationsCsv(ROWS));
    const odd = ROWS.filter((_, index) => index % 2 === 1);
    const even = ROWS.filter((_, index) => index % 2 === 0);
    for (const rows of [[...odd, ...even], ROWS.toReversed()]) {
      expect(sorted((await read(designationsCsv(rows))).entities)).toEqual(sorted(entities));
    }
  });

  test('columns stand in any order, and the older names of some are known', async () => {
    const columns = DESIGNATION_COLUMNS.split(',').toReversed().join(',');
    const older = columns
      .replace('Designation Type', '"Individual, Entity, Ship"')
      .replace('Parent company', 'PARENT COMPANY')
      .replace('number (s)', 'number(s)');
    const cells = [{ 'Name 6': 'A', 'Parent company': 'B', 'Unique ID': 'RUS0001' }];
    const rows = cells.map((one) => designationRow(one, columns));
    const { entities, notes } = await read(designationsCsv(rows, { columns: older }));
    expect(notes).toEqual({ 'relation-unresolved': 1 });
    expect(entities).toMatchObject([{ primary_name: 'A', schema: 'Person' }]);
  });

  test('a further column is kept, one that is missing is counted', async () => {
    const columns = `${DESIGNATION_COLUMNS.replace(',Gender,Town of birth', '')},Shoe size,`;
    const row = designationRow({ 'Name 6': 'A', 'Shoe size': '42', 'Unique ID': 'X1' }, columns);
    const rows = [row, row.replace(/,$/, ',43')];
    const { entities, notes } = await read(designationsCsv(rows, { columns }));
    expect(notes).toEqual({ 'column-missing': 2, 'unknown-element': 2 });
    expect(entities[0]?.properties?.unknown_elements).toEqual(
      ['Shoe size: 42', 'column 59: 43'].map((one) =>
        one.replace('59', `${columns.split(',').length}`),
      ),
    );
  });

  test.each([
    'Report Date: 2-October-2026',
    '"Report Date: 02-Oct-2026",,,',
    'Report Date,02/10/2026',
  ])('the day of %s', async (first) => {
    const file = `\ufeff${designationsCsv(ROWS, { first })}`;
    for (const chunkBytes of [1, 64 * 1024]) {
      const { entities, releaseDate } = await read(file, chunkBytes);
      expect(releaseDate).toBe('2026-10-02');
      expect(entities).toHaveLength(3);
    }
  });
});

describe('both files of any designations', () => {
  const piece = fc.constantFrom(
    ...['"', '""', ',', ';', ' ', '\n', '\r\n', "'", '(1) ', '(2) ', '|', '&', '<', '/', '-', '.'],
    ...['A', 'b', 'é', 'طارق', 'Иван', '12', '1960', 'IMO 9187629', 'UN Ref QDi.004', 'Iran'],
  );
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const cellsOf = (columns: readonly string[]) =>
    fc.record(Object.fromEntries(columns.map((column) => [column, text])));
  const some = (...columns: readonly string[]) =>
    fc.array(cellsOf(columns), { maxLength: 2, minLength: 1 });
  const named = cellsOf(['Name 1', 'Name 6']).map(
    (cells): CsvCells => ({
      ...cells,
      'Name 5': 'Velmor',
      'Name type': 'Alias',
    }),
  );
  const itself = cellsOf(['Other Information', 'Sanctions Imposed', 'UK Statement of Reasons']);
  const stated = fc.record({
    addresses: some('Address Line 1', 'Address Country'),
    births: some('Town of birth', 'Country of birth'),
    itself,
    names: fc.array(named, { maxLength: 2, minLength: 1 }),
    owners: some('Current owner/operator (s)'),
    passports: some('Passport number', 'Passport additional information'),
    scripts: some('Name non-latin script'),
    titles: some('Title'),
  });

  test('come to the same entities', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stated, { maxLength: 3, minLength: 1 }), async (drawn) => {
        const all = drawn.map(
          (one, index): Stated => ({
            ...one,
            itself: [
              { ...one.itself, 'Designation Type': 'Entity', 'Unique ID': `RUS000${index}` },
            ],
          }),
        );
        const csv = await read(designationsCsv(all.flatMap(rowsOf)), 97);
        const xml = await read(sanctionsList(all.map(xmlOf)));
        expect(csv).toEqual(xml);
      }),
      { numRuns: RUNS },
    );
  });
});
