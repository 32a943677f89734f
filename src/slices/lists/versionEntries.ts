/**
 * Entries of any version by their ids, without reading the whole version each time: the table of
 * its lines is kept, some 100 bytes a line (lineTable.ts), and a line is read from its place in the
 * bundle. It is made by reading the text once where none is stored.
 *
 * It runs in a thread of its own (entryThread of asks.ts): making a table of a million lines takes
 * a second, and a hit's line some tens of microseconds.
 */
import type { BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { BaseLines, baseOf, changesOf } from './baseLines.ts';
import type { ListEntity } from './entity.ts';
import { lineId, parseEntityLine } from './entityLine.ts';
import { type EntryFacts, factsOf } from './entryFacts.ts';
import { type LineFile, openWholeText } from './lineFile.ts';
import type { LineChanges } from './lineTable.ts';
import type { ListVersion } from './ports.ts';

/** Versions whose tables are kept, the ones used last. */
const VERSIONS_KEPT_MAX = 16;
/** Lines in the tables that are kept, but for the version used last. */
const LINES_KEPT_MAX = 4_000_000;

/** The members of a version that say where its text is, and what it comes to. */
export type VersionText = Pick<
  ListVersion,
  | ('bundleBase' | 'bundleBlob' | 'linesBlob' | 'linesSeal')
  | ('contentDigest' | 'entityCount' | 'listDigest')
>;

export interface EntryPorts {
  readonly blobs: Pick<BlobStore, 'get' | 'open' | 'openRanges'>;
}

interface Text {
  readonly file: LineFile;
  readonly changes: LineChanges;
}

interface Held {
  readonly text: Promise<Text>;
  readonly lines: number;
  uses: number;
  isDropped: boolean;
}

export class VersionEntries {
  readonly #ports: EntryPorts;
  /** By the address of the bundle, the one used last at the end. */
  readonly #held = new Map<string, Held>();

  constructor(ports: EntryPorts) {
    this.#ports = ports;
  }

  /**
   * Texts of entries in the order of `ids`; undefined where the version has no such entry. Each is
   * compared with the version's digests. Throws the errors that `isDamage` recognises where the
   * version cannot be read.
   */
  async lines(
    version: VersionText,
    ids: readonly string[],
  ): Promise<readonly (Buffer | undefined)[]> {
    const held = this.#hold(version);
    try {
      const { changes, file } = await held.text;
      const found = new Map<string, Buffer>();
      for await (const lines of file.linesOf([...new Set(ids)].sort(), changes)) {
        for (const line of lines) found.set(lineId(line), line);
      }
      return ids.map((id) => found.get(id));
    } finally {
      held.uses--;
      await closeUnused(held);
    }
  }

  /** The same, parsed. */
  async entities(
    version: VersionText,
    ids: readonly string[],
  ): Promise<readonly (ListEntity | undefined)[]> {
    return (await this.lines(version, ids)).map((line) => line && parseEntityLine(line));
  }

  async facts(
    version: VersionText,
    ids: readonly string[],
  ): Promise<readonly (EntryFacts | undefined)[]> {
    return (await this.entities(version, ids)).map((entity) => entity && factsOf(entity));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((key) => this.#drop(key)));
  }

  #hold(version: VersionText): Held {
    const key = version.bundleBlob;
    const held = this.#held.get(key) ?? this.#open(version);
    held.uses++;
    this.#held.delete(key);
    this.#held.set(key, held);
    this.#makeRoom();
    return held;
  }

  #open(version: VersionText): Held {
    const text = openText(version, this.#ports);
    const held = { isDropped: false, lines: version.entityCount, text, uses: 0 };
    text.catch(() => {
      // The one who asked is told; the next one tries again.
      if (this.#held.get(version.bundleBlob) === held) this.#held.delete(version.bundleBlob);
    });
    return held;
  }

  #makeRoom(): void {
    let lines = 0;
    for (const held of this.#held.values()) lines += held.lines;
    for (const [key, held] of this.#held) {
      const isFull = this.#held.size > VERSIONS_KEPT_MAX || lines > LINES_KEPT_MAX;
      if (!isFull || this.#held.size === 1) return;
      lines -= held.lines;
      void this.#drop(key);
    }
  }

  async #drop(key: string): Promise<void> {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    held.isDropped = true;
    await closeUnused(held);
  }
}

async function closeUnused({ isDropped, text, uses }: Held): Promise<void> {
  if (!isDropped || uses > 0) return;
  const opened = await text.catch(() => undefined); // who asked for it got the error
  await opened?.file.close();
}

async function openText(version: VersionText, ports: EntryPorts): Promise<Text> {
  const { blobs } = ports;
  const base = baseOf(version);
  if (base === undefined) return { changes: new Map(), file: await openWholeText(version, blobs) };
  const changes = await changesOf(version, blobs);
  const file = await BaseLines.open(base, ports);
  // The record names the table; that it is this version's, only the signed digests say.
  const { contentDigest, listDigest } = file.table.digestsWith(changes);
  if (contentDigest === version.contentDigest && listDigest === version.listDigest) {
    return { changes, file };
  }
  await file.close();
  const detail = `bundle ${version.bundleBlob}: its lines are not those of the version`;
  throw new DomainError('list-damaged', { detail });
}
