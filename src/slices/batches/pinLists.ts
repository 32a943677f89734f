/**
 * The lists that a batch is screened against, chosen once, when it starts: the versions in force
 * then, by the rules of every other screening. For modes that continue from an earlier batch, also
 * the version that is known already (interface.md 2.3, decisions 4.4).
 *
 *   full         every chosen list, all of it
 *   delta        since the version that was in force at `since`, else since the base batch's
 *   listsdelta   since the base batch's; only what was added counts (pinnedLists.ts)
 *   newlist      the lists that the base batch did not know, all of each
 *
 * A list without an earlier version is new as a whole. The base was chosen when the batch was
 * created (baseBatch.ts); one of mode `newlist` also knew what its own base knew. One of mode
 * `listsdelta` did not screen changed entities, so a `delta` after it starts from the version
 * before.
 */
import type { SettlingAudit } from '#core/audit';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  type ListStore,
  type ListVersion,
  type SignedVersions,
  signedInForce,
} from '#slices/lists';
import type { ResolutionStore } from '#slices/resolution';
import { type ListSet, listSetOfVersions, selectVersions } from '#slices/screening';
import type { Batch, PinnedList } from './batch.ts';
import type { BatchStore } from './ports.ts';
import type { SignedResults } from './signedResults.ts';

export interface PinPorts {
  readonly lists: Pick<
    ListStore & ResolutionStore,
    'everyVersion' | 'findResolution' | 'listSources'
  >;
  readonly batches: Pick<BatchStore, 'findBatch'>;
  readonly signed: Pick<SignedVersions, 'checkInForce' | 'missing'>;
  readonly results: Pick<SignedResults, 'checkCompleted'>;
  /** Finishes commits that their writer left. */
  readonly audit?: SettlingAudit;
}

/** The list versions in force, for a batch that starts. */
export interface PinnedSet {
  /** Lists by source; never empty. */
  readonly listsPinned: readonly PinnedList[];
  /** SHA-256 of the set, as screenings have it (decisions 2.10). */
  readonly listVersion: string;
  readonly listVersionV?: ListSet['listVersionV'];
  /** Blob of the resolution in force. */
  readonly resolution?: string;
}

/**
 * Rejects with `list-unknown`, `list-unavailable` or `batch-base-missing`; with `list-altered` or
 * `results-altered` where what is in force, or the base, is not what was signed.
 */
export async function pinLists(ports: PinPorts, batch: Batch): Promise<PinnedSet> {
  const published = await signedInForce(ports);
  const chosen = selectVersions(published, batch.lists.length === 0 ? undefined : batch.lists, {
    off: batch.settings.sourcesOff,
    pointer: '/lists',
    sandbox: batch.sandbox,
  });
  const known: Known = goesOn(batch) ? await knownBefore(ports, batch) : new Map();
  const versions = batch.mode === 'newlist' ? unknownTo(known, chosen) : chosen;
  const sinceOf = await sinceFor(ports, batch, known);
  const listsPinned: PinnedList[] = [];
  for (const version of versions) {
    const since = await sinceOf(version);
    listsPinned.push({ ...pinOf(version), ...(since !== undefined && { since }) });
  }
  const resolution = await ports.lists.findResolution();
  const { listVersion, listVersionV } = listSetOfVersions(versions, resolution?.blob);
  return {
    listVersion,
    ...(listVersionV && { listVersionV }),
    listsPinned,
    ...(resolution !== undefined && { resolution: resolution.blob }),
  };
}

type Since = NonNullable<PinnedList['since']>;

const referenceOf = ({ contentDigest, listDigest, listVersion }: ListVersion): Since => ({
  content_digest: contentDigest,
  list_digest: listDigest,
  list_version: listVersion,
});

const pinOf = (version: ListVersion): PinnedList => ({
  ...referenceOf(version),
  index: version.snapshotBlob,
  ...(version.overlayBlob !== undefined && { overlay: version.overlayBlob }),
  published_at: version.publishedAt,
  source: version.sourceId,
});

const goesOn = ({ mode, since }: Batch): boolean =>
  mode === 'listsdelta' || mode === 'newlist' || (mode === 'delta' && since === undefined);

/** By source, the version against which the cohort was screened last. */
type Known = ReadonlyMap<string, Since>;

async function knownBefore(ports: PinPorts, batch: Batch): Promise<Known> {
  const { baseBatchId, mode, tenantId } = batch;
  const base = baseBatchId && (await findBase(ports, { batchId: baseBatchId, tenantId }));
  if (base) return knownTo(ports, base, mode);
  throw new DomainError('batch-base-missing', {
    detail: `mode ${mode}: expected a completed batch of this name to go on from`,
  });
}

/** What the base was screened against decides what is left out: it must be what was signed. */
async function findBase(
  { batches, results }: PinPorts,
  key: Pick<Batch, 'batchId' | 'tenantId'>,
): Promise<Batch | undefined> {
  const base = await batches.findBatch(key);
  if (base !== undefined) await results.checkCompleted(base);
  return base;
}

/** If it has not screened everything that `asked` is about, its own base may have. */
async function knownTo(
  ports: PinPorts,
  { baseBatchId, listsPinned = [], mode, tenantId }: Batch,
  asked: Batch['mode'],
): Promise<Known> {
  const isOfAdded = mode === 'listsdelta' && asked === 'delta';
  const screened = listsPinned.filter(({ since }) => !isOfAdded || since === undefined);
  const own = screened.map((list) => [list.source, sinceOfPin(list)] as const);
  if (!(mode === 'newlist' || isOfAdded) || baseBatchId === undefined) return new Map(own);
  // The recursion ends: a base was completed before the batch that continues from it began.
  const base = await findBase(ports, { batchId: baseBatchId, tenantId });
  return new Map([...(base ? await knownTo(ports, base, asked) : []), ...own]);
}

const sinceOfPin = ({ content_digest, list_digest, list_version }: PinnedList): Since => ({
  content_digest,
  list_digest,
  list_version,
});

function unknownTo(known: Known, chosen: readonly ListVersion[]) {
  const versions = chosen.filter(({ sourceId }) => !known.has(sourceId));
  if (versions.length > 0) return versions;
  throw new DomainError('batch-base-missing', {
    detail: 'expected a list that the batch before did not have; it had all of them',
  });
}

/** Answers of one version of a source, before it: the one that is known already. */
async function sinceFor(
  { lists }: PinPorts,
  { mode, since }: Batch,
  known: Known,
): Promise<(version: ListVersion) => Promise<Since | undefined>> {
  if (mode === 'full' || mode === 'newlist') return async () => undefined;
  if (mode === 'delta' && since !== undefined) {
    return async ({ sourceId }) => {
      const former = await inForceAt(lists, sourceId, since);
      return former && referenceOf(former);
    };
  }
  return async ({ sourceId }) => known.get(sourceId);
}

async function inForceAt(
  lists: PinPorts['lists'],
  sourceId: ListVersion['sourceId'],
  at: EpochMs,
): Promise<ListVersion | undefined> {
  for await (const version of lists.everyVersion(sourceId)) {
    if (version.publishedAt <= at) return version;
  }
  return undefined;
}
