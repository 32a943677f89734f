/**
 * Where a source's list comes from: a file of the air-gap folder where the source names one,
 * otherwise its publisher. An air-gapped deployment has no client that could make a call.
 */
import type { ListFetcher } from '#slices/ingestion';
import { type AirGapOptions, createAirGapFetcher } from './airGapFetcher.ts';
import type { HttpFetcherOptions } from './httpFetcher.ts';

export interface ClosableFetcher extends ListFetcher {
  close(): Promise<void>;
}

/** The client over HTTP is loaded by the first call: importing a file at hand needs none. */
export function createListFetcher(options: {
  readonly airGap: AirGapOptions;
  /** Absent: an air-gapped deployment. */
  readonly http?: HttpFetcherOptions;
}): ClosableFetcher {
  const files = createAirGapFetcher(options.airGap);
  let http: Promise<ClosableFetcher> | undefined;
  const fetcherOf = (of: HttpFetcherOptions): Promise<ClosableFetcher> => {
    http ??= import('./httpFetcher.ts').then(({ createHttpFetcher }) => createHttpFetcher(of));
    return http;
  };
  return {
    close: async () => (await http)?.close(),
    fetch: async (ask) => {
      const isFile = ask.source.airGapPath !== undefined || options.http === undefined;
      return (isFile ? files : await fetcherOf(options.http)).fetch(ask);
    },
  };
}
