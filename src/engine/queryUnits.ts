/**
 * What a query may cost, from its length alone: known before anything of it is read. Folding,
 * phonetic codes and comparisons all grow with the letters of its names.
 */
import type { NormalizedQuery, RawQuery } from './ports.ts';

/** More units than any query has that gives a name and the usual spellings of it. */
export const ORDINARY_UNITS_MAX = 2_048;

/** UTF-16 units of all names of a query. */
export function queryUnits(query: RawQuery | NormalizedQuery): number {
  const names = 'names' in query ? query.names : [query.name, ...query.transliterations];
  let units = 0;
  for (const name of names) units += name.length;
  return units;
}
