/**
 * Reads a file into the spool: entities as canonical lines, sorted once all are there, and the
 * graph of their relations. The reader gets its next chunk only when the spool has room for more.
 */
import { createHash } from 'node:crypto';
import { canonicalLine } from '#slices/lists';
import { FileHead } from './archiveHint.ts';
import type { FileFacts } from './importEvidence.ts';
import type { ImportListOptions } from './importPorts.ts';
import { additionLine } from './keptRelations.ts';
import { RcaGraph } from './rca.ts';
import type { ListSink, ReadList } from './reader.ts';
import { openSpoolFolder, SortedSpool } from './sortedSpool.ts';

export interface GatheredList {
  readonly file: ReadList;
  readonly facts: FileFacts;
  readonly spool: SortedSpool;
  readonly graph: RcaGraph;
  readonly removed: readonly string[];
}

/** The spool is the caller's to close; it is closed here only where this throws. */
export async function gatherList(
  options: ImportListOptions,
  onBytes: (bytes: number) => void,
): Promise<GatheredList> {
  const { ports } = options;
  await openSpoolFolder(ports.spoolDirectory);
  const spool = new SortedSpool({
    directory: ports.spoolDirectory,
    ...(ports.spoolRunBytes !== undefined && { runBytes: ports.spoolRunBytes }),
  });
  const graph = new RcaGraph(options.rca);
  const removed: string[] = [];
  const digest = createHash('sha256');
  const head = new FileHead();
  let fileBytes = 0;
  let additions = 0;
  const ready = async () => {
    options.signal?.throwIfAborted();
    if (spool.isFull) await spool.flush();
  };
  const sink: ListSink = {
    entity(entity) {
      spool.add(entity.ftm_id, canonicalLine(entity));
      graph.add(entity);
    },
    line(entity, line) {
      spool.add(entity.ftm_id, line);
      graph.add(entity);
    },
    added(ftmId, addition) {
      spool.add(ftmId, additionLine(addition));
      additions++;
    },
    ready,
    removed: (ftmId) => removed.push(ftmId),
  };
  async function* chunks() {
    for await (const chunk of options.read) {
      await ready();
      digest.update(chunk);
      head.add(chunk);
      fileBytes += chunk.length;
      yield chunk;
    }
  }
  try {
    const { sourceId } = options;
    const scratchFolder = ports.spoolDirectory;
    const file = await options.reader.read(chunks(), { onBytes, scratchFolder, sink, sourceId });
    const facts = {
      fileBytes,
      fileSha256: digest.digest('hex'),
      parsedCount: spool.count - additions + removed.length,
      skippedCount: file.skipped.length,
    };
    return { facts, file, graph, removed, spool };
  } catch (error) {
    await spool.close();
    throw head.explain(error, options.reader.format);
  }
}
