/**
 * The text of a version that changes a little: the lines of the whole bundle that it stands on,
 * read by id from where they are, and what the version's own delta changes of them.
 */
import type { BlobRanges, BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import type { Signer } from '#platform/crypto';
import { type LineChanges, LineTable } from './lineTable.ts';
import type { BundleBase, ListVersion } from './ports.ts';
import { blobSeal } from './storedSeal.ts';
import { readDelta } from './versionLines.ts';

/** Lines that are read and passed on at once. */
const BATCH_LINES = 256;

export interface BasePorts {
  readonly blobs: Pick<BlobStore, 'get' | 'openRanges'>;
  readonly signer?: Pick<Signer, 'sign'>;
}

export class BaseLines {
  readonly base: BundleBase;
  readonly table: LineTable;
  readonly #ranges: BlobRanges;

  private constructor(base: BundleBase, table: LineTable, ranges: BlobRanges) {
    this.base = base;
    this.table = table;
    this.#ranges = ranges;
  }

  /** Throws `list-damaged` where the bundle is gone, or its table is not what was written. */
  static async open(base: BundleBase, { blobs, signer }: BasePorts): Promise<BaseLines> {
    const seal = signer && base.linesSeal && blobSeal(base.linesSeal, signer);
    const bytes = await blobs.get(base.linesBlob, seal);
    const ranges = bytes && (await blobs.openRanges(base.bundleBlob));
    if (!ranges) throw damaged(`bundle ${base.bundleBlob}: it, or what is kept of it, is gone`);
    try {
      return new BaseLines(base, new LineTable(bytes), ranges);
    } catch (error) {
      await ranges.close();
      throw error;
    }
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
 * The base that a delta can be written against; undefined where a version keeps no table of its
 * lines.
 */
export function baseOf(version: ListVersion): BundleBase | undefined {
  const { bundleBase, bundleBlob, linesBlob, linesSeal } = version;
  if (bundleBase !== undefined || linesBlob === undefined) return bundleBase;
  return { bundleBlob, linesBlob, ...(linesSeal !== undefined && { linesSeal }) };
}

/** The lines that a version changes of its base. */
export const changesOf = async (
  version: ListVersion,
  blobs: Pick<BlobStore, 'open'>,
): Promise<LineChanges> =>
  version.bundleBase ? (await readDelta(version, blobs)).changes : new Map();

const damaged = (detail: string) => new DomainError('list-damaged', { detail });
