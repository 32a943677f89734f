/**
 * Separates entries that the rules made one hit (resolveLists.ts), and can undo that. A person
 * decides, with a reason that stands in the evidence; every later resolution respects it, against
 * all evidence in the lists. The entries stay unchanged: a later screening answers with one hit
 * more.
 */
import { type Asker, entry, overwrite } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { DomainError, PLATFORM_CHAIN } from '#core/kernel';
import { changedPairs, nameOf, type PairDecision } from './apartPairs.ts';
import type { ApartPair, ResolutionPointer } from './ports.ts';
import { clustersOf, readResolution } from './resolution.ts';
import {
  nextResolution,
  type ResolveInForcePorts,
  resolvedList,
  resolveInForce,
  versionsInForce,
} from './resolveInForce.ts';

/** More would be no mistakes of the rules, but another list. */
export const APART_PAIRS_MAX = 1_000;
/** Against workers that resolve at the same time. */
const CONFLICTS_MAX = 5;

export interface SeparatePorts extends ResolveInForcePorts {
  readonly blobs: Pick<BlobStore, 'get' | 'open' | 'put'>;
}

export interface SeparateEntries extends Asker, PairDecision {
  readonly reason: string;
}

/**
 * The pairs that are apart afterwards. Throws DomainError `state-conflict` where the two are not
 * one hit now (or were not taken apart), or where APART_PAIRS_MAX are.
 */
export async function separateEntries(
  ports: SeparatePorts,
  ask: SeparateEntries,
): Promise<readonly ApartPair[]> {
  return overwrite(
    async () => {
      await resolveInForce(ports);
      const versions = await versionsInForce(ports);
      const former = await ports.lists.findResolution();
      const apart = await changed(ports, ask, former);
      const { commit } = await nextResolution(ports, { apart, former, versions });
      const events = [...commit.events, entryOf(ports, ask)];
      await ports.commit(PLATFORM_CHAIN, { ...commit, events });
      return apart;
    },
    { triesMax: CONFLICTS_MAX },
  );
}

async function changed(
  ports: SeparatePorts,
  { a, b, into }: SeparateEntries,
  former: ResolutionPointer | undefined,
): Promise<readonly ApartPair[]> {
  const before = former?.apart ?? [];
  const after = changedPairs(before, { a, b, into });
  if (into === 'together') {
    if (after.length < before.length) return after;
    throw conflict(`${nameOf(a)} and ${nameOf(b)}: expected a pair that was taken apart`);
  }
  if (after.length > APART_PAIRS_MAX) {
    throw conflict(`expected at most ${APART_PAIRS_MAX} pairs that are apart`);
  }
  if (!(await areOne(ports, { a, b }, former))) {
    throw conflict(`${nameOf(a)} and ${nameOf(b)}: expected two entries that are one hit now`);
  }
  return after;
}

async function areOne(
  { blobs, lists }: SeparatePorts,
  { a, b }: ApartPair,
  former: ResolutionPointer | undefined,
): Promise<boolean> {
  const bytes = former && (await blobs.get(former.blob));
  if (former === undefined || bytes === undefined) return false;
  const inForce = (await versionsInForce({ lists })).map(resolvedList);
  const clusters = clustersOf(readResolution(bytes), { digest: former.blob, inForce });
  const cluster = clusters.find(a)?.cluster;
  return cluster !== undefined && cluster === clusters.find(b)?.cluster;
}

const entryOf = (ports: SeparatePorts, { a, actor, b, into, reason }: SeparateEntries) =>
  entry(ports, {
    action: into === 'apart' ? 'SANCTIONS_ENTRIES_SEPARATED' : 'SANCTIONS_ENTRIES_REJOINED',
    actor,
    members: { entries: [a, b].map((one) => ({ ...one })) },
    open: { reason },
    severity: 'NOTICE',
    target: 'resolution',
  });

const conflict = (detail: string): DomainError => new DomainError('state-conflict', { detail });
