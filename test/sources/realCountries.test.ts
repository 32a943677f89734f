/** Every country and nationality that stands in a real file, against the country table. */
import { describe, expect, test } from 'vitest';
import { readCountryCell } from '../../src/sources/countryCells.ts';
import { countries } from './countries.ts';
import { dataFolder, sharedBytes, warnWithoutData } from './sharedData.ts';

warnWithoutData('countries of the real files');

const OFAC = /<(?:country|idCountry|vesselFlag)>([^<]*)</g;
const UN = /<(?:COUNTRY|ISSUING_COUNTRY|COUNTRY_OF_ISSUE)>\s*([^<]*?)\s*</g;
const UN_NATIONALITY = /<NATIONALITY>\s*<VALUE>\s*([^<]*?)\s*</g;
const EU = /countryDescription="([^"]*)"/g;
const CANADA = /<Country>([^<]*)</g;
const FTM = /"(?:country|nationality|jurisdiction)": ?\["([a-z]{2})"/g;

async function unknownOf(file: string, patterns: readonly RegExp[]): Promise<string[]> {
  const text = (await sharedBytes(file)).toString().replaceAll('&amp;', '&');
  const cells = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, cell]) => cell));
  expect(cells.length, file).toBeGreaterThan(0);
  const unknown = new Set<string>();
  for (const cell of new Set(cells)) {
    for (const name of readCountryCell(cell ?? '', countries).unknown) unknown.add(name);
  }
  return [...unknown].sort();
}

describe.skipIf(!dataFolder)('countries of the real files', () => {
  test.each<[string, readonly RegExp[], readonly string[]]>([
    [
      'lists/ofac/sdn_2024-07-02_DERIVED_from_csv.xml.xz',
      [OFAC],
      [
        'Netherlands Antilles',
        'Region: Commonwealth of Independent States',
        'Region: Northern Mali',
      ],
    ],
    ['lists/ofac/consolidated_2022-03-24.xml.xz', [OFAC], []],
    ['lists/un/consolidated_2018-08-24.xml.xz', [UN, UN_NATIONALITY], ['Branch Office 11: Iran']],
    ['lists/un/consolidated_2025-04-19.xml.xz', [UN, UN_NATIONALITY], []],
    ['lists/eu/xmlFullSanctionsList_1_1_2022-03-18_first1044.xml.xz', [EU], []],
    ['lists/eu/sample_eu_xml_1_1.xml', [EU], []],
    [
      'lists/other/canada_sema_2025.xml.xz',
      [CANADA],
      [
        'Extremist Settler Violence / Violence extrémiste des colons',
        'Hamas Terrorist Attacks / Attaques terroristes du Hamas',
        'Justice for Victims of Corrupt Foreign Officials Regulations (JVCFOR) / ' +
          'Règlement relatif à la justice pour les victimes de dirigeants étrangers corrompus ' +
          '(RJVDEC)',
      ],
    ],
  ])('%s: all but %#', async (file, patterns, unknown) => {
    expect(await unknownOf(file, patterns)).toEqual(unknown);
  });

  test('codes of an FtM file', async () => {
    const text = (await sharedBytes('lists/ftm/yente_fixtures/t1_entities.ftm.json')).toString();
    const codes = [...text.matchAll(FTM)].map(([, code = '']) => code.toUpperCase());
    expect(codes.filter((code) => code !== 'EU' && countries(code) === undefined)).toEqual([]);
  });
});
