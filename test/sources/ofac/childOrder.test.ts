/** What an entity holds does not depend on the order in which its record holds it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readWholeList } from '#slices/ingestion';
import { type CountryTable, createCountryLookup } from '#slices/lists';
import { advancedFile } from '../../../bench/ofacFiles.ts';
import { ofacReader } from '../../../src/sources/ofac/reader.ts';
import { chunksOf } from '../chunks.ts';
import { dataFolder, sharedBytes } from '../sharedData.ts';
import { interleaved, reversed, withChildren } from './childOrder.ts';
import { entry, sdnFile } from './sdnFile.ts';

const tableFile = new URL('../../../config/tables/countries.json', import.meta.url);
const countries = createCountryLookup(JSON.parse(readFileSync(tableFile, 'utf8')) as CountryTable);
const read = async (xml: string, sourceId = 'OFAC_SDN') =>
  (await readWholeList(ofacReader(countries), chunksOf(xml), { sourceId })).entities;

const items = (name: string, texts: readonly string[], field: string, main = -1) =>
  texts.map(
    (text, index) => `<${name}><uid>${index}</uid><${field}>${text}</${field}>
      <mainEntry>${index === main}</mainEntry></${name}>`,
  );
const ids = (type: string, ...numbers: string[]) =>
  numbers.map((one) => `<id><idType>${type}</idType><idNumber>${one}</idNumber></id>`);
const list = (name: string, of: readonly string[]) => `<${name}>${of.join('')}</${name}>`;

const PERSON = entry({
  uid: 7,
  firstName: 'Ána',
  lastName: 'BRINDEL',
  inner: [
    list('programList', ['<program>SDGT</program>', '<program>IRAN</program>']),
    list('idList', [
      ...ids('ISIN', 'US2', 'US1'),
      ...ids('ISIN', 'HK1', 'US2'),
      ...ids('Website', 'z.org', 'a.org'),
    ]),
    list('akaList', [...items('aka', ['ZED', 'ABE', 'MIA'], 'lastName')]),
    list('addressList', [...items('address', ['Syria', 'Iran', 'Cuba'], 'country')]),
    list('nationalityList', items('nationality', ['Syria', 'Iran', 'Cuba'], 'country', 1)),
    list('citizenshipList', items('citizenship', ['Mali', 'Chad', 'Burma'], 'country', 0)),
    list('dateOfBirthList', items('dateOfBirthItem', ['1975', '1960', '1970'], 'dateOfBirth', 2)),
    list('placeOfBirthList', items('placeOfBirthItem', ['C', 'B', 'A'], 'placeOfBirth', 1)),
  ].join(''),
});

describe('the order of children', () => {
  test.each([
    ['reversed', reversed],
    ['interleaved', interleaved],
  ])('sdn.xml %s: the same entity, what is main first', async (_how, change) => {
    const xml = sdnFile({ entries: [PERSON] });
    const other = withChildren(xml, 1, change);
    const [entity] = await read(other);
    expect(entity).toMatchObject({
      addresses: ['Cuba', 'Iran', 'Syria'],
      akas: ['ABE', 'MIA', 'ZED'],
      citizenships: ['IR', 'CU', 'SY', 'ML', 'MM', 'TD'],
      countries: ['CU', 'IR', 'SY'],
      dates_of_birth: ['1970', '1960', '1975'],
      identifiers: { ISIN: 'HK1', 'ISIN (2)': 'US1', 'ISIN (3)': 'US2' },
      places_of_birth: ['B', 'A', 'C'],
      programmes: ['IRAN', 'SDGT'],
      properties: {
        citizenship: ['Mali', 'Burma', 'Chad'],
        nationality: ['Iran', 'Cuba', 'Syria'],
        websites: ['a.org', 'z.org'],
      },
    });
    expect(other).not.toBe(xml);
    expect(await read(xml)).toEqual([entity]);
  });

  test.each([
    ['reversed', reversed],
    ['interleaved', interleaved],
  ])('SDN_ADVANCED %s: the same entities', async (_how, change) => {
    const xml = advancedWithMore();
    const entities = await read(xml);
    expect(entities[0]?.dates_of_birth.length).toBeGreaterThan(1);
    expect(entities[0]?.associations.length).toBeGreaterThan(1);
    expect(await read(withChildren(xml, 2, change))).toEqual(entities);
    // The records of a section in another order: entities come in that order.
    const byId = (await read(withChildren(xml, 1, change))).toSorted((a, b) =>
      Number(a.ftm_id.slice(5)) < Number(b.ftm_id.slice(5)) ? -1 : 1,
    );
    expect(byId).toEqual(entities);
  });

  test.skipIf(!dataFolder)('the consolidated list of 2022 in another order', async () => {
    const xml = (await sharedBytes('lists/ofac/consolidated_2022-03-24.xml.xz')).toString();
    const entities = await read(xml, 'OFAC_CONSOLIDATED');
    expect(entities).toHaveLength(462);
    for (const change of [reversed, interleaved]) {
      expect(await read(withChildren(xml, 1, change), 'OFAC_CONSOLIDATED')).toEqual(entities);
    }
  });
});

/** A generated file whose first party has several of everything. */
function advancedWithMore(): string {
  const day = (name: string, year: number) =>
    `<${name}><Year>${year}</Year><Month>2</Month><Day>3</Day></${name}>`;
  const births = [1975, 1960].map(
    (year) => `<Feature ID="9${year}" FeatureTypeID="8"><FeatureVersion ID="9${year}">
      <DatePeriod CalendarTypeID="1"><Start>${day('From', year)}</Start>
      <End>${day('To', year + 1)}</End></DatePeriod></FeatureVersion></Feature>`,
  );
  const places = ['Z', 'A'].map(
    (place) => `<Feature ID="8" FeatureTypeID="9"><FeatureVersion ID="8">
      <VersionDetail DetailTypeID="1432">${place}</VersionDetail></FeatureVersion>
      <FeatureVersion ID="9"><VersionLocation LocationID="3"/><VersionLocation LocationID="2"/>
      </FeatureVersion></Feature>`,
  );
  const documents = [3, 2].map(
    (type) => `<IDRegDocument ID="9${type}" IDRegDocTypeID="1571" IdentityID="1">
      <IDRegistrationNo>B${type}</IDRegistrationNo></IDRegDocument>`,
  );
  const relations = [3, 2].map(
    (from) => `<ProfileRelationship ID="9${from}" From-ProfileID="${from}" To-ProfileID="1"
      RelationTypeID="15004" RelationQualityID="1" Former="false" SanctionsEntryID="2"/>`,
  );
  const second = (part: string) => `<LocationPart LocPartTypeID="1454">
    <LocationPartValue Primary="${part === 'Old'}" LocPartValueTypeID="1" LocPartValueStatusID="1">
    <Value>${part} town</Value></LocationPartValue></LocationPart>`;
  return [...advancedFile({ count: 6 })]
    .join('')
    .replace('<SanctionsEntryReference', `${births.join('')}${places.join('')}$&`)
    .replace('</IDRegDocuments>', `${documents.join('')}$&`)
    .replace('</ProfileRelationships>', `${relations.join('')}$&`)
    .replace('<LocationPart', `${second('New')}${second('Old')}$&`);
}
