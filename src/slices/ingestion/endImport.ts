/**
 * How a run ends: the commits of a publication, of a skipped run and of a failed one, each with the
 * run's own record and the source as it is afterwards.
 */
import { type Commit, overwrite, StaleChange } from '#core/audit';
import { DomainError, PLATFORM_CHAIN, type SourceId } from '#core/kernel';
import { WorkLost } from '#core/work';
import { type ListSource, type ListVersion, versionChanges } from '#slices/lists';
import type { GatheredList } from './gatherList.ts';
import { changeCounts, fileCounts } from './importCounts.ts';
import { failure, failureReason, publication, skip } from './importEvidence.ts';
import type { EndedRun, ImportListOptions, ImportResult } from './importPorts.ts';
import type { ImportContext } from './importStages.ts';
import type { Merged } from './mergeOutcome.ts';
import type { ListRun } from './ports.ts';
import { endedRun, isStillHeld, type RunEnd } from './runs.ts';
import { newSource } from './sourceCatalogue.ts';

/** Against changes of the source by persons. */
const CONFLICTS_MAX = 5;

export async function publishVersion(
  context: ImportContext,
  gathered: GatheredList,
  merged: Merged & { readonly version: ListVersion },
): Promise<ImportResult> {
  const { options, run, source } = context;
  const { facts, notes, version } = merged;
  const status = gathered.file.skipped.length > 0 ? 'partial' : 'success';
  const { shrinkApprovedBy, shrinkReleased } = options.allow ?? {};
  const end: RunEnd = {
    ...endOf(context, gathered, merged),
    entityCount: version.entityCount,
    listVersion: version.listVersion,
    ...(shrinkApprovedBy !== undefined && { shrinkApprovedBy }),
    snapshotUri: version.bundleBlob,
    status,
  };
  const published = {
    ...gathered.facts,
    counts: facts.counts,
    notes,
    shrinkApprovedBy,
    shrinkReleased,
    version,
  };
  const { carryOver, lists } = options.ports;
  const carry = { changes: facts.changes, former: source.active, version };
  await commitEnd(context, end, async (ended) => {
    const carried = await carryOver?.(carry);
    const recorded = await versionChanges(lists, version);
    return publication(options.ports, run, { ended, facts: { ...published, carried, recorded } });
  });
  options.onLog?.('info', `${source.sourceId} ${version.listVersion} is in force`);
  return resultOf(context, gathered, { merged, status, version });
}

export async function skipSame(
  context: ImportContext,
  gathered: GatheredList,
  merged: Merged,
): Promise<ImportResult> {
  const { options, run, source } = context;
  const version = source.active;
  if (version === undefined) throw new Error('content is the same as that of no version');
  const { entityCount, listVersion } = version;
  const end = { ...endOf(context, gathered, merged), entityCount, listVersion };
  await commitEnd(context, { ...end, status: 'skipped' }, (ended) =>
    skip(options.ports, run, { ended, facts: { ...gathered.facts, version } }),
  );
  options.onLog?.('info', `the content of ${listVersion} is in force already`);
  return resultOf(context, gathered, { merged, status: 'skipped', version });
}

function endOf(
  { options, stages }: ImportContext,
  gathered: GatheredList,
  merged: Merged,
): Omit<RunEnd, 'status'> {
  return {
    ...fileCounts(gathered),
    ...changeCounts(merged),
    durationsMs: stages.durations(),
    fileSha256: gathered.facts.fileSha256,
    validators: { ...options.validators?.(gathered.file), fileSha256: gathered.facts.fileSha256 },
  };
}

function resultOf(
  { run, stages }: ImportContext,
  { facts, file }: GatheredList,
  of: { merged: Merged; status: ImportResult['status']; version: ListVersion },
): ImportResult {
  const { merged, status, version } = of;
  return {
    counts: merged.facts.counts,
    ...(file.declaredCount !== undefined && { declaredCount: file.declaredCount }),
    durationsMs: stages.durations(),
    fileBytes: facts.fileBytes,
    fileSha256: facts.fileSha256,
    kind: run.kind,
    notes: merged.notes,
    parsedCount: facts.parsedCount,
    runId: run.runId,
    skipped: file.skipped,
    status,
    version,
  };
}

/**
 * Compare-and-set on the source: of two runs at once, one publishes and the other is stale. A
 * change of the source by a person in between is no other run: the end is written again upon it.
 */
async function commitEnd(
  context: ImportContext,
  end: RunEnd,
  commitOf: (ended: EndedRun) => Commit | Promise<Commit>,
): Promise<void> {
  const { ports, signal } = context.options;
  let { source } = context;
  let changes: Commit['changes'] = [];
  try {
    await overwrite(
      async () => {
        const commit = await commitOf(await endRun(context, source, end));
        changes = commit.changes;
        await ports.commit(PLATFORM_CHAIN, commit);
      },
      {
        mayRepeat: async (stale) => {
          if (signal?.aborted === true || !isStillHeld(changes, stale)) return false;
          const { active } = source;
          source = (await findSource(context.options)) ?? source;
          return source.active?.bundleBlob === active?.bundleBlob;
        },
        triesMax: CONFLICTS_MAX,
      },
    );
  } catch (cause) {
    if (!(cause instanceof StaleChange) || signal?.aborted === true) throw cause;
    throw new DomainError('list-stale', { cause, detail: 'another run was first' });
  }
}

async function endRun(
  { options, run }: ImportContext,
  source: ListSource,
  end: RunEnd,
): Promise<EndedRun> {
  const at = options.ports.clock.now();
  if (options.endRun) return options.endRun({ at, end, source });
  const { actor: triggeredBy, ...facts } = run;
  const record: ListRun = { ...facts, log: [], status: 'running', triggeredBy, version: 1 };
  return { changes: [], source: endedRun({ at, end, run: record, source }).source };
}

/** If even this cannot be written, the caller gets both errors. */
export async function auditFailure(context: ImportContext, error: unknown): Promise<void> {
  const { options, run, stages } = context;
  const { ports } = options;
  const { code, detail } = failureReason(error);
  options.onLog?.('error', `${code}: ${detail}`);
  const { file } = stages;
  const known = stages.known();
  const end: RunEnd = {
    ...known,
    ...(file !== undefined && { fileSha256: file.fileSha256 }),
    errorCode: code,
    errorMessage: detail,
    status: 'failed',
  };
  try {
    const source = (await findSource(options)) ?? newSource(options.sourceId);
    await commitEnd({ ...context, source }, end, (ended) =>
      failure(ports, run, { ended, error, file }),
    ).catch((cause: unknown) => {
      if (!(cause instanceof DomainError) || cause.code !== 'list-stale') throw cause;
      // Another run's end came in between: its status is the newer one, the evidence is owed.
      return ports.commit(PLATFORM_CHAIN, failure(ports, run, { error, file }));
    });
  } catch (cause) {
    if (cause instanceof WorkLost) throw cause;
    throw new DomainError('store-unavailable', {
      detail: `the run failed (${code}: ${detail}) and could not be audited`,
      cause: new AggregateError([error, cause]),
    });
  }
}

const findSource = ({ ports, sourceId }: ImportListOptions): Promise<ListSource | undefined> =>
  ports.lists.findSource(sourceId as SourceId);
