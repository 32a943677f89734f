/**
 * The next version of a large list as a delta to a whole bundle (deltaBundle.ts). Only the entities
 * that the file names and those changed since that bundle are read, compared, hashed and signed.
 *
 * It uses the merge of mergeList.ts, which gets from the version in force only the lines that the
 * file names; the digests of all others are known (lineTable.ts). A delta holds all changes since
 * its base, never since another delta: a text is one step away, however many versions ago the base
 * was written.
 */
import { toTimestamp } from '#platform/clock';
import {
  BaseLines,
  baseOf,
  changesOf,
  isDamage,
  type LineChanges,
  lineId,
  writeDeltaBundle,
} from '#slices/lists';
import type { GatheredList } from './gatherList.ts';
import type { ImportContext } from './importStages.ts';
import { ListMerge, type MergedFacts } from './mergeList.ts';
import { isInForce, type Merged, type MergedVersion, notesOf, tellMerged } from './mergeOutcome.ts';

/** Smaller lists are written whole in less than a second. */
export const DELTA_FROM_ENTITIES = 20_000;
/** Share of the base's lines that a delta may change; it is held in memory. */
export const DELTA_SHARE_MAX = 0.1;
export const DELTA_BYTES_MAX = 128 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Undefined where a whole bundle is the better choice, or the only one. */
export async function writeDelta(
  context: ImportContext,
  gathered: GatheredList,
  listVersion: string,
): Promise<MergedVersion | undefined> {
  const { ports } = context.options;
  const { active } = context.source;
  if (gathered.file.kind !== 'delta' || active === undefined) return undefined;
  const base = baseOf(active);
  if (base === undefined) return undefined;
  if (gathered.facts.parsedCount > active.entityCount * DELTA_SHARE_MAX) return undefined;
  context.stages.enter('bundle');
  try {
    const lines = await BaseLines.open(base, ports);
    try {
      const changes = await changesOf(active, ports.blobs);
      return await writeUpon(context, gathered, { changes, lines, listVersion });
    } finally {
      await lines.close();
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    // The table of the base may be damaged while the base is whole. If not, writing the list will
    // report that.
    context.options.onLog?.('warn', `no delta can be written, so the list is: ${error.message}`);
    return undefined;
  }
}

interface Upon {
  readonly lines: BaseLines;
  /** Changes of the version in force. */
  readonly changes: LineChanges;
  readonly listVersion: string;
}

async function writeUpon(
  context: ImportContext,
  gathered: GatheredList,
  upon: Upon,
): Promise<MergedVersion | undefined> {
  const { options, run, source } = context;
  const { ports } = options;
  const { lines, listVersion } = upon;
  const named = await mergeNamed(gathered, upon);
  if (named === undefined || isTooMuch(named.changes, lines.table.count)) return undefined;
  const { changes, found } = named;
  const { entities, related, ...digests } = lines.table.digestsWith(changes);
  const facts = { ...found, ...digests, counts: { ...found.counts, entities, related } };
  const merged: Merged = { facts, notes: notesOf(gathered, facts, false) };
  if (await isInForce(ports, source.active, facts)) return merged;
  tellMerged(context, merged);
  const header = {
    base: lines.base.bundleBlob,
    content_digest: facts.contentDigest,
    entity_count: entities,
    fetched_at: toTimestamp(run.startedAt),
    list_digest: facts.listDigest,
    list_version: listVersion,
    source: source.sourceId,
  };
  async function* pieces() {
    yield* writeDeltaBundle(header, changes, ports.signer);
  }
  const put = await ports.blobs.put(pieces());
  return { ...merged, bundle: { bundleBase: lines.base, put } };
}

/** Changes of the next version against its base; undefined: of too many entities. */
async function mergeNamed(
  gathered: GatheredList,
  { changes, lines }: Upon,
): Promise<{ readonly changes: LineChanges; readonly found: MergedFacts } | undefined> {
  const { file, removed, spool } = gathered;
  const merge = new ListMerge({
    before: lines.linesOf(await namedIds(gathered), changes),
    graph: undefined,
    keepsRelations: file.keepsRelations,
    removed,
    spool,
  });
  try {
    const written = new Map<string, Buffer>();
    for await (const piece of merge.pieces()) {
      for (const line of linesIn(piece)) written.set(lineId(line), line);
    }
    const found = await merge.facts();
    const { touched } = found.changes;
    if (touched === undefined) return undefined;
    const next = new Map(changes);
    for (const { ftm_id, op } of touched) {
      if (op !== 'removed') next.set(ftm_id, written.get(ftm_id));
      else if (lines.table.has(ftm_id)) next.set(ftm_id, undefined);
      else next.delete(ftm_id);
    }
    return { changes: next, found };
  } finally {
    await merge.close();
  }
}

/** Ascending. */
async function namedIds({ removed, spool }: GatheredList): Promise<readonly string[]> {
  const ids = new Set(removed);
  for await (const batch of spool.lines()) for (const { id } of batch) ids.add(id);
  return [...ids].sort();
}

function* linesIn(piece: Uint8Array): Generator<Buffer> {
  const lines = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  let start = 0;
  for (let end = lines.indexOf(LINE_FEED); end >= 0; end = lines.indexOf(LINE_FEED, start)) {
    yield lines.subarray(start, end);
    start = end + 1;
  }
}

function isTooMuch(changes: LineChanges, count: number): boolean {
  if (changes.size > count * DELTA_SHARE_MAX) return true;
  let bytes = 0;
  for (const line of changes.values()) bytes += line?.length ?? 0;
  return bytes > DELTA_BYTES_MAX;
}
