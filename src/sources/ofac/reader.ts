/** OFAC_SDN and OFAC_CONSOLIDATED: the file in, list format v1 out. */
import type { CountryLookup, ListReader } from '#domain/lists';
import { OfacMapper } from './map.ts';
import { readOfac } from './read.ts';

export function ofacReader(countries: CountryLookup): ListReader {
  return {
    format: 'OFAC SDN XML',
    read: async (chunks, { sourceId, sink, onBytes }) => {
      const mapper = new OfacMapper({ sourceId, countries });
      const header = await readOfac(
        chunks,
        (entry, soFar) => mapper.add(entry, soFar),
        onBytes ? { onBytes } : {},
      );
      return mapper.finish(header, sink);
    },
  };
}
