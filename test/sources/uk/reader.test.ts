/** The Treasury's list in CSV and XML, in list format v1, and every way in which a file is none. */
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import { readWholeList } from '#slices/ingestion';
import { ukReader } from '../../../src/sources/uk/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';
import { conListXml, csvFile, csvRow, target } from './ukFiles.ts';

const read = (content: string | Uint8Array, chunkBytes?: number) =>
  readWholeList(ukReader(countries), chunksOf(content, chunkBytes), { sourceId: 'HMT_OFSI' });

const PERSON = {
  'Name 6': 'VELMOR',
  'Name 1': 'Tarek',
  'Name 2': 'Nabor',
  Title: 'Haji',
  DOB: '00/00/1960',
  'Town of Birth': '(1) Kabul (2) Herat',
  'Country of Birth': '(1) Afghanistan (2) Afghanistan',
  Nationality: '(1) Afghan (2) DPRK',
  'Passport Details': '(1) A-333602 (Afghan) issued on 4 June 1985 (2) D 000912',
  'NI Number': '44323 (Afghan) (tazkira)',
  Position: '(1) Governor (2) Clerk',
  'Address 1': '1 Road',
  'Address 6': 'Kabul',
  'Post/Zip Code': '25300',
  Country: 'Pakistan (previous address)',
  'Other Information': 'UN Ref TI.H.150.11. Brother of Selmira Velmor. See “notes”, etc.',
  Regime: 'Afghanistan',
  'Listed On': '23/02/2001',
  'Group ID': '7001',
};
const SISTER = { 'Name 6': 'VELMOR', 'Name 1': 'Selmira', 'Group ID': '7002' };
const BODY = { 'Name 6': 'ORVAND CO', 'Group Type': 'Entity', 'Group ID': '7003' };

describe('ConList.csv', () => {
  test('rows of one group are one entity, in whichever order', async () => {
    const rows = [
      csvRow({ ...PERSON, 'Alias Type': 'AKA', 'Name 6': 'BELMOR', DOB: '05/01/1961' }),
      csvRow(SISTER),
      csvRow(BODY),
      csvRow(PERSON),
      csvRow({ ...PERSON, 'Alias Type': 'FKA', 'Name 6': 'OLD', Country: 'Congo-Land' }),
    ];
    const list = await read(csvFile(rows));
    expect(list.releaseDate).toBe('2020-04-27');
    expect(list.notes).toEqual({ 'country-unknown': 1 });
    const person = list.entities.find((entity) => entity.ftm_id === 'gb-7001');
    expect(person).toEqual({
      addresses: [
        '1 Road, Kabul, 25300, Congo-Land',
        '1 Road, Kabul, 25300, Pakistan (previous address)',
      ],
      akas: ['Tarek Nabor BELMOR', 'Tarek Nabor OLD'],
      associations: [
        { label: 'brother of', strength: 0.5, target_ftm_id: 'gb-7002', type: 'FAMILY' },
      ],
      categories: ['SAN'],
      citizenships: ['AF', 'KP'],
      countries: ['PK'],
      dates_of_birth: ['1960', '1961-01-05'],
      first_seen_at: '2020-04-27',
      flattened_associated_sanctioned: [],
      ftm_id: 'gb-7001',
      identifiers: {
        'National ID': '44323',
        Passport: 'A-333602',
        'Passport (2)': 'D 000912',
        'UN reference': 'TAi.150',
      },
      last_seen_at: '2020-04-27',
      places_of_birth: ['Herat, Afghanistan', 'Kabul, Afghanistan'],
      primary_name: 'Tarek Nabor VELMOR',
      primary_name_folded: 'tarek nabor velmor',
      programmes: ['Afghanistan'],
      properties: {
        designation: ['Clerk', 'Governor'],
        former_names: ['Tarek Nabor OLD'],
        identifier_details: [
          'National ID: 44323; 44323 (Afghan) (tazkira)',
          'Passport: A-333602; A-333602 (Afghan) issued on 4 June 1985',
          'Passport: D 000912; D 000912',
        ],
        listed_on: ['2001-02-23'],
        nationality: ['(1) Afghan (2) DPRK'],
        remarks: [PERSON['Other Information']],
        stated_un_reference: ['TAi.150'],
        title: ['Haji'],
        unknown_countries: ['Congo-Land'],
        updated_on: ['2020-01-02'],
      },
      schema: 'Person',
      source_lists_hits: [{ added_at: '2020-04-27', list: 'HMT_OFSI', version: '2020-04-27' }],
    });
    expect(canonicalJson(person)).toBe(JSON.stringify(person));
    const ids = (entities: typeof list.entities) =>
      [...entities].sort((a, b) => (a.ftm_id < b.ftm_id ? -1 : 1));
    expect(ids((await read(csvFile([...rows].reverse()))).entities)).toEqual(ids(list.entities));
  });

  test('what stands before numbered papers is said of each', async () => {
    const papers = 'Jordanian passport numbers (1) K048787 (2) 486298 issued on 4 June 1985';
    const row = csvRow({ ...SISTER, 'Passport Details': papers, 'Town of Birth': 'Nice (06)' });
    const [entity] = (await read(csvFile([row]))).entities;
    expect(entity).toMatchObject({
      identifiers: { Passport: '486298', 'Passport (2)': 'K048787' },
      places_of_birth: ['Nice (06)'],
      properties: {
        identifier_details: [
          'Passport: 486298; Jordanian passport numbers; 486298 issued on 4 June 1985',
          'Passport: K048787; Jordanian passport numbers; K048787',
        ],
      },
    });
  });

  test('remarks that begin with an IMO number make a ship, others do not', async () => {
    const ship = { ...BODY, 'Other Information': '(IMO number: 7303803). UN listing.' };
    const owner = { ...BODY, 'Group ID': '8', 'Other Information': 'Company number IMO 5434358.' };
    const rows = [ship, owner, { ...ship, 'Alias Type': 'AKA', 'Name 6': 'STAR' }].map(csvRow);
    const { entities } = await read(csvFile(rows));
    expect(entities).toMatchObject([
      { akas: ['STAR'], identifiers: { IMO: '7303803' }, schema: 'Vessel' },
      {
        identifiers: {},
        properties: { imo_numbers_in_remarks: ['5434358'] },
        schema: 'Organization',
      },
    ]);
  });

  test('a reference that the remarks state for two targets is nobody’s', async () => {
    const remarks = { 'Other Information': 'UN Ref QDi.004.' };
    const rows = [csvRow({ ...SISTER, ...remarks }), csvRow({ ...PERSON, ...remarks })];
    const { entities } = await read(csvFile(rows));
    for (const { identifiers, properties } of entities) {
      expect(identifiers['UN reference']).toBeUndefined();
      expect(properties?.stated_un_reference).toEqual(['QDi.004']);
    }
  });

  test('UTF-8 and windows-1252 are told apart by the bytes, however they come', async () => {
    const text = csvFile([csvRow({ ...SISTER, Position: 'Chargée d’affaires à Genève' })]);
    const windows = Buffer.from(text.replace('’', '\u0092'), 'latin1');
    for (const bytes of [Buffer.from(text), windows]) {
      for (const chunkBytes of [1, 3, 64 * 1024]) {
        const { entities } = await read(bytes, chunkBytes);
        expect(entities[0]?.properties?.designation).toEqual(['Chargée d’affaires à Genève']);
      }
    }
  });

  test('a column that is not known is kept, and empty ones cost nothing', async () => {
    const text = csvFile([csvRow(SISTER)])
      .replace('Regime', 'Shoe Size')
      .replace(',,,02', ',42,,02');
    const { entities, notes } = await read(text);
    expect(notes).toEqual({ 'unknown-element': 1 });
    expect(entities[0]?.properties?.unknown_elements).toEqual(['Shoe Size: 42']);
  });
});

describe('ConList.xml', () => {
  const rows = [
    target({
      Name6: 'VELMOR',
      name1: 'Tarek',
      GroupTypeDescription: 'Individual',
      AliasType: 'Primary name',
      NameNonLatinScript: 'طارق',
      Individual_DateOfBirth: '00/08/1960',
      Individual_Nationality: '(1) Afghanistan',
      Individual_PassportNumber: '(1) A1 (2) A2',
      Individual_PassportDetails: '(1) Afghan (2) issued in 2001',
      OtherInformation: '(UK Sanctions List Ref):AFG0006. (UN Ref):TAi.002.',
      UNRef: 'TAi.002',
      RegimeName: 'Afghanistan',
      DateListed: '2001-02-23T00:00:00',
      LastUpdated: '2022-02-01T00:00:00',
      UKSanctionsListRef: 'AFG0006',
      GrpStatus: 'A',
      GroupID: '7001',
    }),
    target({
      Name6: 'TARIQ',
      GroupTypeDescription: 'Individual',
      AliasType: 'AKA',
      AliasQuality: 'Low quality',
      LastUpdated: '2022-02-01T00:00:00',
      GroupID: '7001',
    }),
    target({
      Name6: 'STAR',
      GroupTypeDescription: 'Ship',
      AliasType: 'Primary name variation',
      Ship_IMONumber: 'IMO 9187629',
      Ship_Flag: 'Panama',
      Ship_CurrentOwners: 'ORVAND CO',
      Unheard_Of: 'x',
      LastUpdated: '2022-03-05T00:00:00',
      GroupID: '7009',
    }),
    target({
      Name6: 'ORVAND CO',
      GroupTypeDescription: 'Entity',
      AliasType: 'Primary name',
      Entity_BusinessRegNumber: '(1) 123 (2) 456',
      LastUpdated: '2021-03-05T00:00:00',
      GroupID: '7003',
    }),
  ];

  test('digits in parentheses are no marks of a list; details of two papers are kept', async () => {
    const [body] = (
      await read(
        conListXml([
          target({
            Name6: 'ORVAND CO',
            GroupTypeDescription: 'Individual',
            AliasType: 'Primary name',
            PhoneNumber: '(1) +98 (21) 88774038 (2) +98 (21) 66334455',
            Entity_BusinessRegNumber: '1234 (45) and (46)',
            Individual_Position: 'Directorate 5 (12) and (14) units',
            Individual_PassportNumber: 'A1',
            Individual_PassportDetails: '(1) Afghan (2) issued in 2001',
            LastUpdated: '2021-03-05T00:00:00',
            GroupID: '7003',
          }),
        ]),
      )
    ).entities;
    expect(body).toMatchObject({
      identifiers: { Passport: 'A1', 'Registration number': '1234 (45) and (46)' },
      properties: {
        designation: ['Directorate 5 (12) and (14) units'],
        identifier_details: ['Passport: A1; (1) Afghan (2) issued in 2001'],
        phones: ['+98 (21) 66334455', '+98 (21) 88774038'],
      },
    });
  });

  test('the latest change is the release, and ships and their owners are read', async () => {
    const { entities, notes, releaseDate } = await read(conListXml(rows));
    expect(releaseDate).toBe('2022-03-05');
    expect(notes).toEqual({ 'unknown-element': 1 });
    expect(entities).toMatchObject([
      {
        ftm_id: 'gb-7001',
        primary_name: 'Tarek VELMOR',
        akas: ['TARIQ', 'طارق'],
        citizenships: ['AF'],
        dates_of_birth: ['1960-08'],
        identifiers: {
          Passport: 'A1',
          'Passport (2)': 'A2',
          'UK reference': 'AFG0006',
          'UN reference': 'TAi.002',
        },
        properties: {
          identifier_details: ['Passport: A1; Afghan', 'Passport: A2; issued in 2001'],
          weak_aliases: ['TARIQ'],
        },
      },
      {
        ftm_id: 'gb-7009',
        schema: 'Vessel',
        countries: ['PA'],
        identifiers: { IMO: '9187629' },
        associations: [{ target_ftm_id: 'gb-7003', type: 'OWNER', label: 'current owner' }],
        properties: { unknown_elements: ['Unheard_Of: x'] },
      },
      { identifiers: { 'Registration number': '123', 'Registration number (2)': '456' } },
    ]);
  });

  test('in another namespace it is foreign', async () => {
    await expect(read(conListXml(rows, 'urn:other'))).rejects.toMatchObject({
      code: 'list-foreign',
    });
  });
});

describe('files that are none', () => {
  test.each([
    ['a page', '<!doctype-less><html/>'.replace('<!doctype-less>', '')],
    ['an OFAC file', '<sdnList xmlns="http://tempuri.org/sdnList.xsd"/>'],
    ['another CSV', 'Name,Id\r\nA,1\r\n'],
    ['JSON', '{"entities": []}\n'],
    ['designations of another namespace', '<Designations xmlns="urn:other"/>'],
  ])('%s is foreign', async (_what, content) => {
    await expect(read(content)).rejects.toMatchObject({ code: 'list-foreign' });
  });

  const rows = [csvRow(SISTER), csvRow(BODY)];
  test.each<[string, string | Uint8Array, RegExp]>([
    ['a first line without a day', csvFile(rows, 'Last Updated,soon'), /line 1: Last Updated/],
    ['no columns', 'Last Updated,27/04/2020\r\n', /no line of column names/],
    [
      'columns missing',
      csvFile(rows).replace('Group ID', 'Id'),
      /line 2: columns missing: groupId/,
    ],
    [
      'a row too short',
      csvFile([...rows, 'A,B']),
      /line 5: expected 29 columns, got 2: it ends in column Name 1/,
    ],
    [
      'a quote that never closes',
      csvFile([...rows, '"A']),
      /line 5: column Name 6: quote not closed/,
    ],
    ['a row without a group', csvFile([csvRow({ 'Name 6': 'A' })]), /line 3: group id/],
    [
      'a group of two kinds',
      csvFile([csvRow(SISTER), csvRow({ ...SISTER, 'Group Type': 'Entity' })]),
      /line 4: target 7002 was of another kind/,
    ],
    [
      'a group without its main name',
      csvFile([csvRow({ ...SISTER, 'Alias Type': 'AKA' })]),
      /target 7002 lacks its main name/,
    ],
    ['a last line that was cut', csvFile(rows).slice(0, -2), /cut within a line/],
    [
      'UTF-8 that turns into something else',
      Buffer.concat([Buffer.from(csvFile([csvRow({ ...SISTER, Title: 'é' })])), Buffer.of(0xe9)]),
      /^line 4: bytes that are not UTF-8/,
    ],
    [
      'a zero byte',
      csvFile(rows).replace('ORVAND', 'OR\0AND'),
      /^line \d: a character that no text holds/,
    ],
  ])('%s is damage, with its place', async (_what, content, place) => {
    const error = await read(content).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'list-damaged', message: expect.stringMatching(place) });
  });

  test('nothing at all is damage', async () => {
    await expect(read('')).rejects.toMatchObject({ code: 'list-damaged' });
  });
});
