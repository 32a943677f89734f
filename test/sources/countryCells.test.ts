/** Cells of countries and nationalities, and every one of the real lists. */
import { describe, expect, test } from 'vitest';
import { numberedParts, readCountryCell } from '../../src/sources/countryCells.ts';
import { countries } from './countries.ts';

describe('cells of countries', () => {
  test.each([
    ['Afghan', ['AF']],
    ['Syrian, Turkish', ['SY', 'TR']],
    ['(1) Afghan (2) Pakistani', ['AF', 'PK']],
    ['a) French, b) Tunisian', ['FR', 'TN']],
    ['1) Syrian Arab Republic 2) State of Palestine', ['SY', 'PS']],
    ['(1) (2) Egypt', ['EG']],
    ['(1) to (6) Algeria (7) Morocco', ['DZ', 'MA']],
    ['Iranian national and US national/citizen', ['IR', 'US']],
    ['Indonesian (as at December 2003)', ['ID']],
    ['DRC and Belgian nationalities', ['CD', 'BE']],
    ['Possibly Ethiopian', ['ET']],
    ['Sudanese by birth', ['SD']],
    ['Sudan/or South Sudan', ['SD', 'SS']],
    ['Iran / unknown', ['IR']],
    ['United States. Also believed to hold Syrian nationality', ['US', 'SY']],
    ['Trinidad and Tobago', ['TT']],
    ['Korea, North', ['KP']],
    ['Bosnia & Herzegovina', ['BA']],
    ['unknown', []],
    ['unknown (possibly Iraqi)', ['IQ']],
    ['unknown (as at 2019)', []],
    ['Iraq, Republic of', ['IQ']],
    ['Myanmar (formerly known as Burma)', ['MM']],
    ['Macedonia, former Yugoslav Republic of', ['MK']],
    ['na', []],
  ])('%s', (cell, codes) => {
    expect(readCountryCell(cell, countries)).toEqual({ codes, unknown: [], former: [] });
  });

  test.each(['Congolese', 'Africa', 'Yugoslavia', 'Iraq or elsewhere'])('%s is unknown', (cell) => {
    expect(readCountryCell(cell, countries)).toMatchObject({ codes: [], unknown: [cell] });
  });

  test.each([
    'Kuwaiti citizenship withdrawn in 2002',
    'Bahrain (citizenship revoked in January 2015)',
    'USSR (until 1991)',
    'former Soviet Union',
  ])('%s is no nationality of today', (cell) => {
    expect(readCountryCell(cell, countries)).toEqual({ codes: [], unknown: [], former: [cell] });
  });

  test.each([
    ['Turkish. Former Iraqi', ['TR'], ['Former Iraqi']],
    ['Iran; formerly Iraq', ['IR'], ['formerly Iraq']],
    ['Russian (previously Ukrainian)', ['RU'], ['previously Ukrainian']],
    ['(1) Syrian (2) former Iraqi', ['SY'], ['former Iraqi']],
    ['former Serbia and Montenegro', [], ['former Serbia and Montenegro']],
  ])('%s: what is former alone is told apart', (cell, codes, former) => {
    expect(readCountryCell(cell, countries)).toEqual({ codes, former, unknown: [] });
  });

  test('what may be behind an unknown is counted where it is not known', () => {
    expect(readCountryCell('unknown (possibly Atlantean)', countries)).toEqual({
      codes: [],
      former: [],
      unknown: ['unknown (possibly Atlantean)'],
    });
  });

  test('a long cell of nothing but separators is read in no time', () => {
    const begun = performance.now();
    readCountryCell(', '.repeat(20_000), countries);
    readCountryCell('(1) '.repeat(20_000), countries);
    readCountryCell(`${'x '.repeat(20_000)}(`, countries);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  test.each<[string, readonly string[]]>([
    ['(1) +98 (21) 88774038 (2) +98 (21) 66334455', ['+98 (21) 88774038', '+98 (21) 66334455']],
    ['1234 (45) and (46)', ['1234 (45) and (46)']],
    ['Directorate 5 (12) and (14) units', ['Directorate 5 (12) and (14) units']],
    ['Sections (1) and (2) of the staff', ['Sections (1) and (2) of the staff']],
    ['Le Petit Quevilly (76)', ['Le Petit Quevilly (76)']],
    ['(expires 24 Feb. 2020)', ['(expires 24 Feb. 2020)']],
    ['Passport numbers (1) K048787 (2) 486298', ['Passport numbers', 'K048787', '486298']],
    ['(1) XX3966391 (of Feb. 2020)(2) EC3524065', ['XX3966391 (of Feb. 2020)', 'EC3524065']],
    ['(1) Germany (b) Algeria', ['Germany', 'Algeria']],
    ['A) Card 1986 (b) Certificate B3', ['Card 1986', 'Certificate B3']],
  ])('%s: marks count upwards from one', (text, parts) => {
    expect(numberedParts(text)).toEqual(parts);
  });

  test('a text without marks is one part', () => {
    expect(numberedParts('Shop 2, Kabul (near the mosque)')).toEqual([
      'Shop 2, Kabul (near the mosque)',
    ]);
  });
});
