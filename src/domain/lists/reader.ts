/**
 * What an import needs from a connector. src/sources/<publisher>/ implements it;
 * src/sources/index.ts says which source id is read by which.
 */
import type { ListEntity } from './entity.ts';

/** A whole file, read and normalised. */
export interface ParsedList {
  /** Publisher's release date, YYYY-MM-DD. */
  readonly releaseDate: string;
  /** In the file's order, unique by ftm_id; the related-party paths are still empty. */
  readonly entities: ListEntity[];
  /** What could not be normalised and was kept as published, by kind: counts for the operator. */
  readonly notes: Readonly<Record<string, number>>;
}

export interface ReadListOptions {
  readonly sourceId: string;
  readonly onBytes?: (bytes: number) => void;
}

export interface ListReader {
  /** What a file of another publisher or format is told: 'OFAC SDN XML'. */
  readonly format: string;
  /**
   * Resolves only if the file was whole and of this format. Throws DomainError `list-foreign`
   * (another document) or `list-damaged` (line, column and path in the detail).
   */
  read(chunks: AsyncIterable<Uint8Array>, options: ReadListOptions): Promise<ParsedList>;
}
