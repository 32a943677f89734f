/** The country table of config/. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type CountryTable, createCountryLookup } from '#slices/lists';

const file = new URL('../../../config/tables/countries.json', import.meta.url);
const table = JSON.parse(readFileSync(file, 'utf8')) as CountryTable;
const lookup = createCountryLookup(table);

describe('countries', () => {
  test.each([
    ['Russia', 'RU'],
    ['RUSSIAN FEDERATION', 'RU'],
    ['Iranian', 'IR'],
    ['Korea, North', 'KP'],
    ['Korea, South', 'KR'],
    ['Congo, Democratic Republic of the', 'CD'],
    ['Congo, Republic of the', 'CG'],
    ["Cote d'Ivoire", 'CI'],
    ['Côte d’Ivoire', 'CI'],
    ['Cote d Ivoire', 'CI'],
    ['Burma', 'MM'],
    ['Swaziland', 'SZ'],
    ['Türkiye', 'TR'],
    ['Guinea', 'GN'],
    ['Guinea-Bissau', 'GW'],
    ['Dominica', 'DM'],
    ['Dominican Republic', 'DO'],
    ['Niger', 'NE'],
    ['Nigerian', 'NG'],
    ['TN', 'TN'],
    ['TUN', 'TN'],
    ['XKX', 'XK'],
    ['Tun', undefined],
    ['per', undefined],
    ['DPRK', 'KP'],
    ['Afghan', 'AF'],
    ['British', 'GB'],
    ['Zaire', 'CD'],
    ['Trinidad & Tobago', 'TT'],
    ['the Gambia', 'GM'],
    ['Gambia (the)', 'GM'],
    ['Tunisienne', 'TN'],
    ['États-Unis', 'US'],
    ['الجمهورية التونسية', 'TN'],
    ['Slovakian', 'SK'],
    ['Ecuadorean', 'EC'],
    ['North Macedonian', 'MK'],
    ['Khmer', 'KH'],
    ['US Virgin Islands', 'VI'],
    ['St. Vincent', 'VC'],
    ['São Tomé', 'ST'],
    ['Congolese (DRC)', 'CD'],
    ['Dominican (Dominica)', 'DM'],
    ['Serbia, Republic of', 'RS'],
    ['Korea, Republic of', 'KR'],
    ['Virgin Islands', undefined],
    ['Dominican', undefined],
    ['Congolese', undefined],
    ['USSR', undefined],
    ['ZZ', undefined],
    ['Yugoslavia', undefined],
    ['Netherlands Antilles', undefined],
    ['', undefined],
  ])('%s is %s', (name, code) => {
    expect(lookup(name)).toBe(code);
  });

  test('every code of ISO 3166 and XK has a row, and every row finds itself', () => {
    expect(Object.keys(table)).toHaveLength(250);
    for (const [code, country] of Object.entries(table)) {
      const { alpha3, name, also, demonyms, french, arabic } = country;
      for (const word of [code, alpha3, name, ...also, ...demonyms, ...french, ...arabic]) {
        expect(lookup(word), word).toBe(code);
      }
    }
  });

  test('codes of three letters are distinct', () => {
    const codes = Object.values(table).map((country) => country.alpha3);
    expect(new Set(codes).size).toBe(250);
    expect(codes.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
  });

  test('a name in two rows is refused', () => {
    const row = { name: 'Same', also: [], demonyms: [], french: [], arabic: [] };
    const table = { AA: { alpha3: 'AAA', ...row }, BB: { alpha3: 'BBB', ...row } };
    expect(() => createCountryLookup(table)).toThrow(/two rows/);
  });
});
