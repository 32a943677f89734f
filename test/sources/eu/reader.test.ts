/** The Commission's layout, in list format v1, and every way in which a file is not one. */
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import { readWholeList } from '#slices/ingestion';
import { euReader } from '../../../src/sources/eu/reader.ts';
import { chunksOf } from '../chunks.ts';
import { countries } from '../countries.ts';

const NAMESPACE = 'http://eu.europa.ec/fpi/fsd/export';
const file = (entities: readonly string[], namespace = NAMESPACE, generated = '2022-03-18') =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<export xmlns="${namespace}" generationDate="${generated}T14:52:26.947+01:00" globalFileId="1">
${entities.join('\n')}</export>`;
const subject = (id: string, inner: string, attributes = '') =>
  `<sanctionEntity designationDetails="" unitedNationId="" euReferenceNumber="EU.${id}.1"
    logicalId="${id}" ${attributes}><subjectType code="person" classificationCode="P"/>
    ${inner}</sanctionEntity>`;
const alias = (name: string, logicalId: string, attributes = '') =>
  `<nameAlias firstName="" middleName="" lastName="" wholeName="${name}" function=""
    nameLanguage="" strong="true" regulationLanguage="en" logicalId="${logicalId}" ${attributes}>
    <regulationSummary regulationType="amendment" publicationDate="2020-05-29"/></nameAlias>`;
const read = (xml: string | Uint8Array) =>
  readWholeList(euReader(countries), chunksOf(xml), { sourceId: 'EU_CFSP' });

const FULL = `<remark>Son of Nobody Known. Other information.</remark>
  <regulation regulationType="amendment" organisationType="council" publicationDate="2017-03-09"
    entryIntoForceDate="2017-03-10" numberTitle="2017/404 (OJ L63)" programme="AFG"
    logicalId="1"><publicationUrl>http://eur-lex.europa.eu/x?a=1&amp;b=2</publicationUrl>
  </regulation>
  <nameAlias firstName="Nabor" middleName="" lastName="Velmor" wholeName="Nabor Velmor"
    function="Clerk" gender="M" title="Maulavi" nameLanguage="" strong="true" logicalId="20"/>
  ${alias('Nabór Velmór', '3').replace('nameLanguage=""', 'nameLanguage="FR"')}
  ${alias('نابور', '2')}
  ${alias('Nabby', '1').replace('strong="true"', 'strong="false"')}
  <citizenship region="" countryIso2Code="AF" countryDescription="AFGHANISTAN" logicalId="1"/>
  <citizenship region="" countryIso2Code="00" countryDescription="UNKNOWN" logicalId="2"/>
  <birthdate circa="true" calendarType="GREGORIAN" city="Kabul" zipCode="" year="1958" region=""
    place="" countryIso2Code="AF" countryDescription="AFGHANISTAN" logicalId="1">
    <remark>approximately</remark></birthdate>
  <birthdate circa="false" calendarType="GREGORIAN" city="" yearRangeFrom="1958"
    yearRangeTo="1963" countryIso2Code="00" countryDescription="UNKNOWN" logicalId="2"/>
  <birthdate circa="false" calendarType="GREGORIAN" city="" birthdate="1961-02-03"
    dayOfMonth="3" monthOfYear="2" year="1961" countryIso2Code="00" logicalId="3"/>
  <birthdate circa="false" calendarType="ISLAMIC" city="" year="1380" countryIso2Code="00"
    logicalId="4"/>
  <identification diplomatic="true" knownExpired="false" knownFalse="true" number="D1"
    issuedBy="Bombay" issueDate="2000-07-17" identificationTypeCode="passport"
    identificationTypeDescription="National passport" countryIso2Code="AF"
    countryDescription="AFGHANISTAN" logicalId="1"><remark>(passport)</remark></identification>
  <address city="Kabul" street="1 Road" poBox="12" zipCode="" region="" place=""
    asAtListingTime="true" countryIso2Code="AF" countryDescription="AFGHANISTAN" logicalId="1">
    <remark>former</remark><contactInfo key="PHONE" value="+93 1"/></address>
  <colour hue="red"/>`;

describe('EU entities', () => {
  test('a person with everything that the layout holds', async () => {
    const attributes = 'designationDate="2001-01-31"';
    const text = file([
      subject('516', FULL, attributes).replace('unitedNationId=""', 'unitedNationId="TAi.072"'),
    ]);
    const { entities, notes } = await read(text);
    expect(notes).toEqual({
      'date-unreadable': 1,
      'relation-unresolved': 1,
      'unknown-element': 1,
    });
    expect(entities).toEqual([
      {
        addresses: ['1 Road, PO Box 12, Kabul, AFGHANISTAN'],
        akas: ['Nabby', 'Nabór Velmór', 'نابور'],
        associations: [],
        categories: ['SAN'],
        citizenships: ['AF'],
        countries: ['AF'],
        dates_of_birth: ['1958', '1958/1963', '1961-02-03'],
        first_seen_at: '2022-03-18',
        flattened_associated_sanctioned: [],
        ftm_id: 'eu-516',
        identifiers: { 'EU reference': 'EU.516.1', Passport: 'D1', 'UN reference': 'TAi.072' },
        last_seen_at: '2022-03-18',
        places_of_birth: ['Kabul, AFGHANISTAN'],
        primary_name: 'Nabor Velmor',
        primary_name_folded: 'nabor velmor',
        programmes: ['AFG'],
        properties: {
          address_remarks: ['former'],
          dates_of_birth_as_published: ['circa 1958 approximately'],
          designation: ['Clerk'],
          gender: ['male'],
          identifier_details: [
            'Passport: D1; AFGHANISTAN; Bombay; issued 2000-07-17; diplomatic; ' +
              'known to be false; (passport)',
          ],
          legal_basis: [
            '2017/404 (OJ L63); amendment; council; 2017-03-09; in force 2017-03-10; ' +
              'http://eur-lex.europa.eu/x?a=1&b=2',
          ],
          listed_on: ['2001-01-31'],
          nationality: ['AFGHANISTAN'],
          phones: ['+93 1'],
          remarks: ['Son of Nobody Known. Other information.'],
          title: ['Maulavi'],
          unknown_elements: ['colour@hue: red'],
          unreadable_dates_of_birth: ['1380 ISLAMIC'],
          unresolved_relations: ['son of: Nobody Known'],
          weak_aliases: ['Nabby'],
        },
        schema: 'Person',
        source_lists_hits: [{ added_at: '2022-03-18', list: 'EU_CFSP', version: '2022-03-18' }],
      },
    ]);
    expect(canonicalJson(entities[0])).toBe(JSON.stringify(entities[0]));
  });

  test('one subject under two regimes is one entity, in whichever order', async () => {
    const first = subject('516', `${alias('Nabor A', '5')}<regulation programme="AFG"/>`);
    const second = subject('516', `${alias('Nabor B', '4')}<regulation programme="TAQA"/>`);
    const { entities } = await read(file([first, second]));
    expect(entities).toHaveLength(1);
    expect(entities[0]).toMatchObject({
      primary_name: 'Nabor B',
      akas: ['Nabor A'],
      identifiers: { 'EU reference': 'EU.516.1' },
      programmes: ['AFG', 'TAQA'],
    });
    expect((await read(file([second, first]))).entities).toEqual(entities);
  });

  test('a UN reference may stand in any of a subject’s records', async () => {
    const records = [
      subject('5', alias('A B', '1')),
      subject('5', alias('A C', '2')).replace('unitedNationId=""', 'unitedNationId="QDi.999"'),
    ];
    for (const entities of [records, records.toReversed()]) {
      const [entity] = (await read(file(entities))).entities;
      expect(entity?.identifiers['UN reference']).toBe('QDi.999');
    }
  });

  test('remarks of a birth or a paper in another order are the same', async () => {
    const inner = (remarks: string) =>
      `${alias('A', '1')}<birthdate year="1960" circa="true" calendarType="GREGORIAN">${remarks}
      </birthdate><identification number="A1" identificationTypeCode="passport">${remarks}
      </identification>`;
    const entityOf = async (remarks: string) =>
      (await read(file([subject('5', inner(remarks))]))).entities[0];
    const entity = await entityOf('<remark>b</remark><remark>a</remark>');
    expect(entity?.properties?.identifier_details).toEqual(['Passport: A1; a; b']);
    expect(await entityOf('<remark>a</remark><remark>b</remark>')).toEqual(entity);
  });

  test('a day without its month leaves the year; one end of a range is no date', async () => {
    const births = `<birthdate calendarType="GREGORIAN" dayOfMonth="7" monthOfYear="0" year="1976"/>
      <birthdate calendarType="GREGORIAN" yearRangeTo="1963"/>`;
    const [entity] = (await read(file([subject('5', alias('A', '1') + births)]))).entities;
    expect(entity).toMatchObject({
      dates_of_birth: ['1976'],
      properties: {
        dates_of_birth_as_published: ['7/mm/1976'],
        unreadable_dates_of_birth: ['-1963'],
      },
    });
  });

  test.each([
    ['IMO 9187629', '9187629'],
    ['9187629', '9187629'],
    ['unknown', 'unknown'],
  ])('the IMO number %s is %s', async (number, imo) => {
    const paper = `<identification number="${number}" identificationTypeCode="imo"/>`;
    const [entity] = (await read(file([subject('5', alias('A', '1') + paper)]))).entities;
    expect(entity?.identifiers.IMO).toBe(imo);
  });

  test('a kind that is not known yet is kept and counted', async () => {
    const ship = subject('9', alias('A', '1')).replace('code="person"', 'code="ship"');
    const { entities, notes } = await read(file([ship]));
    expect(notes).toEqual({ 'unknown-subject-type': 1 });
    expect(entities[0]).toMatchObject({
      properties: { subject_type: ['ship'] },
      schema: 'LegalEntity',
    });
  });

  test('a relation leads to whom it names, and to nobody where two have the name', async () => {
    const son = `<remark>Son of NABOR VELMOR. Brother of Twin.</remark>${alias('Son', '1')}`;
    const { entities, notes } = await read(
      file([
        subject('1', son),
        subject('2', alias('Nabor Velmor', '2')),
        subject('3', alias('Twin', '3')),
        subject('4', alias('Twin', '4')),
      ]),
    );
    expect(notes).toEqual({ 'relation-ambiguous': 1 });
    expect(entities[0]?.associations).toEqual([
      { label: 'son of', strength: 0.5, target_ftm_id: 'eu-2', type: 'FAMILY' },
    ]);
  });
});

describe('EU files', () => {
  const one = subject('516', alias('A', '1'));
  test.each([
    ['another root', '<html/>'],
    ['another namespace', file([one], 'urn:other')],
    ['the UN list', '<CONSOLIDATED_LIST dateGenerated="2025-04-19"/>'],
  ])('%s is foreign', async (_what, xml) => {
    await expect(read(xml)).rejects.toMatchObject({ code: 'list-foreign' });
  });

  test.each<[string, string, RegExp]>([
    ['a date that is none', file([one], NAMESPACE, 'today'), /generationDate/],
    ['another element', file([one, '<other/>']), /sanctionEntity 2: unexpected other/],
    [
      'no logical id',
      file([one.replace('logicalId="516"', 'logicalId=""')]),
      /sanctionEntity 1: logicalId/,
    ],
    ['no name', file([subject('7', '')]), /logicalId 7 has no name/],
    ['no kind', file([one.replace(/<subjectType[^>]*>/, '')]), /516 has no subjectType/],
    [
      'one id of two subjects',
      file([one, one.replace('EU.516.1', 'EU.517.1')]),
      /sanctionEntity 2: logicalId 516 came before/,
    ],
  ])('%s is damage, with its place', async (_what, xml, place) => {
    const error = await read(xml).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'list-damaged', message: expect.stringMatching(place) });
  });

  test('no cut of a file passes', async () => {
    const bytes = Buffer.from(file([one]));
    for (let length = 0; length < bytes.length; length += 11) {
      const error = await read(bytes.subarray(0, length)).catch((reason: unknown) => reason);
      expect(error, `cut after ${length}`).toMatchObject({ code: 'list-damaged' });
    }
  });
});
