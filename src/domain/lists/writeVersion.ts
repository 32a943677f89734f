/**
 * The bundle of the next version: merged, written and signed in one pass, and taken back before its
 * last byte where its content is in force already or must not come into force.
 */
import { toTimestamp } from '#platform/clock';
import { DomainError } from '../kernel/index.ts';
import { writeBundle } from './bundle.ts';
import type { GatheredList } from './gatherList.ts';
import { changeCounts } from './importCounts.ts';
import type { Run } from './importEvidence.ts';
import type { ImportContext } from './importStages.ts';
import { ListMerge, type MergedFacts } from './mergeList.ts';
import { refuseShrunk } from './plausible.ts';
import type { ListVersion, PutBlob } from './ports.ts';
import {
  isLoadable,
  linesInForce,
  readIndex,
  UNREADABLE_NOTE,
  VersionUnreadable,
} from './versionInForce.ts';

export interface Merged {
  readonly facts: MergedFacts;
  readonly notes: Readonly<Record<string, number>>;
}

/** Stops the writing of a bundle whose content is in force already. */
class SameContent extends Error {
  override readonly name = 'SameContent';
}

/** Without `bundle`: the same content is in force. */
export async function writeVersion(
  context: ImportContext,
  gathered: GatheredList,
  listVersion: string,
): Promise<Merged & { readonly bundle?: PutBlob }> {
  const { active } = context.source;
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
  { options, run, source, stages }: ImportContext,
  gathered: GatheredList,
  { before, listVersion }: { before: ListVersion | undefined; listVersion: string },
): Promise<Merged & { readonly bundle?: PutBlob }> {
  const { ports } = options;
  const { active, sourceId } = source;
  const isDelta = gathered.file.kind === 'delta';
  const keepsPaths = isDelta || (options.rcaPaths ?? defaultPaths(run)) === 'keep';
  stages.enter('bundle');
  const merge = new ListMerge({
    before: before && linesInForce(before, ports.blobs),
    graph: keepsPaths && before ? undefined : gathered.graph,
    keepsRelations: gathered.file.keepsRelations ?? false,
    removed: isDelta ? gathered.removed : undefined,
    spool: gathered.spool,
  });
  let merged: Merged | undefined;
  async function* pieces() {
    yield* merge.pieces();
    const facts = await merge.facts();
    const isUnreadable = active !== undefined && before === undefined;
    merged = { facts, notes: notesOf(gathered, facts, isUnreadable) };
    const isSame =
      before?.listDigest === facts.listDigest && before.contentDigest === facts.contentDigest;
    // The same file again mends a version that cannot be loaded any more.
    if (isSame && isLoadable(before, await readIndex(before, ports.blobs), ports)) {
      throw new SameContent();
    }
    stages.know(changeCounts(merged));
    tellRemoved(options, facts);
    refuseShrunk(facts.counts, source, { shrink: options.allow?.shrink ?? false });
  }
  const fetched_at = toTimestamp(run.startedAt);
  const header = { fetched_at, kind: 'full' as const, list_version: listVersion, source: sourceId };
  try {
    const bundle = await ports.blobs.put(writeBundle(header, pieces(), ports.signer));
    if (merged) return { ...merged, bundle };
  } catch (error) {
    if (merged && error instanceof SameContent) return merged;
    throw error;
  } finally {
    await merge.close();
  }
  throw new Error('blob store: put ended without reading to the end');
}

/** Whoever releases a list that shrank decides by these. */
function tellRemoved(
  { onLog }: ImportContext['options'],
  { counts: { removed }, removedNames }: MergedFacts,
): void {
  for (const name of removedNames) onLog?.('info', `removed: ${name}`);
  const others = removed - removedNames.length;
  if (others > 0) onLog?.('info', `removed: ${others} more`);
}

const defaultPaths = ({ kind }: Run) => (kind === 'delta' ? 'keep' : 'rebuild');

function notesOf(
  { file }: GatheredList,
  { unknownRemovals }: MergedFacts,
  isUnreadable: boolean,
): Readonly<Record<string, number>> {
  return {
    ...file.notes,
    ...(unknownRemovals > 0 && { 'removed-unknown': unknownRemovals }),
    ...(isUnreadable && { [UNREADABLE_NOTE]: 1 }),
  };
}
