/** The shipped country table, ready to look names up in. */
import { readFileSync } from 'node:fs';
import { type CountryTable, createCountryLookup } from '#slices/lists';

const file = new URL('../../config/tables/countries.json', import.meta.url);
export const countryTable = JSON.parse(readFileSync(file, 'utf8')) as CountryTable;
export const countries = createCountryLookup(countryTable);
