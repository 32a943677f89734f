/** Every statement of SDN_ADVANCED about a party ends in a field or a property, or is counted. */
import { describe, expect, test } from 'vitest';
import { readWholeList, type WholeList } from '#slices/ingestion';
import { advancedFile } from '../../../../bench/ofacFiles.ts';
import { ofacReader } from '../../../../src/sources/ofac/reader.ts';
import { chunksOf } from '../../chunks.ts';
import { countries } from '../../countries.ts';

type Change = readonly [before: string, added: string];

/** A file of two parties, a person first, with something added. */
function withMore(...changes: readonly Change[]): Promise<WholeList> {
  let xml = [...advancedFile({ count: 2 })].join('');
  for (const [before, added] of changes) {
    expect(xml).toContain(before);
    xml = xml.replace(before, () => `${added}${before}`);
  }
  return readWholeList(ofacReader(countries), chunksOf(xml), { sourceId: 'OFAC_SDN' });
}

const IN_PARTY = '<SanctionsEntryReference';
const feature = (type: string | number, inner: string): Change => [
  IN_PARTY,
  `<Feature ID="91" FeatureTypeID="${type}"><FeatureVersion ID="91" ReliabilityID="1560">${inner}
   </FeatureVersion></Feature>`,
];
const featureType = (id: number, name: string): Change => [
  '</FeatureTypeValues>',
  `<FeatureType ID="${id}" FeatureTypeGroupID="1">${name}</FeatureType>`,
];
const detail = (text: string) => `<VersionDetail DetailTypeID="1432">${text}</VersionDetail>`;
const day = (name: string, year: number) =>
  `<${name}><Year>${year}</Year><Month>2</Month><Day>3</Day></${name}>`;
const period = (year: number, calendar = 1, isApproximate = false) =>
  `<DatePeriod CalendarTypeID="${calendar}">
   <Start Approximate="${isApproximate}">${day('From', year)}</Start>
   <End Approximate="${isApproximate}">${day('To', year)}</End></DatePeriod>`;
const location = (id: number, inner: string): Change => [
  '</Locations>',
  `<Location ID="${id}">${inner}</Location>`,
];
const unknownPart = (text: string) =>
  `<LocationPart LocPartTypeID="1"><LocationPartValue Primary="true">
   <Value>${text}</Value></LocationPartValue></LocationPart>`;
const UNKNOWN_PART: Change = ['</LocPartTypeValues>', '<LocPartType ID="1">Unknown</LocPartType>'];

describe('a whole SDN_ADVANCED', () => {
  test('without a sanctions entry is damaged', async () => {
    const xml = [...advancedFile({ count: 2 })].join('');
    const read = (text: string) =>
      readWholeList(ofacReader(countries), chunksOf(text), { sourceId: 'OFAC_SDN' });
    const empty = xml.replace(/<SanctionsEntries>[\s\S]*<\/Sanc[a-z]+Entries>/i, (section) => {
      expect(section).toContain('ProfileID="2"');
      return '<SanctionsEntries/>';
    });
    await expect(read(empty)).rejects.toMatchObject({
      code: 'list-damaged',
      message: expect.stringContaining('no sanctions entry of 2 profiles'),
    });
    const one = await read(xml.replace(/<SanctionsEntry ID="2"[\s\S]*?<\/SanctionsEntry>/, ''));
    expect(one.notes).toEqual({ 'no-sanctions-entry': 1 });
  });

  test('counts documents of an identity that nobody has', async () => {
    const document = (id: number, identity: number) =>
      `<IDRegDocument ID="${id}" IDRegDocTypeID="1571" IdentityID="${identity}">
       <IDRegistrationNo>Z${id}</IDRegistrationNo></IDRegDocument>`;
    const { entities, notes } = await withMore([
      '</IDRegDocuments>',
      document(90, 99) + document(91, 99) + document(92, 1),
    ]);
    expect(notes).toEqual({ 'document-unresolved': 2 });
    expect(entities[0]?.identifiers).toEqual({ Passport: 'A1000001', 'Passport (2)': 'Z92' });
  });

  test('keeps a relation to nobody with whoever it names', async () => {
    const relation = (from: number, to: number) =>
      `<ProfileRelationship ID="9" From-ProfileID="${from}" To-ProfileID="${to}"
       RelationTypeID="15003" RelationQualityID="1" Former="false" SanctionsEntryID="1"/>`;
    const { entities, notes } = await withMore([
      '</ProfileRelationships>',
      relation(1, 98) + relation(97, 2) + relation(96, 95),
    ]);
    expect(notes).toEqual({ 'relation-unresolved': 3 });
    expect(entities.map((entity) => entity.properties?.unresolved_relations)).toEqual([
      ['Owned or Controlled By: ofac-98'],
      ['Owned or Controlled By: ofac-97'],
    ]);
  });
});

describe("a party's features", () => {
  test('a nationality in a part of unknown type, or in an area, is a nationality', async () => {
    const { entities, notes } = await withMore(
      UNKNOWN_PART,
      ['</AreaCodeValues>', '<AreaCode ID="7" CountryID="11004" Description="Minsk">BY</AreaCode>'],
      location(90, unknownPart('Iranian')),
      location(91, unknownPart('Nowhere')),
      location(92, '<LocationAreaCode AreaCodeID="7"/>'),
      feature(10, '<VersionLocation LocationID="90"/><VersionLocation LocationID="91"/>'),
      feature(11, '<VersionLocation LocationID="92"/>'),
      feature(25, '<VersionLocation LocationID="90"/>'),
    );
    expect(notes).toEqual({ 'country-unknown': 1 });
    expect(entities[0]).toMatchObject({
      citizenships: ['IR', 'KP', 'BY'],
      countries: ['IR', 'KP'],
      properties: {
        address_details: ['Minsk'],
        citizenship: ['Belarus'],
        nationality: ['Iranian', 'Korea, North', 'Nowhere'],
        unknown_countries: ['Nowhere'],
      },
    });
    expect(entities[0]?.addresses).toContain('Iranian');
  });

  test('what the rule of a type does not take is kept', async () => {
    const { entities } = await withMore(
      featureType(700, 'Organization Established Date'),
      location(90, '<Comment>near the port</Comment><LocationCountry CountryID="11000"/>'),
      feature(10, `${period(1990)}<VersionLocation LocationID="90"/>`),
      feature(8, `${period(1970, 1, true)}${detail('maybe')}`),
      feature(344, `${detail('bc1q')}<VersionLocation LocationID="90"/>`),
      feature(700, period(1980, 1, true) + period(1360, 2)),
    );
    expect(entities[0]?.properties).toMatchObject({
      address_details: ['near the port'],
      dates_of_birth_as_published: ['circa 1970-02-03'],
      established: ['1360-2-3 Hijri', 'circa 1980-02-03'],
      feature_details: [
        'Birthdate: maybe',
        'Digital Currency Address - XBT: Cuba',
        'Nationality Country: 1990-02-03',
      ],
    });
  });

  test('a document says where it was issued', async () => {
    const { entities } = await withMore(location(90, '<LocationCountry CountryID="11000"/>'), [
      '</IDRegDocuments>',
      `<IDRegDocument ID="90" IDRegDocTypeID="1571" IdentityID="1" IssuedIn-LocationID="90">
       <IDRegistrationNo>Z</IDRegistrationNo></IDRegDocument>`,
    ]);
    expect(entities[0]?.properties?.identifier_details).toContain('Passport: Z; issued in Cuba');
  });
});
