/**
 * The lines of a chunk as they are read: of version 1 what was sent stands in them, of version 2 it
 * is sealed beside them, and there for as long as its key is. A subject without key must have been
 * erased by an entry of the chain; one that an entry names is erased, whatever key there is.
 */
import type { Erasures } from '#core/audit';
import type { DataKeys } from '#core/blobs';
import { chainOf, DomainError } from '#core/kernel';
import { emptySubject } from '#slices/intake';
import type { Batch, BatchChunk } from './batch.ts';
import { type SubjectSeeds, seedsOf, subjectSeeds } from './batchKeys.ts';
import { parseResult, type StoredLines, type SubjectResult } from './resultLine.ts';
import { openSubject, type SealedResult } from './subjectSeal.ts';

/** Lines in the order of their subjects, which are the leaves of the chunk's tree. */
export interface ChunkLines {
  readonly lines: readonly Buffer[];
  /**
   * One of them. Throws `results-altered` where its personal part is gone and nothing says that it
   * was erased.
   */
  parse(line: Buffer): SubjectResult;
}

export interface LinePorts {
  readonly dataKeys: Pick<DataKeys, 'find'>;
  readonly erasures: Pick<Erasures, 'partsOf'>;
}

/** What the lines of a chunk are opened with: plain, so that a thread can be given it. */
export interface LineKeys extends SubjectSeeds {
  /** Ordinals of subjects that verified entries say were erased. */
  readonly erased: ReadonlySet<number>;
}

export async function lineKeys(
  { dataKeys, erasures }: LinePorts,
  of: {
    readonly batch: Pick<Batch, 'batchId' | 'tenantId'>;
    readonly chunk: Pick<BatchChunk, 'chunkNo'>;
  },
): Promise<LineKeys> {
  const { batch, chunk } = of;
  // Keys before entries: an erasure in between is on record by then.
  const seeds = await subjectSeeds(dataKeys, batch, chunk);
  return { ...seeds, erased: await erasures.partsOf(chainOf(batch.tenantId), batch.batchId) };
}

/** @param of.stored the signed ones */
export function linesUnder(
  keys: LineKeys,
  of: { readonly batch: Pick<Batch, 'batchId'>; readonly stored: StoredLines },
): ChunkLines {
  const { batch, stored } = of;
  const { lines, sealed } = stored;
  const [first] = lines;
  if (sealed === undefined || first === undefined) return { lines, parse: parseResult };
  const firstOrdinal = parseResult(first).ordinal;
  const seedOf = seedsOf(keys);
  const refuse = (ordinal: number): never => {
    const which = `subject ${ordinal} of batch ${batch.batchId}`;
    const detail = `${which}: his data is gone, and no entry says that it was erased`;
    throw new DomainError('results-altered', { detail });
  };
  return {
    lines,
    parse: (line) => {
      const result = parseResult(line) as unknown as SealedResult;
      const { commitment: _, version: __, ...found } = result;
      const { ordinal } = found;
      if (keys.erased.has(ordinal)) return { ...found, ...ERASED };
      const at = ordinal - firstOrdinal;
      const [seed, bytes] = [seedOf(at), sealed[at]];
      const opened = seed && bytes && openSubject(result, bytes, seed);
      if (opened === undefined) return refuse(ordinal);
      const { salt, subject } = opened;
      const { external_id } = subject;
      return { ...found, external_id, salt: salt.toString('base64'), subject };
    },
  };
}

const ERASED = { erased: true as const, external_id: '', salt: '', subject: emptySubject() };
