/** One import as a test makes it: a file that is a list already, into stores in memory. */
import { DomainError } from '#core/kernel';
import {
  type Allowances,
  type ImportListOptions,
  type ImportPorts,
  importList,
  type ListReader,
  type ReadList,
} from '#slices/ingestion';
import {
  type ListEntity,
  type ListSource,
  parseEntityLine,
  readBundleLines,
  sourceTable,
} from '#slices/lists';
import { type MemoryStore, memoryPorts, testSigner } from './memoryPorts.ts';

/** A reader of files that are lists already; what it does not read it calls damaged. */
export const reader: ListReader = {
  format: 'test',
  read: async (chunks, { onBytes, sink }) => {
    let text = '';
    for await (const chunk of chunks) {
      text += Buffer.from(chunk).toString();
      onBytes?.(text.length);
    }
    if (!text.startsWith('{'))
      throw new DomainError('list-damaged', { detail: 'line 1, column 1' });
    const { entities, removed, ...file } = JSON.parse(text) as Pick<ReadList, 'notes'> &
      Partial<ReadList> & {
        readonly entities: ListEntity[];
        readonly removed?: string[];
        readonly releaseDate: string;
      };
    for (const entity of entities) sink.entity(entity);
    for (const id of removed ?? []) sink.removed(id);
    return { kind: 'full', skipped: [], ...file };
  },
};

export interface Release {
  readonly entities: readonly ListEntity[];
  readonly releaseDate?: string;
  readonly ports?: Partial<ImportPorts>;
  readonly allow?: Partial<Allowances>;
  readonly text?: string;
  /** Members of the file beside its entities: what a delta removes, what could not be read. */
  readonly file?: Partial<ReadList> & { readonly removed?: readonly string[] };
  readonly options?: Partial<ImportListOptions>;
}

export function release(store: MemoryStore, { entities, ...rest }: Release) {
  const releaseDate = rest.releaseDate ?? '2026-01-01';
  const seen = entities.map((entity) => ({
    ...entity,
    first_seen_at: releaseDate,
    last_seen_at: releaseDate,
    source_lists_hits: [{ list: 'DEMO', version: releaseDate, added_at: releaseDate }],
  }));
  const text =
    rest.text ?? JSON.stringify({ releaseDate, entities: seen, notes: { odd: 1 }, ...rest.file });
  return importList({
    sourceId: 'DEMO',
    read: (async function* () {
      yield Buffer.from(text);
    })(),
    reader,
    ports: memoryPorts(store, rest.ports),
    actor: 'cli:test',
    // Lists of two or three entities shrink by halves; releaseChecks.test.ts looks at the bound.
    allow: { shrink: true, ...rest.allow },
    ...rest.options,
  });
}

export const source = ({ house }: MemoryStore, id = 'DEMO') =>
  house.records(sourceTable).find(({ sourceId }) => sourceId === id) as ListSource;
export const actions = ({ house }: MemoryStore) => house.events.map(({ action }) => action);
/** Entities of the bundle in force, with its signature verified. */
export async function entitiesOf(store: MemoryStore): Promise<ListEntity[]> {
  const bytes = store.blobs.get(source(store).active?.bundleBlob ?? '') ?? new Uint8Array();
  async function* pieces() {
    yield bytes;
  }
  const entities: ListEntity[] = [];
  for await (const lines of readBundleLines(pieces(), { keyOf: () => testSigner.publicKey })) {
    entities.push(...lines.map(parseEntityLine));
  }
  return entities;
}
