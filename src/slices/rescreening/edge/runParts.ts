/** The parts for re-screening in a worker: an engine of its own, pinned lists, and what is new. */
import { identityStore } from '#core/identity';
import { DomainError, type TenantId } from '#core/kernel';
import { mayProcess, requireProcessing } from '#core/privacy';
import {
  PinnedClusters,
  type PinnedList,
  type PinnedParts,
  pinnedParts,
  queryOf,
  SUBJECT_DEADLINE_MS,
} from '#slices/batches';
import { entityDigest, exclusionPartsOf } from '#slices/exclusions';
import type { Subject } from '#slices/intake';
import { readChanges, signedInForce } from '#slices/lists';
import { policiesInForceOf } from '#slices/policies';
import {
  createRescreeningFigures,
  DELTA_ENTRIES_MAX,
  entryName,
  type RescreeningPorts,
  type RescreeningRun,
  type RunLists,
  SignedSightings,
  signedEntries,
} from '#slices/rescreening';
import {
  type EngineIndex,
  exclusions,
  listSetOfVersions,
  type ScreeningEngine,
  screeningEngine,
  screenQuery,
  selectVersions,
  subjectKeyOfRef,
} from '#slices/screening';
import type { WorkerProcess } from '../../processes.ts';

const QUEUE_MAX = 256;

/** What runs share in a process. */
interface Shared extends Pick<PinnedParts<EngineIndex>, 'indexes' | 'lists' | 'signed'> {
  readonly process: WorkerProcess;
  readonly clusters: PinnedClusters;
}

/** One for the process; its engine starts with the first run, and ends with the process. */
export const runPartsOf = (process: WorkerProcess): RescreeningPorts => process.once(openParts);

/** Most workers re-screen a few times a day: threads that wait for it would hold 40 MB each. */
const engineOf = (process: WorkerProcess): Promise<ScreeningEngine> =>
  process.need(screeningEngine)({
    queueMax: QUEUE_MAX,
    threads: Math.max(1, process.config.batchThreads),
    threadsRest: true,
  });

function openParts(process: WorkerProcess): RescreeningPorts {
  const { blobs, clock, commit, keyRing, random, storage } = process;
  const engine = (): Promise<ScreeningEngine> => process.once(engineOf);
  const { indexes, lists, signed } = pinnedParts<EngineIndex>(process, engine);
  const shared = { clusters: new PinnedClusters(), indexes, lists, process, signed };
  const { entitiesOf } = exclusionPartsOf(process);
  const entries = signedEntries({ audit: storage.audit, keyRing });
  return {
    blobs,
    clock,
    commit,
    entries,
    figures: createRescreeningFigures(process.metrics, clock),
    identityOf: async (run, entries) => {
      const asked = entries.map(({ ftmId, source }) => {
        const list = run.listsPinned.find((one) => one.source === source);
        return {
          content_digest: list?.content_digest ?? '',
          id: ftmId,
          list_digest: list?.list_digest ?? '',
          list_version: list?.list_version ?? '',
          source,
        };
      });
      const found = await entitiesOf(asked, { turn: run.tenantId });
      return found.map((entity) => entity && entityDigest(entity));
    },
    open: (run) => openRun(shared, run),
    pin: (tenantId) => pin(shared, tenantId),
    random,
    sightings: new SignedSightings(entries),
    tables: storage.tables,
  };
}

/** The lists in force and the policy, by the rules of every other screening. */
async function pin({ lists, process, signed }: Shared, tenantId: TenantId) {
  const { storage } = process;
  const tenant = await identityStore(storage.tables).findTenant(tenantId);
  const sandbox = tenant?.kind === 'sandbox';
  const { content, settings } = await policiesInForceOf(process).of(tenantId);
  const published = await signedInForce({ audit: storage.audit, lists, signed });
  const asked = { off: settings.sourcesOff, pointer: '/lists', sandbox };
  const versions = selectVersions(published, undefined, asked);
  const resolution = await lists.findResolution();
  const { listVersion, listVersionV } = listSetOfVersions(versions, resolution?.blob);
  return {
    listVersion,
    ...(listVersionV && { listVersionV }),
    listsPinned: versions.map((version) => ({
      content_digest: version.contentDigest,
      index: version.snapshotBlob,
      list_digest: version.listDigest,
      list_version: version.listVersion,
      ...(version.overlayBlob !== undefined && { overlay: version.overlayBlob }),
      published_at: version.publishedAt,
      source: version.sourceId,
    })),
    ...(resolution !== undefined && { resolution: resolution.blob }),
    isWanted: content.flags.continuous_screening_enabled,
    sandbox,
    settings,
  };
}

async function openRun(shared: Shared, run: RescreeningRun): Promise<RunLists> {
  const { indexes, process } = shared;
  const { tenantId } = run;
  await requireProcessing(process.ask(mayProcess), { tenantId }, 'rescreening');
  const resolution = run.resolution === undefined ? {} : { resolution: run.resolution };
  const listsPinned = run.listsPinned.map(({ since: _, ...list }) => list);
  const engine = await process.once(engineOf);
  const whole = await indexes.acquire({ ...resolution, listsPinned, mode: 'full' });
  const clusters = whole.resolution && shared.clusters.of(whole.resolution);
  const known = await process.ask(exclusions)({ tenantId });
  const changed = run.mode === 'delta' ? await changedOf(shared, run.listsPinned) : undefined;
  const delta =
    changed === undefined
      ? undefined
      : await indexes.acquire({ ...resolution, listsPinned: run.listsPinned, mode: 'delta' });
  const near = delta?.lists.map(({ index }) => index);
  const listSet = {
    listVersion: run.listVersion,
    ...(run.listVersionV && { listVersionV: run.listVersionV }),
    references: listsPinned.map(
      ({ content_digest, index, list_digest, list_version, overlay, source }) => ({
        content_digest,
        ...(index !== undefined && { index }),
        list_digest,
        list_version,
        ...(overlay !== undefined && { overlay }),
        source,
      }),
    ),
  };
  return {
    changed: changed ?? new Set(),
    isNear: near && ((subject) => isNear(engine, run, { indexes: near, subject })),
    release: () => {
      whole.release();
      delta?.release();
    },
    screen: (subject) =>
      screenQuery(
        {
          clock: process.clock,
          deadlineMs: SUBJECT_DEADLINE_MS,
          engine,
          random: process.random,
        },
        {
          clusters,
          exclusions: known,
          listSet,
          lists: whole.lists,
          namePointer: '/full_name',
          query: queryOf(subject),
          channel: 'rescreening',
          requestedBy: 'system:rescreening',
          subjectKey: subjectKeyOfRef(tenantId, subject.external_id),
          settings: run.settings,
          tenantId,
        },
      ).catch(unlessNameEmpty),
  };
}

/**
 * Whether a changed entry reaches the lowest threshold: a score follows from the entry and the
 * query alone, so nobody else has another hit than before (docs/decisions/0013-overlays.md).
 */
async function isNear(
  engine: ScreeningEngine,
  { settings, tenantId }: RescreeningRun,
  of: { readonly indexes: readonly EngineIndex[]; readonly subject: Subject },
): Promise<boolean> {
  if (of.indexes.length === 0) return false;
  const least = Math.min(...Object.values(settings.thresholds));
  const { candidates } = await engine.screen({
    deadlineMs: SUBJECT_DEADLINE_MS,
    indexes: of.indexes,
    query: queryOf(of.subject),
    settings: {
      ...settings,
      answerScoreMin: least,
      directScoreMin: least,
      topN: 1,
      version: settings.rerankerVersion,
    },
    turn: tenantId,
  });
  return candidates.length > 0;
}

/**
 * Names of entries that have changed or gone since the last run; undefined where that is not known
 * of a list, or there are so many that everybody is screened whole.
 */
async function changedOf(
  { lists, process, signed }: Shared,
  pinned: readonly PinnedList[],
): Promise<ReadonlySet<string> | undefined> {
  const changed = new Set<string>();
  for (const { list_version: listVersion, since, source } of pinned) {
    if (since === undefined) return undefined;
    const from = await lists.findVersion({ listVersion: since.list_version, sourceId: source });
    const to = await lists.findVersion({ listVersion, sourceId: source });
    if (from === undefined || to === undefined) return undefined;
    if (listVersion === since.list_version) continue;
    for (const address of (await signed.changesSince({ from, to })) ?? [undefined]) {
      const changes = address && (await readChanges(process.blobs, address));
      if (!changes) return undefined;
      for (const { ftm_id: ftmId, op } of changes) {
        if (op !== 'seen') changed.add(entryName({ ftmId, source }));
      }
      if (changed.size > DELTA_ENTRIES_MAX) return undefined;
    }
  }
  return changed;
}

/** A customer whose name has no letter has nothing to be compared. */
function unlessNameEmpty(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'name-empty') return undefined;
  throw error;
}
