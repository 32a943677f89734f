/**
 * Lines of a whole bundle by their ids, read from where they are stored. Each is verified against
 * the table of the lines (lineTable.ts), which itself was verified.
 */
import type { BlobRanges, BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { entityLine } from './entityLine.ts';
import { columnBytes, LineColumnsWriter } from './lineColumns.ts';
import { type LineChanges, LineTable } from './lineTable.ts';
import type { StoredBundle } from './ports.ts';
import { versionLines } from './versionLines.ts';

/** Lines that are read and passed on at once. */
const BATCH_LINES = 256;
/** The first line of a bundle names five members. */
const HEAD_BYTES_MAX = 4 * 1024;
const LINE_FEED = 0x0a;

export class LineFile {
  readonly table: LineTable;
  readonly #ranges: BlobRanges;

  constructor(table: LineTable, ranges: BlobRanges) {
    this.table = table;
    this.#ranges = ranges;
  }

  /**
   * The lines that exist of these ids, by id; each is verified against what was written. `changes`
   * apply on top; `ids` ascend.
   */
  async *linesOf(ids: readonly string[], changes: LineChanges): AsyncGenerator<readonly Buffer[]> {
    let at = 0;
    const lineOf = (id: string): Buffer | Promise<Buffer> | undefined => {
      at = this.table.firstNotBefore(id, at);
      const isHere = !changes.has(id) && this.table.isAt(at, id);
      return isHere ? this.#lineAt(at) : changes.get(id);
    };
    for (let from = 0; from < ids.length; from += BATCH_LINES) {
      // In parallel: the way to a disk and back takes longer than the work on a line.
      const lines = await Promise.all(ids.slice(from, from + BATCH_LINES).map(lineOf));
      yield lines.filter((line) => line !== undefined);
    }
  }

  close(): Promise<void> {
    return this.#ranges.close();
  }

  async #lineAt(place: number): Promise<Buffer> {
    const { bytes, start } = this.table.spanOf(place);
    const read = await this.#ranges.read(start, bytes);
    const line = Buffer.from(read.buffer, read.byteOffset, read.length);
    this.table.refuseOther(place, line);
    return line;
  }
}

/**
 * The lines of a whole bundle of which no table is kept: a small list's, or one of a former
 * release. The text is read once, whole, and the table is made of it. Throws `list-damaged`.
 */
export async function openWholeText(
  version: StoredBundle,
  blobs: Pick<BlobStore, 'open' | 'openRanges'>,
): Promise<LineFile> {
  const writer = new LineColumnsWriter();
  for await (const lines of versionLines(version, blobs)) {
    for (const line of lines) writer.add(entityLine(line));
  }
  const { columns } = writer.finish();
  const ranges = columns && (await blobs.openRanges(version.bundleBlob));
  if (!ranges) throw damaged(`bundle ${version.bundleBlob}: gone, or of too many lines`);
  try {
    const head = await ranges.read(0, HEAD_BYTES_MAX);
    const table = Buffer.concat([...columnBytes(columns, head.indexOf(LINE_FEED) + 1)]);
    return new LineFile(new LineTable(table), ranges);
  } catch (error) {
    await ranges.close();
    throw error;
  }
}

const damaged = (detail: string) => new DomainError('list-damaged', { detail });
