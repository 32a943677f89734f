/** Publishers, their files and their readers, as runs of lists need them. */
import type { Clock } from '#platform/clock';
import type { Config } from '#platform/config';
import type { Random } from '#platform/random';
import type { ListSources } from '#slices/ingestion';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import { bundleReader, createListReaders, openListFetcher } from '../../sources/index.ts';

interface ListSourcesOf {
  readonly clock: Clock;
  readonly config: Config;
  readonly random: Random;
}

export const listSources = async (of: ListSourcesOf): Promise<ListSources> => openListSources(of);

export function openListSources({ clock, config, random }: ListSourcesOf): ListSources {
  const readers = createListReaders(countries);
  return {
    bundleReader,
    fetcher: openListFetcher({ clock, config, random }),
    readerOf: (sourceId) => readers.get(sourceId),
  };
}
