/** OFAC entries in list format v1. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import { readWholeList, type WholeList } from '#slices/ingestion';
import { type CountryTable, createCountryLookup } from '#slices/lists';
import { parseOfacDate } from '../../../src/sources/ofac/dates.ts';
import { ofacReader } from '../../../src/sources/ofac/reader.ts';
import { readRemarks } from '../../../src/sources/ofac/remarks.ts';
import { chunksOf } from '../chunks.ts';
import { entry, sdnFile } from './sdnFile.ts';

const tableFile = new URL('../../../config/tables/countries.json', import.meta.url);
const countries = createCountryLookup(JSON.parse(readFileSync(tableFile, 'utf8')) as CountryTable);

const parse = (...entries: string[]): Promise<WholeList> =>
  readWholeList(ofacReader(countries), chunksOf(sdnFile({ entries })), { sourceId: 'OFAC_SDN' });

async function mapped(parts: Parameters<typeof entry>[0]) {
  const { entities, notes } = await parse(entry(parts));
  return { entity: entities[0], notes };
}

describe('OFAC dates', () => {
  test.each([
    ['05 Jan 1970', '1970-01-05'],
    ['5 Jan 1970', '1970-01-05'],
    ['Jan 1970', '1970-01'],
    ['January 1970', '1970-01'],
    ['1970', '1970'],
    ['circa 1975', '1975'],
    ['circa 01 Jan 1961', '1961-01-01'],
    ['1960 to 1965', '1960/1965'],
    ['circa 1979-1982', '1979/1982'],
    ['circa 1960 to circa 1965', '1960/1965'],
    ['05 Jan 1970 to 07 Feb 1971', '1970-01-05/1971-02-07'],
    ['Jan 1970 to Feb 1970', '1970-01/1970-02'],
    ['1970 to 1970', '1970'],
    ['1960s', '1960/1969'],
    ['29 Feb 2000', '2000-02-29'],
    ['29 Feb 2001', undefined],
    ['31 Apr 1970', undefined],
    ['05 Foo 1970', undefined],
    ['1965 to 1960', undefined],
    ['1960 to 1965 to 1970', undefined],
    ['unknown', undefined],
    ['', undefined],
  ])('%s is %s', (text, expected) => {
    expect(parseOfacDate(text)).toBe(expected);
  });
});

describe('OFAC remarks', () => {
  test.each([
    ['(Linked To: HAMAS)', ['HAMAS']],
    [
      'x; (Linked To: CORPS (IRGC)-QODS FORCE). (Linked To: B, A)',
      ['CORPS (IRGC)-QODS FORCE', 'B, A'],
    ],
    ['Linked To: A LTDA.; Linked To: B (X) CO', ['A LTDA.', 'B (X) CO']],
    ['(Linked To: NEVER CLOSED', ['NEVER CLOSED']],
    ['(Linked To: )', []],
    ['Director of something', []],
  ])('%s names %j', (remarks, expected) => {
    expect(readRemarks(remarks).links.map((link) => link.name)).toEqual(expected);
  });

  test('nicknames and gender are found', () => {
    expect(readRemarks("a.k.a. 'EL NICO'; a.k.a. 'NU'MAN, Abu'; Gender Male.")).toEqual({
      links: [],
      aliases: ['EL NICO', "NU'MAN, Abu"],
      gender: 'Male',
    });
  });

  test('a remark of nothing but openings is read in no time', () => {
    const begun = performance.now();
    readRemarks('(Linked To: '.repeat(5_000));
    readRemarks("a.k.a. '".repeat(8_000));
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

describe('OFAC entities', () => {
  test('a person: names in natural order, main entries first, countries as codes', async () => {
    const { entity, notes } = await mapped({
      uid: 7,
      firstName: 'Ána',
      lastName: 'BRINDEL',
      inner: `<title>Minister</title><programList><program>SDGT</program></programList>
        <akaList><aka><type>a.k.a.</type><category>weak</category><lastName>ANNIE</lastName></aka>
        <aka><type>f.k.a.</type><category>strong</category><lastName>OLD</lastName>
          <firstName>Ána</firstName></aka></akaList>
        <nationalityList><nationality><country>Korea, North</country>
          <mainEntry>false</mainEntry></nationality>
        <nationality><country>Burma</country><mainEntry>true</mainEntry></nationality>
          </nationalityList>
        <citizenshipList><citizenship><country>Burma</country><mainEntry>true</mainEntry>
          </citizenship></citizenshipList>
        <dateOfBirthList><dateOfBirthItem><dateOfBirth>circa 1960</dateOfBirth>
          <mainEntry>false</mainEntry></dateOfBirthItem>
        <dateOfBirthItem><dateOfBirth>05 Jan 1961</dateOfBirth><mainEntry>true</mainEntry>
          </dateOfBirthItem></dateOfBirthList>
        <placeOfBirthList><placeOfBirthItem><placeOfBirth>Yangon</placeOfBirth>
          <mainEntry>true</mainEntry></placeOfBirthItem></placeOfBirthList>
        <idList><id><idType>Passport</idType><idNumber>A1</idNumber><idCountry>Burma</idCountry>
          <issueDate>01 Jan 2000</issueDate></id>
        <id><idType>Passport</idType><idNumber>A2</idNumber></id><id><idType>Gender</idType>
          <idNumber>Female</idNumber></id></idList>`,
    });
    expect(notes).toEqual({});
    expect(entity).toEqual({
      addresses: [],
      akas: ['ANNIE', 'Ána OLD'],
      associations: [],
      categories: ['SAN'],
      citizenships: ['MM', 'KP'],
      countries: [],
      dates_of_birth: ['1961-01-05', '1960'],
      first_seen_at: '2024-07-02',
      flattened_associated_sanctioned: [],
      ftm_id: 'ofac-7',
      identifiers: { Passport: 'A1', 'Passport (2)': 'A2' },
      last_seen_at: '2024-07-02',
      places_of_birth: ['Yangon'],
      primary_name: 'Ána BRINDEL',
      primary_name_folded: 'ana brindel',
      programmes: ['SDGT'],
      properties: {
        citizenship: ['Burma'],
        dates_of_birth_as_published: ['circa 1960'],
        former_names: ['Ána OLD'],
        gender: ['Female'],
        identifier_details: ['Passport: A1; Burma; issued 2000-01-01', 'Passport: A2'],
        nationality: ['Burma', 'Korea, North'],
        title: ['Minister'],
        weak_aliases: ['ANNIE'],
      },
      schema: 'Person',
      source_lists_hits: [{ added_at: '2024-07-02', list: 'OFAC_SDN', version: '2024-07-02' }],
    });
    expect(canonicalJson(entity)).toBe(JSON.stringify(entity));
  });

  test('a vessel: flag, IMO number and owner', async () => {
    const owner = entry({ uid: 1, lastName: 'OWNER CO.' });
    const vessel = entry({
      uid: 2,
      lastName: 'STAR',
      sdnType: 'Vessel',
      inner: `<vesselInfo><vesselFlag>Iran</vesselFlag><vesselOwner>OWNER CO</vesselOwner>
          <callSign>X1</callSign></vesselInfo>
        <idList><id><idType>Vessel Registration Identification</idType>
          <idNumber>IMO 9187629</idNumber></id></idList>`,
    });
    const { entities } = await parse(owner, vessel);
    expect(entities[1]).toMatchObject({
      schema: 'Vessel',
      countries: ['IR'],
      identifiers: { IMO: '9187629' },
      associations: [
        { target_ftm_id: 'ofac-1', type: 'OWNER', label: 'Vessel Owner', strength: 1 },
      ],
      properties: { call_sign: ['X1'], vessel_flag: ['Iran'] },
    });
  });

  test('relations: resolved once each, also to an entry that comes later', async () => {
    const remarks =
      '<remarks>(Linked To: B LTD.) (Linked To: DOE, Jane) (Linked To: B LTD.)</remarks>';
    const { entities, notes } = await parse(
      entry({ uid: 1, lastName: 'A', inner: remarks }),
      entry({ uid: 2, lastName: 'B LTD.' }),
      entry({ uid: 3, lastName: 'DOE', firstName: 'Jane' }),
    );
    expect(notes).toEqual({});
    const linked = entities.find((entity) => entity.ftm_id === 'ofac-1');
    expect(linked?.associations.map((link) => link.target_ftm_id)).toEqual(['ofac-2', 'ofac-3']);
  });

  test('what names nobody or several is kept and counted', async () => {
    const inner = `<remarks>(Linked To: NOBODY) (Linked To: TWIN)</remarks>
      <nationalityList><nationality><country>Yugoslavia</country></nationality></nationalityList>
      <dateOfBirthList><dateOfBirthItem><dateOfBirth>long ago</dateOfBirth></dateOfBirthItem>
          </dateOfBirthList>
      <colour>red</colour>`;
    const { entities, notes } = await parse(
      entry({ uid: 1, lastName: 'A', sdnType: 'Ghost', inner }),
      entry({ uid: 2, lastName: 'TWIN' }),
      entry({ uid: 3, lastName: 'TWIN' }),
    );
    expect(notes).toEqual({
      'country-unknown': 1,
      'date-unreadable': 1,
      'relation-ambiguous': 1,
      'relation-unresolved': 1,
      'unknown-element': 1,
      'unknown-sdn-type': 1,
    });
    expect(entities.find((entity) => entity.ftm_id === 'ofac-1')).toMatchObject({
      schema: 'LegalEntity',
      associations: [],
      citizenships: [],
      dates_of_birth: [],
      properties: {
        unknown_countries: ['Yugoslavia'],
        unknown_elements: ['colour: red'],
        unreadable_dates_of_birth: ['long ago'],
        unresolved_relations: ['Linked To: NOBODY', 'Linked To: TWIN'],
      },
    });
  });

  test('an id without a number identifies nobody: it is kept and counted', async () => {
    const { entity, notes } = await mapped({
      uid: 1,
      lastName: 'A',
      inner: `<idList><id><idType>National ID No.</idType><idCountry>Iran</idCountry></id>
        <id><idType>Gender</idType></id><id><idType>Nationality of Registration</idType>
          <idCountry>Cuba</idCountry></id></idList>`,
    });
    expect(notes).toEqual({ 'identifier-without-number': 1 });
    expect(entity).toMatchObject({ countries: ['CU'], identifiers: {} });
    expect(entity?.properties).toEqual({
      identifier_details: ['Gender', 'National ID No.; Iran'],
      nationality_of_registration: ['Cuba'],
    });
  });

  test('what a ship or aircraft shares with others is no identifier of it', async () => {
    const facts = {
      'Aircraft Manufacture Date': ['01 Jun 1991', '1991-06-01'],
      'Aircraft Model': ['A340-642', 'A340-642'],
      'Former Vessel Flag': ['Malta', 'Malta'],
      'Organization Established Date': ['circa 1975', 'circa 1975'],
      'Other Vessel Type': ['Bulk Cargo', 'Bulk Cargo'],
      'PEESA Information:': ['PEESA', 'PEESA Information: PEESA'],
      'Vessel Year of Build': ['1999', '1999'],
    };
    const ids = Object.entries({ ...facts, MMSI: ['572469210'] }).map(
      ([type, [number]]) => `<id><idType>${type}</idType><idNumber>${number}</idNumber></id>`,
    );
    const phone = `<id><idType>Phone Number</idType><idNumber>22</idNumber>
      <idCountry>Iran</idCountry></id>`;
    const inner = `<idList>${ids.join('')}${phone}</idList>`;
    const { entity } = await mapped({ uid: 1, lastName: 'A', inner });
    expect(entity).toMatchObject({ countries: ['MT'], identifiers: { MMSI: '572469210' } });
    expect(entity?.properties).toEqual({
      aircraft_manufacture_date: ['1991-06-01'],
      aircraft_model: ['A340-642'],
      established: ['circa 1975'],
      former_vessel_flag: ['Malta'],
      identifier_details: ['MMSI: 572469210', 'Phone Number: 22; Iran'],
      other_vessel_type: ['Bulk Cargo'],
      phones: ['22'],
      sanction_details: ['PEESA Information: PEESA'],
      vessel_year_of_build: ['1999'],
    });
  });

  test('kinds and qualities of aliases that the layout does not know are kept', async () => {
    const inner = `<akaList><aka><type>d.b.a.</type><category>medium</category>
      <lastName>SHOP</lastName></aka></akaList>`;
    const { entity } = await mapped({ uid: 1, lastName: 'A', inner });
    expect(entity?.akas).toEqual(['SHOP']);
    expect(entity?.properties).toEqual({
      alias_details: ['SHOP: medium'],
      alias_types: ['SHOP: d.b.a.'],
    });
  });

  test('names are stored as given, whatever they are made of', async () => {
    const name = `\u202eABC\u200d${'e'}${'\u0301'.repeat(10_000)} Аlfa`;
    const { entity } = await mapped({ uid: 1, lastName: name });
    expect(entity?.primary_name).toBe(name);
    expect(entity?.primary_name_folded).toBe('abc e аlfa');
  });
});
