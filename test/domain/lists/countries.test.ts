/** The country table of config/. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type CountryTable, createCountryLookup } from '#domain/lists';

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
      for (const name of [code, country.name, ...country.also, ...country.demonyms]) {
        expect(lookup(name), name).toBe(code);
      }
    }
  });

  test('a name in two rows is refused', () => {
    const row = { name: 'Same', also: [], demonyms: [] };
    expect(() => createCountryLookup({ AA: row, BB: row })).toThrow(/two rows/);
  });
});
