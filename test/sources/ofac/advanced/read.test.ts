/**
 * SDN_ADVANCED in list format v1. The generated file is valid against OFAC's schema (checked with a
 * schema validator when bench/ofacFiles.ts was written; it is a function of its seed).
 */
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import { readWholeList, type WholeList } from '#slices/ingestion';
import { advancedFile } from '../../../../bench/ofacFiles.ts';
import { ofacReader } from '../../../../src/sources/ofac/reader.ts';
import { chunksOf } from '../../chunks.ts';
import { countries } from '../../countries.ts';

const read = (xml: string | Uint8Array, chunkBytes?: number): Promise<WholeList> =>
  readWholeList(ofacReader(countries), chunksOf(xml, chunkBytes), { sourceId: 'OFAC_SDN' });
const generated = (count: number) => [...advancedFile({ count })].join('');

/** The first party of a generated file, with other content. */
function changed(from: string | RegExp, to: string, count = 2): Promise<WholeList> {
  const xml = generated(count);
  const other = xml.replace(from, to);
  expect(other).not.toBe(xml);
  return read(other);
}

const feature = (type: number, inner: string) =>
  `<Feature ID="91" FeatureTypeID="${type}"><FeatureVersion ID="91" ReliabilityID="1560">${inner}
   </FeatureVersion><IdentityReference IdentityID="1" IdentityFeatureLinkTypeID="1"/></Feature>`;
const day = (name: string, date: string) => {
  const [year, month, dayOfMonth] = date.split('-').map(Number);
  return `<${name}><Year>${year}</Year><Month>${month}</Month><Day>${dayOfMonth}</Day></${name}>`;
};
const period = (from: string, to: string, calendar = 1) =>
  `<DatePeriod CalendarTypeID="${calendar}"><Start Approximate="false">${day('From', from)}</Start>
   <End Approximate="false">${day('To', to)}</End></DatePeriod>`;

describe('OFAC SDN_ADVANCED', () => {
  test('a generated file is read whole, however it is cut', async () => {
    const xml = generated(300);
    const list = await read(xml);
    expect(list.entities).toHaveLength(300);
    expect(list.releaseDate).toBe('2026-01-15');
    expect(list.notes).toEqual({});
    expect(new Set(list.entities.map((entity) => entity.schema))).toEqual(
      new Set(['Person', 'Company', 'Vessel']),
    );
    expect(await read(xml, 1_009)).toEqual(list);
    for (const entity of list.entities) {
      expect(entity.akas.length).toBeGreaterThan(0);
      expect(entity.addresses).toHaveLength(1);
      expect(entity.countries).toHaveLength(1);
      expect(entity.programmes).toHaveLength(1);
      expect(Object.keys(entity.identifiers).length).toBeGreaterThan(0);
      // The keys are in canonical order already.
      expect(JSON.stringify(entity)).toBe(canonicalJson(entity));
    }
  });

  test("a party's facts stand in their fields", async () => {
    const [entity] = (await read(generated(2))).entities;
    expect(entity).toMatchObject({
      ftm_id: 'ofac-1',
      schema: 'Person',
      primary_name: 'Galina ALVOREN BASTURI',
      akas: ['Eva ALVOREN BASTURI', 'حسن'],
      addresses: ['321 Street No. 16 & Co, Pyongyang, Korea, North'],
      citizenships: ['KP'],
      dates_of_birth: ['1948-11-04'],
      places_of_birth: ['Pyongyang, Venezuela'],
      identifiers: { Passport: 'A1000001' },
      programmes: ['SDGT'],
      properties: {
        gender: ['Female'],
        identifier_details: ['Passport: A1000001; Cuba; issued 2013-08-22'],
        legal_bases: ['Executive Order 13224'],
        listed_on: ['2004-02-19'],
        lists: ['SDN List'],
        measures: ['Block'],
        nationality: ['Korea, North'],
        original_script_names: ['حسن'],
      },
    });
  });

  test.each([
    [period('1970-1-5', '1970-1-5'), '1970-01-05'],
    [period('1970-1-1', '1970-1-31'), '1970-01'],
    [period('1970-1-1', '1970-12-31'), '1970'],
    [period('1960-1-1', '1965-12-31'), '1960/1965'],
    [period('1960-3-1', '1961-4-2'), '1960-03-01/1961-04-02'],
  ])('a date of birth %#', async (inner, expected) => {
    const { entities } = await changed(
      '<SanctionsEntryReference',
      `${feature(8, inner)}<SanctionsEntryReference`,
    );
    expect(entities[0]?.dates_of_birth).toContain(expected);
  });

  test.each([
    ['another calendar', period('1380-2-30', '1380-2-30', 2), '1380-2-30 Hijri'],
    ['no such day', period('1970-2-31', '1970-2-31'), '1970-2-31 Gregorian'],
    ['an end before the start', period('1970-2-2', '1969-2-2'), '1970-2-2/1969-2-2 Gregorian'],
  ])('a date of birth with %s is kept and counted', async (_what, inner, kept) => {
    const { entities, notes } = await changed(
      '<SanctionsEntryReference',
      `${feature(8, inner)}<SanctionsEntryReference`,
    );
    expect(notes).toEqual({ 'date-unreadable': 1 });
    expect(entities[0]?.properties?.unreadable_dates_of_birth).toEqual([kept]);
  });

  test('a crypto address is an identifier, an unknown feature a property', async () => {
    const features = [
      feature(344, '<VersionDetail DetailTypeID="1432">bc1qxyz</VersionDetail>'),
      feature(14, '<VersionDetail DetailTypeID="1432">www.example.org</VersionDetail>'),
      feature(504, '<VersionDetail DetailTypeID="1432">Subject to Directive 1</VersionDetail>'),
      feature(777, '<Comment>who knows</Comment><VersionDetail DetailTypeID="1">v</VersionDetail>'),
    ].join('');
    const { entities } = await changed(
      '<SanctionsEntryReference',
      `${features}<SanctionsEntryReference`,
    );
    expect(entities[0]?.identifiers).toEqual({
      'Digital Currency Address - XBT': 'bc1qxyz',
      Passport: 'A1000001',
    });
    expect(entities[0]?.properties).toMatchObject({
      websites: ['www.example.org'],
      sanction_details: ['Additional Sanctions Information -: Subject to Directive 1'],
      '777': ['v'],
      feature_comments: ['?777: who knows'],
    });
  });

  test('weak, former and false names say so', async () => {
    const weak = await changed(/LowQuality="false"/g, 'LowQuality="true"');
    expect(weak.entities[0]?.properties?.weak_aliases).toContain('Eva ALVOREN BASTURI');
    const former = await changed(/AliasTypeID="1400"/g, 'AliasTypeID="1401"');
    expect(former.entities[0]?.properties?.former_names).toContain('Eva ALVOREN BASTURI');
    const isFalse = await changed(/False="false"/g, 'False="true"');
    expect(isFalse.entities[0]?.properties?.false_identities).toContain('Eva ALVOREN BASTURI');
  });

  test.each([
    ['15003', 'false', { type: 'OWNER', label: 'Owned or Controlled By', strength: 1 }],
    ['15004', 'false', { type: 'FAMILY', label: 'Family member of', strength: 1 }],
    ['91725', 'true', { type: 'EMPLOYER', label: 'Leader or official of (former)', strength: 0.5 }],
    ['1555', 'false', { type: 'BUSINESS', label: 'Associate Of', strength: 1 }],
  ])('relation type %s, former %s', async (typeId, former, expected) => {
    const { entities } = await changed(
      /RelationTypeID="\d+" RelationQualityID="1"\s+Former="\w+"/,
      `RelationTypeID="${typeId}" RelationQualityID="1" Former="${former}"`,
    );
    expect(entities[1]?.associations).toEqual([{ ...expected, target_ftm_id: 'ofac-1' }]);
    const isBothWays = expected.type === 'FAMILY' || expected.type === 'BUSINESS';
    const back = isBothWays ? [{ ...expected, target_ftm_id: 'ofac-2' }] : [];
    expect(entities[0]?.associations).toEqual(back);
  });

  test('a relation to nobody, and one of an unknown type, are counted', async () => {
    const open = await changed('To-ProfileID="1"', 'To-ProfileID="99"');
    expect(open.notes).toEqual({ 'relation-unresolved': 1 });
    const unknown = await changed(/RelationTypeID="\d+"/, 'RelationTypeID="99"');
    expect(unknown.notes).toEqual({ 'unknown-relation-type': 1 });
    expect(unknown.entities[1]?.associations[0]).toMatchObject({ type: 'BUSINESS', label: '?99' });
  });

  test('elements that the model does not know are kept with their path', async () => {
    const { entities, notes } = await changed(
      '<SanctionsEntryReference',
      '<Mood>sad</Mood><o:x xmlns:o="urn:o">y</o:x><SanctionsEntryReference',
    );
    expect(notes).toEqual({ 'unknown-element': 2 });
    expect(entities[0]?.properties?.unknown_elements).toEqual([
      'Profile/Mood: sad',
      'Profile/{urn:o}x: y',
    ]);
    expect(entities[1]?.properties?.unknown_elements).toBeUndefined();
  });

  test("the Sanctions List Service's namespace is read, too", async () => {
    const { entities } = await changed(
      'http://www.un.org/sanctions/1.0',
      'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/ADVANCED_XML',
    );
    expect(entities).toHaveLength(2);
  });

  test.each<[string, string | RegExp, string, string]>([
    ['another namespace', 'http://www.un.org/sanctions/1.0', 'urn:other', 'list-foreign'],
    ['a delta', 'Version="1"', 'Version="2" DeltaBaseVersion="1"', 'list-foreign'],
    ['sections in another order', /<Locations>[\s\S]*<\/Locations>/, '', 'list-damaged'],
    ['no last section', '<SanctionsEntryLinks/>', '', 'list-damaged'],
    ['a profile twice', '<Profile ID="2"', '<Profile ID="1"', 'list-damaged'],
    ['a profile without its number', '<Profile ID="2"', '<Profile', 'list-damaged'],
    [
      'a party without a name',
      /<Alias [\s\S]*?<NamePartGroups>/,
      '<NamePartGroups>',
      'list-damaged',
    ],
    ['an entry of no profile', 'ID="2" ProfileID="2"', 'ID="2" ProfileID="9"', 'list-damaged'],
    ['a DateOfIssue that is no day', '<Month>1</Month>', '<Month>13</Month>', 'list-damaged'],
  ])('%s is refused', async (_what, from, to, code) => {
    await expect(changed(from, to)).rejects.toMatchObject({ code });
  });

  test('no cut of a file passes', async () => {
    const bytes = Buffer.from(generated(1).trimEnd());
    for (let length = 0; length < bytes.length; length += 23) {
      await expect(read(bytes.subarray(0, length))).rejects.toMatchObject({ code: 'list-damaged' });
    }
  });
});
