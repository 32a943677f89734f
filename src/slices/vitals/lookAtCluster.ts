/** A look at the cluster: beats of its processes, lists in force, the store and its outbox. */
import { allRecords } from '#core/kernel';
import {
  type ClusterLook,
  type ClusterVerdict,
  type ExpectedList,
  judgeCluster,
} from './clusterHealth.ts';
import type { LookPorts } from './ports.ts';
import { beatTable } from './tables.ts';

/** What was found, and what it means. */
export interface LookedAt extends ClusterLook {
  readonly verdict: ClusterVerdict;
}

/** Where the store does not answer there are no beats to read, and the verdict says so. */
export async function lookAtCluster(ports: LookPorts): Promise<LookedAt> {
  const look = await found(ports);
  return { ...look, verdict: judgeCluster(look) };
}

async function found(ports: LookPorts): Promise<ClusterLook> {
  const before = ports.clock.monotonicMs();
  try {
    await ports.ping();
  } catch {
    return {
      beats: [],
      expected: [],
      now: ports.clock.now(),
      storePingMs: undefined,
      subscribers: [],
    };
  }
  const storePingMs = ports.clock.monotonicMs() - before;
  const [beats, sources, figures] = await Promise.all([
    allRecords(ports.tables, beatTable, { index: 'key' }),
    ports.listSources(),
    ports.subscribers(),
  ]);
  const now = ports.clock.now();
  const expected = sources.flatMap(({ active }): readonly ExpectedList[] =>
    active === undefined
      ? []
      : [
          {
            entities: active.entityCount,
            inForceAt: active.publishedAt,
            list_digest: active.listDigest,
            list_version: active.listVersion,
            source: active.sourceId,
          },
        ],
  );
  const subscribers = figures.map(({ oldestAt, setAside, subscriber, waiting }) => ({
    oldestS: oldestAt === undefined ? 0 : Math.max(0, (now - oldestAt) / 1_000),
    setAside,
    subscriber,
    waiting,
  }));
  return { beats, expected, now, storePingMs, subscribers };
}
