/**
 * Where a source's list comes from: a file of the air-gap folder where the source names one,
 * otherwise its publisher. An air-gapped deployment has no client that could make a call.
 */
import type { ListFetcher } from '#slices/ingestion';
import { type AirGapOptions, createAirGapFetcher } from './airGapFetcher.ts';
import { createHttpFetcher, type HttpFetcherOptions } from './httpFetcher.ts';

export interface ClosableFetcher extends ListFetcher {
  close(): Promise<void>;
}

export function createListFetcher(options: {
  readonly airGap: AirGapOptions;
  /** Absent: an air-gapped deployment. */
  readonly http?: HttpFetcherOptions;
}): ClosableFetcher {
  const files = createAirGapFetcher(options.airGap);
  const http = options.http === undefined ? undefined : createHttpFetcher(options.http);
  return {
    close: async () => http?.close(),
    fetch: (ask) =>
      (ask.source.airGapPath !== undefined || http === undefined ? files : http).fetch(ask),
  };
}
