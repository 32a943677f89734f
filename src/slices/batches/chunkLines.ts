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
import { subjectSeeds } from './batchKeys.ts';
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

/** @param of.stored the signed ones */
export async function chunkLines(
  { dataKeys, erasures }: LinePorts,
  of: {
    readonly batch: Pick<Batch, 'batchId' | 'tenantId'>;
    readonly chunk: Pick<BatchChunk, 'chunkNo'>;
    readonly stored: StoredLines;
  },
): Promise<ChunkLines> {
  const { batch, chunk, stored } = of;
  const { lines, sealed } = stored;
  const [first] = lines;
  if (sealed === undefined || first === undefined) return { lines, parse: parseResult };
  const firstOrdinal = parseResult(first).ordinal;
  // Keys before entries: an erasure in between is on record by then.
  const seedOf = await subjectSeeds(dataKeys, batch, chunk);
  const erased = await erasures.partsOf(chainOf(batch.tenantId), batch.batchId);
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
      if (erased.has(ordinal)) return { ...found, ...ERASED };
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
