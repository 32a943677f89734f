/**
 * What a run needs to get a source's file. src/sources/fetch/ implements it: over HTTP, or from the
 * folder of an air-gapped installation.
 *
 * A file is brought whole into a private place first, and read from there: a cut file never reaches
 * a parser, and the verified bytes are the ones that are read.
 */
import type { ListSource } from '#slices/lists';

/** A file of this run's own, whole and, where it has to be, verified. */
export interface ListFile {
  readonly bytes: number;
  /** SHA-256 hex, of the bytes as they are read here: after any content encoding. */
  readonly sha256: string;
  /** A signed bundle of list format v1 instead of the publisher's own format. */
  readonly isBundle: boolean;
  read(): AsyncIterable<Uint8Array>;
  remove(): Promise<void>;
}

export type FetchedList =
  /** The publisher has nothing newer than what was ingested last. */
  | { readonly status: 'not-modified' }
  | {
      readonly status: 'fetched';
      readonly file: ListFile;
      readonly etag?: string;
      readonly lastModified?: string;
      /** The publisher's name of the version, where it publishes changes since a version. */
      readonly publisherVersion?: string;
      /** The file holds the changes since the version in force, up to that one. */
      readonly isDelta?: true;
    };

export interface FetchListAsk {
  readonly source: ListSource;
  /** `full` asks for the file whether it changed or not. */
  readonly kind: 'full' | 'delta';
  readonly signal: AbortSignal;
  readonly onBytes?: (bytes: number) => void;
  /** Never a secret, nor the query of an address: tokens stand there. */
  readonly onLog?: (level: 'info' | 'warn', text: string) => void;
}

export interface ListFetcher {
  /**
   * Rejects with DomainError `list-unreachable` (the publisher, after the retries),
   * `list-file-refused` (a path or a signature that is not allowed) or `list-damaged`; with the
   * signal's reason once it fires. Nothing is left behind then.
   */
  fetch(ask: FetchListAsk): Promise<FetchedList>;
}
