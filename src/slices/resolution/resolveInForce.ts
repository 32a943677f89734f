/**
 * Resolves the lists in force anew where one of them has changed, and puts the result in force: one
 * blob, one record, one entry of the platform's chain. If two workers do it, they write the same
 * blob, since the lists are the same, and the second record is stale.
 *
 * A resolution in force that is not what was signed is made anew, with the pairs that entries tell.
 *
 * The lists are read from their bundles, twice and in batches; only what a list shares with another
 * one is held.
 */
import { type Commit, entry } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { type ChainId, DomainError, PLATFORM_CHAIN } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import { type ListStore, type ListVersion, linesInForce, parseEntityLine } from '#slices/lists';
import type { ApartPair, ResolutionPointer, ResolutionStore, ResolvedList } from './ports.ts';
import { isResolutionOf, type ListResolution, writeResolution } from './resolution.ts';
import { type ListToResolve, resolveLists } from './resolveLists.ts';
import type { SignedResolutions } from './signedResolutions.ts';
import { resolutionTable } from './tables.ts';

/** Invented entities are no real ones, and never resolve. */
const SYNTHETIC = 'DEMO';

export interface ResolveInForcePorts {
  readonly lists: Pick<ListStore & ResolutionStore, 'listSources' | 'findResolution'>;
  readonly signed: SignedResolutions;
  readonly blobs: Pick<BlobStore, 'open' | 'put'>;
  /** AuditLog.commit. */
  readonly commit: (chainId: ChainId, commit: Commit) => Promise<unknown>;
  readonly clock: Clock;
  readonly random: Random;
}

export interface ResolveOutcome {
  /** `current`: nothing to do. `overtaken`: another worker was first. */
  readonly status: 'current' | 'resolved' | 'overtaken';
  readonly links: number;
}

/** Rejects with VersionUnreadable where a bundle is gone; then nothing has changed. */
export async function resolveInForce(ports: ResolveInForcePorts): Promise<ResolveOutcome> {
  const versions = await versionsInForce(ports);
  const former = await ports.lists.findResolution();
  const inForce = versions.map(resolvedList);
  const isAltered = (await ports.signed.refusal(former)) !== undefined;
  const hasAny = versions.length > 1 || former !== undefined;
  const isCurrent = !isAltered && former?.isCarried !== true && isResolutionOf(former, inForce);
  if (!hasAny || isCurrent) return { links: 0, status: 'current' };
  const apart = isAltered ? await ports.signed.apart() : (former?.apart ?? []);
  const next = await nextResolution(ports, { apart, former, versions });
  const { resolution } = next;
  try {
    await ports.commit(PLATFORM_CHAIN, next.commit);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'state-conflict') throw error;
    return { links: resolution.links.length, status: 'overtaken' };
  }
  return { links: resolution.links.length, status: 'resolved' };
}

/** A resolution of these versions, written, and the commit that puts it in force. */
export async function nextResolution(
  ports: ResolveInForcePorts,
  of: {
    readonly versions: readonly ListVersion[];
    readonly apart: readonly ApartPair[];
    readonly former: ResolutionPointer | undefined;
  },
): Promise<{ readonly resolution: ListResolution; readonly commit: Commit }> {
  const { apart, former, versions } = of;
  const lists = versions.map((version) => toResolve(version, ports));
  const resolution = await resolveLists(lists, { apart });
  const { address } = await ports.blobs.put(writeResolution(resolution));
  const pointer: ResolutionPointer = {
    blob: address,
    lists: resolution.lists,
    ...(apart.length > 0 && { apart }),
    version: (former?.version ?? 0) + 1,
  };
  return { commit: commitOf(ports, pointer, resolution), resolution };
}

export async function versionsInForce({
  lists,
}: Pick<ResolveInForcePorts, 'lists'>): Promise<ListVersion[]> {
  const sources = await lists.listSources();
  return sources
    .flatMap(({ active }) => active ?? [])
    .filter(({ sourceId }) => sourceId !== SYNTHETIC);
}

export const resolvedList = (version: ListVersion): ResolvedList => [
  version.sourceId,
  version.listDigest,
  version.contentDigest,
];

function toResolve(version: ListVersion, { blobs }: ResolveInForcePorts): ListToResolve {
  return {
    list: resolvedList(version),
    read: async (onEntity) => {
      for await (const lines of linesInForce(version, blobs)) {
        for (const line of lines) onEntity(parseEntityLine(line));
      }
    },
  };
}

function commitOf(
  ports: ResolveInForcePorts,
  pointer: ResolutionPointer,
  resolution: ListResolution,
): Commit {
  const event = entry(ports, {
    action: 'SANCTIONS_LISTS_RESOLVED',
    actor: 'system',
    members: {
      links: resolution.links.length,
      lists: pointer.lists.map((list) => [...list]),
      resolution: pointer.blob,
    },
    severity: 'INFO',
    target: 'resolution',
  });
  return { bus: [], changes: [resolutionTable.insert(pointer)], events: [event] };
}
