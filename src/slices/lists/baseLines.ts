/**
 * The text of a version that changes a little: the lines of the whole bundle that it stands on,
 * read by id from where they are, and what the version's own delta changes of them.
 */
import type { BlobRanges, BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import type { Signer } from '#platform/crypto';
import { LineFile } from './lineFile.ts';
import { type LineChanges, LineTable } from './lineTable.ts';
import type { BundleBase, ListVersion } from './ports.ts';
import { blobSeal } from './storedSeal.ts';
import { readDelta } from './versionLines.ts';

export interface BasePorts {
  readonly blobs: Pick<BlobStore, 'get' | 'openRanges'>;
  readonly signer?: Pick<Signer, 'sign'>;
}

export class BaseLines extends LineFile {
  readonly base: BundleBase;

  private constructor(base: BundleBase, table: LineTable, ranges: BlobRanges) {
    super(table, ranges);
    this.base = base;
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
}

/**
 * The base that a delta can be written against; undefined where a version keeps no table of its
 * lines.
 */
export function baseOf(
  version: Pick<ListVersion, 'bundleBase' | 'bundleBlob' | 'linesBlob' | 'linesSeal'>,
): BundleBase | undefined {
  const { bundleBase, bundleBlob, linesBlob, linesSeal } = version;
  if (bundleBase !== undefined || linesBlob === undefined) return bundleBase;
  return { bundleBlob, linesBlob, ...(linesSeal !== undefined && { linesSeal }) };
}

/** The lines that a version changes of its base. */
export const changesOf = async (
  version: Pick<ListVersion, 'bundleBase' | 'bundleBlob'>,
  blobs: Pick<BlobStore, 'open'>,
): Promise<LineChanges> =>
  version.bundleBase ? (await readDelta(version, blobs)).changes : new Map();

const damaged = (detail: string) => new DomainError('list-damaged', { detail });
