/**
 * List sources and their published versions. A version is written once and never changed; the
 * source names the one in force. The publication counter moves whenever that one changes.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { SourceId } from '#core/kernel';
import type { ListChange, ListSource, ListVersion } from '#slices/lists';
import type { ResolutionChange, ResolutionPointer } from '#slices/resolution';
import { PAGE_ROWS_MAX } from '../limits.ts';
import { parseDocument, wrote } from './rows.ts';

export function listReader(database: DatabaseSync) {
  const sources = database.prepare('SELECT document FROM list_source ORDER BY source_id');
  const source = database.prepare('SELECT document FROM list_source WHERE source_id = ?');
  const version = database.prepare(
    `SELECT document FROM list_version
     WHERE source_id = ? AND list_digest = ? AND content_digest = ? ORDER BY id DESC LIMIT 1`,
  );
  const versions = database.prepare(
    `SELECT document FROM list_version WHERE source_id = :source AND (:before IS NULL OR id <
       (SELECT id FROM list_version WHERE source_id = :source AND list_version = :before))
     ORDER BY id DESC LIMIT :limit`,
  );
  const counter = database.prepare('SELECT publications FROM publication_counter');
  const resolutions = database.prepare(
    `SELECT document FROM list_resolution WHERE :before IS NULL OR version < :before
     ORDER BY version DESC LIMIT :limit`,
  );

  return {
    listSources: (): ListSource[] => sources.all().map((row) => parseDocument<ListSource>(row)),
    findSource: (id: SourceId): ListSource | undefined => parseDocument(source.get(id)),
    findVersion: (ask: {
      sourceId: SourceId;
      listDigest: string;
      contentDigest: string;
    }): ListVersion | undefined =>
      parseDocument(version.get(ask.sourceId, ask.listDigest, ask.contentDigest)),
    /** Latest published first. */
    listVersions: (page: { sourceId: SourceId; limit: number; before?: string }): ListVersion[] =>
      versions
        .all({
          before: page.before ?? null,
          limit: Math.min(page.limit, PAGE_ROWS_MAX),
          source: page.sourceId,
        })
        .map((row) => parseDocument<ListVersion>(row)),
    findResolution: (): ResolutionPointer | undefined =>
      parseDocument(resolutions.get({ before: null, limit: 1 })),
    /** Latest first. */
    listResolutions: ({ before, limit }: { limit: number; before?: number }): ResolutionPointer[] =>
      resolutions
        .all({ before: before ?? null, limit: Math.min(limit, PAGE_ROWS_MAX) })
        .map((row) => parseDocument<ResolutionPointer>(row)),
    publicationCounter: (): number => Number(counter.get()?.publications),
  };
}

export function listChanges(database: DatabaseSync): (change: ListChange) => boolean {
  const select = database.prepare('SELECT document FROM list_source WHERE source_id = ?');
  const insert = database.prepare(
    `INSERT INTO list_source (source_id, version, document) VALUES (?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    'UPDATE list_source SET version = ?, document = ? WHERE source_id = ? AND version = ?',
  );
  const count = publicationCount(database);
  const saveVersion = versionWriter(database);

  function put(source: ListSource, expected: number): boolean {
    const before = parseDocument<ListSource>(select.get(source.sourceId));
    const document = JSON.stringify(source);
    const isWritten =
      expected === 0
        ? wrote(insert, source.sourceId, source.version, document)
        : wrote(update, source.version, document, source.sourceId, expected);
    const isSame = JSON.stringify(before?.active) === JSON.stringify(source.active);
    if (isWritten && !isSame) count.run();
    return isWritten;
  }

  return (change) => {
    if (change.kind === 'list.source.put') return put(change.source, change.versionExpected);
    const { list, versionExpected } = change;
    const source = parseDocument<ListSource>(select.get(list.sourceId));
    if (source === undefined || source.version !== versionExpected) return false;
    if (!saveVersion(list)) return false;
    return put({ ...source, active: list, version: versionExpected + 1 }, versionExpected);
  };
}

export function resolutionChanges(database: DatabaseSync): (change: ResolutionChange) => boolean {
  const insert = database.prepare(
    'INSERT INTO list_resolution (version, document) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const count = publicationCount(database);
  return ({ resolution }) => {
    const isWritten = wrote(insert, resolution.version, JSON.stringify(resolution));
    if (isWritten) count.run();
    return isWritten;
  };
}

const publicationCount = (database: DatabaseSync) =>
  database.prepare('UPDATE publication_counter SET publications = publications + 1 WHERE only = 1');

/** False if the label stands for other content already; the same version again is no change. */
function versionWriter(database: DatabaseSync): (list: ListVersion) => boolean {
  const select = database.prepare(
    'SELECT document FROM list_version WHERE source_id = ? AND list_version = ?',
  );
  const insert = database.prepare(
    `INSERT INTO list_version (source_id, list_version, list_digest, content_digest, document)
     VALUES (?, ?, ?, ?, ?)`,
  );
  return (list) => {
    const before = select.get(list.sourceId, list.listVersion);
    const document = JSON.stringify(list);
    if (before !== undefined) return isSameContent(parseDocument<ListVersion>(before), list);
    return wrote(
      insert,
      list.sourceId,
      list.listVersion,
      list.listDigest,
      list.contentDigest,
      document,
    );
  };
}

function isSameContent(a: ListVersion, b: ListVersion): boolean {
  return a.listDigest === b.listDigest && a.contentDigest === b.contentDigest;
}
