/**
 * One run of a list: read into a spool, merge with the version in force into a signed bundle, build
 * the engine's index from the bundle as it was stored, verify, and publish by one atomic commit
 * (interface.md 4.9). Only the index is ever held whole in memory.
 *
 * A failure before that commit has changed nothing: blobs are named by their content, and one that
 * no version names only takes space (core/blobs). The failure itself is audited
 * (SANCTIONS_LIST_FAILED) and noted as the source's last status.
 */
import type { SourceId } from '#core/kernel';
import { WorkLost } from '#core/work';
import { uuidV7 } from '#platform/random';
import { type ListSource, type ListVersion, nextLabel, putChanges } from '#slices/lists';
import { auditFailure, publishVersion, skipSame } from './endImport.ts';
import { withSignedVersion } from './formerVersion.ts';
import { type GatheredList, gatherList } from './gatherList.ts';
import { fileCounts } from './importCounts.ts';
import type { Run } from './importEvidence.ts';
import type { ImportListOptions, ImportResult } from './importPorts.ts';
import { type ImportContext, ImportStages } from './importStages.ts';
import type { ReadList } from './reader.ts';
import { refuseDelta, refuseOlderBundle, refuseReleaseDate } from './releaseChecks.ts';
import { newSource } from './sourceCatalogue.ts';
import { verifyIndex, writeIndex } from './writeIndex.ts';
import { writeVersion } from './writeVersion.ts';

/**
 * Publishes the file as the source's new version, or skips it where its content is in force already
 * and can be loaded. Throws DomainError `list-unknown`, `list-foreign`, `list-damaged`,
 * `list-stale`, `list-shrunk` or what the commit rejects with; then nothing has changed and the
 * failure is in the platform's chain. Rejects with anything once `signal` has fired.
 */
export async function importList(options: ImportListOptions): Promise<ImportResult> {
  const { ports } = options;
  const source = await findSource(options);
  const startedAt = options.run?.startedAt ?? ports.clock.now();
  const run: Run = {
    actor: options.actor,
    kind: options.run?.kind ?? 'manual',
    runId: options.run?.runId ?? uuidV7(startedAt, ports.random),
    sourceId: source.sourceId,
    startedAt,
  };
  const context: ImportContext = { options, run, source, stages: new ImportStages(options) };
  try {
    return await runImport({ ...context, source: await withSignedVersion(options, source) });
  } catch (error) {
    const isLost = options.signal?.aborted === true || error instanceof WorkLost;
    if (!isLost) await auditFailure(context, error);
    throw error;
  }
}

async function findSource({ ports, sourceId }: ImportListOptions): Promise<ListSource> {
  return (await ports.lists.findSource(sourceId as SourceId)) ?? newSource(sourceId);
}

async function runImport(context: ImportContext): Promise<ImportResult> {
  const { options, run, source, stages } = context;
  stages.enter('read');
  const read = await gatherList(options, (bytes) => stages.progress(bytes));
  const gathered = { ...read, file: dated(read.file, source) };
  stages.hasRead(gathered.facts);
  stages.know(fileCounts(gathered));
  tellRead(context, gathered);
  try {
    const allow = { older: false, shrink: false, ...options.allow };
    if (gathered.file.kind === 'delta') refuseDelta(gathered.file, source);
    refuseReleaseDate(gathered.file.releaseDate, source, { allow, now: run.startedAt });
    refuseOlderBundle(gathered.file, source, allow);
    for (const line of gathered.file.skipped) options.onLog?.('warn', `skipped: ${line}`);
    return await publishGathered(context, gathered);
  } finally {
    await gathered.spool.close();
  }
}

function tellRead({ options }: ImportContext, { facts, file }: GatheredList): void {
  const { fileBytes, fileSha256, parsedCount } = facts;
  const of = file.releaseDate === '' ? '' : ` of ${file.releaseDate}`;
  const what = `read ${parsedCount} records${of} in ${fileBytes} bytes, SHA-256 ${fileSha256}`;
  options.onLog?.('info', what);
}

/** A delta without a date, which only removes for instance, is of the release in force. */
const dated = (file: ReadList, { active }: ListSource): ReadList =>
  file.kind === 'delta' && file.releaseDate === '' && active !== undefined
    ? { ...file, releaseDate: active.releaseDate }
    : file;

async function publishGathered(
  context: ImportContext,
  gathered: GatheredList,
): Promise<ImportResult> {
  const { options, source, stages } = context;
  const { ports } = options;
  const { sourceId } = source;
  stages.enter('compare');
  const published = await ports.lists.listVersions({ limit: 1_000, sourceId });
  const labels = published.map((version) => version.listVersion);
  const listVersion = nextLabel(gathered.file.releaseDate, labels);
  const merged = await writeVersion(context, gathered, listVersion);
  if (merged.bundle === undefined) return skipSame(context, gathered, merged);
  const { bundle, facts } = merged;
  const { put, ...named } = bundle;
  const stored = { ...named, bundleBlob: put.address };
  stages.enter('index');
  const index = await writeIndex(ports, {
    bundle: { ...stored, entityCount: facts.counts.entities },
    changes: facts.changes,
    put,
    // An overlay stands on the version in force.
    published: published[0]?.bundleBlob === source.active?.bundleBlob ? published : [],
  });
  const withSeen = index.overlayBlob !== undefined;
  const changesBlob = await putChanges(ports.blobs, facts.changes, { withSeen });
  stages.enter('verify');
  const nameCount = await verifyIndex(ports, index, facts.counts.entities);
  const { bundledAt } = gathered.file;
  const version: ListVersion = {
    ...stored,
    ...(bundledAt !== undefined && { bundledAt }),
    ...(changesBlob !== undefined && { changesBlob }),
    contentDigest: facts.contentDigest,
    entityCount: facts.counts.entities,
    listDigest: facts.listDigest,
    listVersion,
    nameCount,
    ...(index.overlayBlob !== undefined && { overlayBlob: index.overlayBlob }),
    publishedAt: ports.clock.now(),
    releaseDate: gathered.file.releaseDate,
    runId: context.run.runId,
    snapshotBlob: index.snapshotBlob,
    ...(index.snapshotSeal !== undefined && { snapshotSeal: index.snapshotSeal }),
    sourceId,
  };
  stages.enter('publish');
  return publishVersion(context, gathered, { ...merged, version });
}
