/**
 * The bundle of the next version: merged, written and signed in one pass, and taken back before its
 * last byte where its content is in force already or must not come into force.
 */
import { DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  type BundleHeader,
  bytesOfHead,
  columnBytes,
  type LineColumns,
  type ListVersion,
  linesInForce,
  SealedPut,
  VersionUnreadable,
  writeBundle,
} from '#slices/lists';
import type { GatheredList } from './gatherList.ts';
import type { Run } from './importEvidence.ts';
import type { ImportPorts } from './importPorts.ts';
import type { ImportContext } from './importStages.ts';
import { ListMerge } from './mergeList.ts';
import {
  isInForce,
  type Merged,
  type MergedVersion,
  notesOf,
  tellMerged,
  type WrittenBundle,
} from './mergeOutcome.ts';
import { DELTA_FROM_ENTITIES, writeDelta } from './writeDelta.ts';

/** Approximate bytes of an entity. */
const LINE_BYTES = 900;

/** Stops the writing of a bundle whose content is in force already. */
class SameContent extends Error {
  override readonly name = 'SameContent';
}

export async function writeVersion(
  context: ImportContext,
  gathered: GatheredList,
  listVersion: string,
): Promise<MergedVersion> {
  const { active } = context.source;
  const small = await writeDelta(context, gathered, listVersion);
  if (small) return small;
  const write = (before: ListVersion | undefined) =>
    writeMerged(context, gathered, { before, listVersion });
  try {
    return await write(active);
  } catch (error) {
    if (!(error instanceof VersionUnreadable)) throw error;
    if (gathered.file.kind === 'delta') {
      const detail = `the version that the delta starts from cannot be read: ${error.message}`;
      throw new DomainError('list-damaged', { cause: error, detail });
    }
    context.options.onLog?.('warn', `the version in force cannot be read: ${error.message}`);
    return write(undefined);
  }
}

async function writeMerged(
  context: ImportContext,
  gathered: GatheredList,
  { before, listVersion }: { before: ListVersion | undefined; listVersion: string },
): Promise<MergedVersion> {
  const { options, run, source, stages } = context;
  const { ports } = options;
  const { active, sourceId } = source;
  const isDelta = gathered.file.kind === 'delta';
  const keepsPaths = isDelta || (options.rcaPaths ?? defaultPaths(run)) === 'keep';
  stages.enter('bundle');
  const expectedBytes =
    gathered.spool.bytes + (isDelta ? (before?.entityCount ?? 0) * LINE_BYTES : 0);
  const merge = new ListMerge(
    {
      before: before && linesInForce(before, ports.blobs),
      graph: keepsPaths && before ? undefined : gathered.graph,
      keepsRelations: gathered.file.keepsRelations,
      removed: isDelta ? gathered.removed : undefined,
      spool: gathered.spool,
    },
    { expectedBytes },
  );
  let merged: Merged | undefined;
  let columns: LineColumns | undefined;
  async function* pieces() {
    yield* merge.pieces();
    const { columns: kept, ...facts } = await merge.facts();
    columns = kept;
    const isUnreadable = active !== undefined && before === undefined;
    merged = { facts, notes: notesOf(gathered, facts, isUnreadable) };
    if (await isInForce(ports, before, facts)) throw new SameContent();
    tellMerged(context, merged);
  }
  const fetched_at = toTimestamp(run.startedAt);
  const header = { fetched_at, kind: 'full' as const, list_version: listVersion, source: sourceId };
  try {
    const bundle = writeBundle(header, pieces(), ports.signer, expectedBytes);
    const put = await ports.blobs.put(bundle, { expectedBytes });
    if (merged) return { ...merged, bundle: { put, ...(await putLines(ports, header, columns)) } };
  } catch (error) {
    if (merged && error instanceof SameContent) return merged;
    throw error;
  } finally {
    await merge.close();
  }
  throw new Error('blob store: put ended without reading to the end');
}

const defaultPaths = ({ kind }: Run) => (kind === 'delta' ? 'keep' : 'rebuild');

/** Stores the table of a large list's lines, for deltas. */
async function putLines(
  ports: ImportPorts,
  header: BundleHeader,
  columns: LineColumns | undefined,
): Promise<Pick<WrittenBundle, 'linesBlob' | 'linesSeal'>> {
  const { blobs, deltaFromEntities = DELTA_FROM_ENTITIES } = ports;
  if (columns === undefined || columns.count < deltaFromEntities) return {};
  async function* bytes(all: LineColumns) {
    yield* columnBytes(all, bytesOfHead(header));
  }
  const sealed = new SealedPut(ports);
  const put = await blobs.put(bytes(columns), { sealKey: sealed.key });
  const linesSeal = sealed.stored(put);
  return { linesBlob: put.address, ...(linesSeal !== undefined && { linesSeal }) };
}
