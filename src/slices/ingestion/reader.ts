/**
 * What an import needs from a connector. src/sources/<publisher>/ implements it;
 * src/sources/index.ts has the reader of each source id.
 *
 * A reader is a stream: it takes chunks and passes entities on as they end, so a file of any size
 * is read in bounded memory. The caller applies backpressure: it gives the next chunk only when it
 * can take more entities.
 */
import { type ListEntity, parseEntityLine } from '#slices/lists';

/** The part of an entity needed beside its line: it decides how others are related to it. */
export type RelatedEntity = Pick<ListEntity, 'ftm_id' | 'categories' | 'associations'>;

/** Statements of a separate record about an entity: a relation, a document, a sanction. */
export type EntityAddition = Pick<
  ListEntity,
  'addresses' | 'associations' | 'identifiers' | 'programmes' | 'properties'
>;

/** Receives what a reader reads. Nothing counts before `read` has resolved. */
export interface ListSink {
  /** In an order of the reader's own; the related-party paths are still empty. */
  entity(entity: ListEntity): void;
  /**
   * The same of an entity whose line a reader has made already: canonicalLine of it, in UTF-8. The
   * bytes are the reader's again afterwards.
   */
  line(entity: RelatedEntity, line: Uint8Array): void;
  /** In a delta: an entity that is not on the list any more. */
  removed(ftmId: string): void;
  /** In a delta that does not name the entity itself: additions to the entity in force. */
  added(ftmId: string, addition: EntityAddition): void;
  /**
   * Resolves when it can take more. Awaited now and then by readers that hand on most of a list
   * after the last chunk; absent where the sink can always take more.
   */
  ready?(): Promise<void>;
}

/** Facts about a file once it was read whole. */
export interface ReadList {
  /** Publisher's release date, YYYY-MM-DD; empty for a delta that names none. */
  readonly releaseDate: string;
  /** `delta`: entities not handed on stay as they were. */
  readonly kind: 'full' | 'delta';
  /** For a delta whose publisher names it: the release from which it starts. */
  readonly basedOn?: string;
  /**
   * For a delta whose publisher lists relations, addresses and documents apart from the entities.
   * An entity's associations, addresses and identifiers in force, and these properties, are then
   * kept beside those of the delta, until the next full list.
   */
  readonly keepsRelations?: { readonly properties: readonly string[] };
  /** For a signed bundle: when its installation fetched the content, RFC 3339 UTC. */
  readonly bundledAt?: string;
  /** Records that the file declares; absent where its format declares none. */
  readonly declaredCount?: number;
  /**
   * Counts of values that could not be normalised and were kept as published, by kind, for the
   * operator.
   */
  readonly notes: Readonly<Record<string, number>>;
  /**
   * Records that could not be read, of formats whose records stand alone (lines, rows): where and
   * why. At most SKIPPED_RECORDS_MAX and one in a hundred, else the file is damaged.
   */
  readonly skipped: readonly string[];
}

export const SKIPPED_RECORDS_MAX = 1_000;

export interface ReadListOptions {
  readonly sourceId: string;
  readonly sink: ListSink;
  readonly onBytes?: (bytes: number) => void;
  /** Folder for data that a reader has to read twice; without it, that stays in memory. */
  readonly scratchFolder?: string;
}

export interface ListReader {
  /** Name of the format for the error of a foreign file: 'OFAC SDN XML'. */
  readonly format: string;
  /**
   * Resolves only if the file was whole and of this format. Throws DomainError `list-foreign`
   * (another document) or `list-damaged` (line, column and path in the detail).
   */
  read(chunks: AsyncIterable<Uint8Array>, options: ReadListOptions): Promise<ReadList>;
}

/** A whole list in memory, for lists that are known to be small: tests, benches, tables. */
export type WholeList = ReadList & { readonly entities: readonly ListEntity[] };

export async function readWholeList(
  reader: ListReader,
  chunks: AsyncIterable<Uint8Array>,
  options: Omit<ReadListOptions, 'sink'>,
): Promise<WholeList> {
  const entities: ListEntity[] = [];
  return { ...(await reader.read(chunks, { ...options, sink: gathering(entities) })), entities };
}

/** Puts everything into arrays. */
export const gathering = (
  entities: ListEntity[],
  removed: string[] = [],
  added: (readonly [string, EntityAddition])[] = [],
): ListSink => ({
  added: (ftmId, addition) => added.push([ftmId, addition]),
  entity: (entity) => entities.push(entity),
  line: (_, line) => entities.push(parseEntityLine(Buffer.from(line))),
  removed: (ftmId) => removed.push(ftmId),
});
