/** The Security Council's layout, in list format v1, and every way in which a file is not one. */
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import { readWholeList } from '#slices/ingestion';
import { unReader } from '../../../src/sources/un/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';
import { entity, individual, unFile } from './unFile.ts';

const read = (xml: string | Uint8Array) =>
  readWholeList(unReader(countries), chunksOf(xml), { sourceId: 'UN_SC' });
const one = async (inner: string) => {
  const list = await read(unFile({ individuals: [individual({ reference: 'QDi.001', inner })] }));
  return { entity: list.entities[0], notes: list.notes };
};

const FULL = `<SECOND_NAME>TAREK</SECOND_NAME><THIRD_NAME>na</THIRD_NAME>
  <FOURTH_NAME>AL-X</FOURTH_NAME><UN_LIST_TYPE>Al-Qaida</UN_LIST_TYPE>
  <LISTED_ON>2001-01-25</LISTED_ON><GENDER>Male</GENDER>
  <NAME_ORIGINAL_SCRIPT>طارق فلموراني</NAME_ORIGINAL_SCRIPT>
  <COMMENTS1>Brother of Somebody (QDi.002).
    Associated with Orvand Group (QDe.001).</COMMENTS1>
  <TITLE><VALUE>Haji</VALUE></TITLE><DESIGNATION><VALUE>Clerk</VALUE></DESIGNATION>
  <NATIONALITY><VALUE>Iran (Islamic Republic of)</VALUE></NATIONALITY>
  <LIST_TYPE><VALUE>UN List</VALUE></LIST_TYPE>
  <LAST_DAY_UPDATED><VALUE>2010-07-21</VALUE><VALUE/></LAST_DAY_UPDATED>
  <INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Abu X; Abu Y</ALIAS_NAME>
  </INDIVIDUAL_ALIAS>
  <INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME>The Clerk</ALIAS_NAME>
    <DATE_OF_BIRTH>1961-01-01</DATE_OF_BIRTH><COUNTRY_OF_BIRTH>Iraq</COUNTRY_OF_BIRTH>
    <NOTE>original script: Клерк</NOTE></INDIVIDUAL_ALIAS>
  <INDIVIDUAL_ALIAS><QUALITY/><ALIAS_NAME/></INDIVIDUAL_ALIAS>
  <INDIVIDUAL_ADDRESS><STREET>1 Road</STREET><CITY>Kabul</CITY><COUNTRY>Afghanistan</COUNTRY>
    <NOTE>previous</NOTE></INDIVIDUAL_ADDRESS><INDIVIDUAL_ADDRESS><COUNTRY/></INDIVIDUAL_ADDRESS>
  <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><FROM_YEAR>1958</FROM_YEAR>
    <TO_YEAR>1963</TO_YEAR></INDIVIDUAL_DATE_OF_BIRTH>
  <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1960-02-03</DATE>
  </INDIVIDUAL_DATE_OF_BIRTH>
  <INDIVIDUAL_PLACE_OF_BIRTH><CITY>Tehran</CITY><COUNTRY>Iran</COUNTRY>
  </INDIVIDUAL_PLACE_OF_BIRTH>
  <INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT><NUMBER>A1</NUMBER>
    <ISSUING_COUNTRY>Iran</ISSUING_COUNTRY><DATE_OF_ISSUE>2000-01-01</DATE_OF_ISSUE>
  </INDIVIDUAL_DOCUMENT><INDIVIDUAL_DOCUMENT/><COLOUR>red</COLOUR>`;

describe('UN entities', () => {
  test('a person with everything that the layout holds', async () => {
    const { entity: person, notes } = await one(FULL);
    expect(notes).toEqual({ 'relation-unresolved': 1, 'unknown-element': 1 });
    expect(person).toEqual({
      addresses: ['1 Road, Kabul, Afghanistan, (previous)'],
      akas: ['Abu X', 'Abu Y', 'The Clerk', 'Клерк', 'طارق فلموراني'],
      associations: [
        {
          label: 'associated with',
          strength: 0.5,
          target_ftm_id: 'un-QDe.001',
          type: 'BUSINESS',
        },
      ],
      categories: ['SAN'],
      citizenships: ['IR'],
      countries: ['AF'],
      dates_of_birth: ['1958/1963', '1960-02-03', '1961-01-01'],
      first_seen_at: '2025-04-19',
      flattened_associated_sanctioned: [],
      ftm_id: 'un-QDi.001',
      identifiers: { Passport: 'A1', 'UN reference': 'QDi.001' },
      last_seen_at: '2025-04-19',
      places_of_birth: ['Iraq', 'Tehran, Iran'],
      primary_name: 'VELMOR TAREK AL-X',
      primary_name_folded: 'velmor tarek al x',
      programmes: ['Al-Qaida'],
      properties: {
        alias_details: ['The Clerk; born 1961-01-01; Iraq; original script: Клерк'],
        aliases_as_published: ['Abu X; Abu Y', 'The Clerk'],
        data_id: ['1'],
        dates_of_birth_as_published: ['BETWEEN 1958 1963'],
        designation: ['Clerk'],
        gender: ['male'],
        identifier_details: ['Passport: A1; Iran; issued 2000-01-01'],
        listed_on: ['2001-01-25'],
        name_original_script: ['طارق فلموراني'],
        nationality: ['Iran (Islamic Republic of)'],
        remarks: ['Brother of Somebody (QDi.002). Associated with Orvand Group (QDe.001).'],
        title: ['Haji'],
        unknown_elements: ['COLOUR: red'],
        unresolved_relations: ['brother of: QDi.002'],
        updated_on: ['2010-07-21'],
        weak_aliases: ['The Clerk', 'Клерк'],
      },
      schema: 'Person',
      source_lists_hits: [{ added_at: '2025-04-19', list: 'UN_SC', version: '2025-04-19' }],
    });
    expect(canonicalJson(person)).toBe(JSON.stringify(person));
  });

  test.each([
    ['SSN', 'A1', 'Social security number'],
    ['Passport / Tax', 'A1', 'Passport'],
    ['Pasaporte', 'Pasaporte no. AB123456', 'Passport'],
    ['Jordanian national number', 'A1', 'National ID'],
    ['Ration card', 'A1', 'Document'],
  ])('a %s with the number %s is a %s', async (type, number, kind) => {
    const { entity: person } = await one(
      `<INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>${type}</TYPE_OF_DOCUMENT>
        <NUMBER>${number}</NUMBER></INDIVIDUAL_DOCUMENT>`,
    );
    expect(person?.identifiers).toHaveProperty(kind, number.split(' ').at(-1));
  });

  test.each([
    ['<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><YEAR>1964</YEAR>', ['1964']],
    ['<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><YEAR>1964</YEAR><NOTE>Sep.</NOTE>', ['1964-09']],
    ['<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><NOTE>Nov. 1973</NOTE>', ['1973-11']],
    ['<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><NOTE>Between Aug. and Sep. 1977</NOTE>', ['1977']],
    ['<TYPE_OF_DATE>APPROXIMATELY</TYPE_OF_DATE><NOTE>30-35 years old</NOTE>', []],
    ['<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><NOTE>24/06/1402 (Hijri Calendar)</NOTE>', []],
    ['<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1964-13-01</DATE>', []],
    ['<TYPE_OF_DATE/>', []],
  ])('a birth of %s is %j', async (inner, dates) => {
    const { entity: person } = await one(
      `<INDIVIDUAL_DATE_OF_BIRTH>${inner}</INDIVIDUAL_DATE_OF_BIRTH>`,
    );
    expect(person?.dates_of_birth).toEqual(dates);
  });

  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['<TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><TO_YEAR>1963</TO_YEAR>', [], [], ['BETWEEN to 1963']],
    [
      '<TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><FROM_YEAR>1958</FROM_YEAR>',
      [],
      [],
      ['BETWEEN from 1958'],
    ],
    [
      '<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1960-02-03</DATE><YEAR>1961</YEAR>',
      ['1960-02-03', '1961'],
      [],
      [],
    ],
    [
      '<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1960-02-03</DATE><YEAR>1960</YEAR>',
      ['1960-02-03'],
      [],
      [],
    ],
    [
      '<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>early</DATE><YEAR>1960</YEAR>',
      ['1960'],
      [],
      ['early'],
    ],
    ['<TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1976-00-07</DATE>', ['1976'], ['1976-00-07'], []],
  ])('the birth %s is told whole', async (birth, dates, asPublished, unreadable) => {
    const { entity: person } = await one(
      `<INDIVIDUAL_DATE_OF_BIRTH>${birth}</INDIVIDUAL_DATE_OF_BIRTH>`,
    );
    expect(person?.dates_of_birth).toEqual(dates);
    const { properties = {} } = person ?? {};
    expect(properties.dates_of_birth_as_published ?? []).toEqual(asPublished);
    expect(properties.unreadable_dates_of_birth ?? []).toEqual(unreadable);
  });

  test('an alias’s date of birth is read in words, too', async () => {
    const { entity: person } = await one(
      `<INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Abu X</ALIAS_NAME>
      <DATE_OF_BIRTH>5 Jan. 1970</DATE_OF_BIRTH></INDIVIDUAL_ALIAS>`,
    );
    expect(person?.dates_of_birth).toEqual(['1970-01-05']);
  });

  test('a body is an organisation and its former names are told apart', async () => {
    const inner = `<ENTITY_ALIAS><QUALITY>f.k.a.</QUALITY><ALIAS_NAME>OLD</ALIAS_NAME>
      </ENTITY_ALIAS><ENTITY_ADDRESS><COUNTRY>Branch 1: Iran</COUNTRY></ENTITY_ADDRESS>`;
    const list = await read(unFile({ entities: [entity({ reference: 'KPe.001', inner })] }));
    expect(list.notes).toEqual({ 'country-unknown': 1 });
    expect(list.entities[1]).toMatchObject({
      schema: 'Organization',
      akas: ['OLD'],
      countries: [],
      properties: { former_names: ['OLD'], unknown_countries: ['Branch 1: Iran'] },
    });
  });
});

test('without a reference a record goes by its DATAID, without a name by an alias', async () => {
  const inner = `<ENTITY_ALIAS><QUALITY>a.k.a.</QUALITY><ALIAS_NAME>ONLY</ALIAS_NAME>
    </ENTITY_ALIAS>`;
  const list = await read(unFile({ entities: [entity({ inner, name: '', reference: '' })] }));
  expect(list.entities[1]).toMatchObject({
    ftm_id: 'un-2',
    identifiers: {},
    primary_name: 'ONLY',
  });
});

describe('UN files', () => {
  test.each([
    ['another root', '<html><body/></html>'],
    ['the root in a namespace', '<CONSOLIDATED_LIST xmlns="urn:x" dateGenerated="2025-04-19"/>'],
    ['the EU list', '<export xmlns="http://eu.europa.ec/fpi/fsd/export"/>'],
  ])('%s is foreign', async (_what, xml) => {
    await expect(read(xml)).rejects.toMatchObject({ code: 'list-foreign' });
  });

  const same = individual({ reference: 'QDi.001' });
  test.each<[string, string, RegExp]>([
    ['a date that is none', unFile({ generated: 'today' }), /dateGenerated/],
    ['no individuals', unFile({ individuals: [] }), /INDIVIDUALS: expected at least one/],
    ['no entities', unFile({ entities: [] }), /ENTITIES: expected at least one/],
    ['a repeated reference', unFile({ individuals: [same, same] }), /INDIVIDUAL 2: .* before/],
    [
      'a reference of another form',
      unFile({ individuals: [individual({ reference: '# 17' })] }),
      /INDIVIDUAL 1: REFERENCE_NUMBER/,
    ],
    [
      'a person without a name',
      unFile({ individuals: [individual({ reference: 'QDi.009', name: ' ' })] }),
      /QDi.009 has no name/,
    ],
    [
      'an entity among the individuals',
      unFile({ individuals: [entity({ reference: 'QDe.005' })] }),
      /unexpected ENTITY in INDIVIDUALS/,
    ],
  ])('%s is damage, with its place', async (_what, xml, place) => {
    const error = await read(xml).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'list-damaged', message: expect.stringMatching(place) });
  });

  test('no cut of a file passes', async () => {
    const bytes = Buffer.from(unFile({}));
    for (let length = 0; length < bytes.length; length += 13) {
      const error = await read(bytes.subarray(0, length)).catch((reason: unknown) => reason);
      expect(error, `cut after ${length}`).toMatchObject({ code: 'list-damaged' });
    }
  });
});
