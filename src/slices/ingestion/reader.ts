/**
 * What an import needs from a connector. src/sources/<publisher>/ implements it;
 * src/sources/index.ts says which source id is read by which.
 *
 * A reader is a stream: it takes chunks and hands entities on as they end, so that a file of any
 * size is read in bounded memory. Whoever gives the chunks applies backpressure by giving the next
 * one only when it can take more.
 */
import { type ListEntity, parseEntityLine } from '#slices/lists';

/** What is asked of an entity beside its line: by what others are related to it. */
export type RelatedEntity = Pick<ListEntity, 'ftm_id' | 'categories' | 'associations'>;

/** What a record of its own says of an entity: a relation, a document, a sanction. */
export type EntityAddition = Pick<
  ListEntity,
  'addresses' | 'associations' | 'identifiers' | 'properties'
>;

/** Where a reader puts what it read. Nothing counts before `read` has resolved. */
export interface ListSink {
  /** In an order of the reader's own; the related-party paths are still empty. */
  entity(entity: ListEntity): void;
  /**
   * The same of an entity whose line a reader has made already: canonicalLine of it, in UTF-8. The
   * bytes are the reader's again afterwards.
   */
  line(entity: RelatedEntity, line: Uint8Array): void;
  /** Of a delta: an entity that is on the list no more. */
  removed(ftmId: string): void;
  /** Of a delta that does not name the entity itself: what is new beside what is in force of it. */
  added(ftmId: string, addition: EntityAddition): void;
  /**
   * Resolves when it can take more. Awaited now and then by readers that hand on most of a list
   * after the last chunk; absent where the sink can always take more.
   */
  ready?(): Promise<void>;
}

/** What is known of a file once it was read whole. */
export interface ReadList {
  /** Publisher's release date, YYYY-MM-DD; empty for a delta that names none. */
  readonly releaseDate: string;
  /** `delta`: entities not handed on stay as they were. */
  readonly kind: 'full' | 'delta';
  /** Of a delta whose publisher names it: the release that it starts from. */
  readonly basedOn?: string;
  /**
   * Of a delta whose publisher lists relations, addresses and documents apart from the entities:
   * what the version in force has of an entity's associations, addresses and identifiers, and of
   * these properties, stays beside what the delta says, until the next full list.
   */
  readonly keepsRelations?: { readonly properties: readonly string[] };
  /** Of a signed bundle: when its installation fetched what it holds, RFC 3339 UTC. */
  readonly bundledAt?: string;
  /** Records that the file declares; absent where its format declares none. */
  readonly declaredCount?: number;
  /** What could not be normalised and was kept as published, by kind: counts for the operator. */
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
  /** Where a reader may lay down what it has to read twice; without it, that stays in memory. */
  readonly scratchFolder?: string;
}

export interface ListReader {
  /** What a file of another publisher or format is told: 'OFAC SDN XML'. */
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
