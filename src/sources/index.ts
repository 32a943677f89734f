/**
 * Connectors by source id (interface.md 2.11). A source without one here cannot be imported yet.
 * `createListReaders` takes the country table as a value: config/tables/countries.json.
 */
import type { ListReader } from '#slices/ingestion';
import { type CountryTable, createCountryLookup } from '#slices/lists';
import { commercialReader } from './commercial/reader.ts';
import { euReader } from './eu/reader.ts';
import { ftmReader } from './ftm/reader.ts';
import { listFormatReader } from './listFormat.ts';
import { nationalReader } from './national/reader.ts';
import { ofacReader } from './ofac/reader.ts';
import { ukReader } from './uk/reader.ts';
import { unReader } from './un/reader.ts';

export { bundleReader } from './bundleReader.ts';
export {
  type Authorizer,
  type OAuthClient,
  oauth2Authorizer,
  type SendForm,
} from './commercial/oauth2.ts';

export type { ClosableFetcher } from './fetch/index.ts';
export { openListFetcher } from './fetch/open.ts';

export type ListReaders = ReadonlyMap<string, ListReader>;

export function createListReaders(countries: CountryTable): ListReaders {
  const lookup = createCountryLookup(countries);
  const ofac = ofacReader(lookup);
  return new Map([
    ['BCT_TN', nationalReader(lookup)],
    ['COMMERCIAL_WATCHLIST', commercialReader(lookup)],
    ['DEMO', listFormatReader],
    ['EU_CFSP', euReader(lookup)],
    ['HMT_OFSI', ukReader(lookup)],
    ['OFAC_CONSOLIDATED', ofac],
    ['OFAC_SDN', ofac],
    ['OPEN_AGGREGATE', ftmReader(countries)],
    ['UN_SC', unReader(lookup)],
  ]);
}
