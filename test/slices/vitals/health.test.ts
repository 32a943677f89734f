/** What the cluster is like, and what is wrong while it lasts, by beats that a test makes. */
import { expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import type { ListSource } from '#slices/lists';
import {
  type Beat,
  clusterTroubles,
  type ExpectedList,
  isStale,
  judgeCluster,
  type LookedAt,
  type SubscriberLag,
} from '#slices/vitals';

const NOW = Date.UTC(2026, 5, 15, 12, 30) as EpochMs;
const HOUR_MS = 3_600_000;
const LIST: ExpectedList = {
  entities: 3,
  inForceAt: (NOW - HOUR_MS) as EpochMs,
  list_digest: 'aa',
  list_version: 'v2026-06-15.a',
  source: 'UN_SC',
};
const LOADED = { ...LIST, bytes: 1_000 };

const beat = (nodeId: string, more: Partial<Beat> = {}): Beat => ({
  figures: { engineOpen: 0, engineThreads: 1, lists: [LOADED], memoryMb: 100 },
  nodeId,
  recordedAt: NOW,
  release: '1.1.0',
  role: 'gateway',
  seenAt: (NOW - 1_000) as EpochMs,
  startedAt: NOW,
  version: 1,
  ...more,
});
const worker = beat('w1', { figures: { memoryMb: 80 }, role: 'worker' });

function looked(of: {
  beats: readonly Beat[];
  expected?: readonly ExpectedList[];
  storePingMs?: number | undefined;
  subscribers?: readonly SubscriberLag[];
}): LookedAt {
  const { beats, expected = [LIST], subscribers = [] } = of;
  const storePingMs = 'storePingMs' in of ? of.storePingMs : 1;
  const look = { beats, expected, now: NOW, storePingMs, subscribers };
  return { ...look, verdict: judgeCluster(look) };
}
const with_ = (figures: Beat['figures']) => beat('g2', { figures: { memoryMb: 1, ...figures } });
const ago = (ms: number) => ({ seenAt: (NOW - ms) as EpochMs });

test.each([
  ['all is well', { beats: [beat('g1'), worker] }, 'green', []],
  [
    'who ended in good order is missed by nobody',
    { beats: [beat('g1'), worker, beat('g0', { endedAt: NOW, ...ago(300_000) })] },
    'green',
    [],
  ],
  [
    'who is long gone neither',
    { beats: [beat('g1'), worker, beat('g0', ago(HOUR_MS))] },
    'green',
    [],
  ],
  [
    'a gateway is not heard of',
    { beats: [beat('g1'), worker, beat('g0', ago(61_000))] },
    'yellow',
    ['CLUSTER_DEGRADED'],
  ],
  ['no worker', { beats: [beat('g1')] }, 'yellow', ['CLUSTER_DEGRADED']],
  ['no gateway', { beats: [worker] }, 'red', ['CLUSTER_DEGRADED']],
  ['no list', { beats: [beat('g1'), worker], expected: [] }, 'red', ['CLUSTER_DEGRADED']],
  [
    'a gateway has another version',
    {
      beats: [
        beat('g1'),
        worker,
        beat('g2', {
          figures: { lists: [{ ...LOADED, list_version: 'v2026-06-14.a' }], memoryMb: 1 },
        }),
      ],
    },
    'yellow',
    ['CLUSTER_DEGRADED', 'INDEX_MISSING'],
  ],
  [
    'a version that has just come into force is being loaded',
    {
      beats: [beat('g1'), worker],
      expected: [{ ...LIST, inForceAt: (NOW - 10_000) as EpochMs, list_version: 'v2026-06-15.b' }],
    },
    'green',
    [],
  ],
  [
    'a gateway has no list at all',
    { beats: [beat('g1'), worker, beat('g2', { figures: { lists: [], memoryMb: 1 } })] },
    'red',
    ['CLUSTER_DEGRADED', 'INDEX_MISSING'],
  ],
  [
    'the outbox lags',
    {
      beats: [beat('g1'), worker],
      subscribers: [{ oldestS: 61, setAside: 0, subscriber: 'bus', waiting: 7 }],
    },
    'yellow',
    ['CLUSTER_DEGRADED', 'OUTBOX_LAG'],
  ],
  [
    'a disk is nearly full',
    {
      beats: [
        beat('g1'),
        worker,
        with_({ diskFree: 9, diskSize: 100, lists: [LOADED], memoryMb: 1 }),
      ],
    },
    'yellow',
    ['CLUSTER_DEGRADED', 'DISK_LOW'],
  ],
  [
    'a clock is off',
    { beats: [beat('g1'), worker, with_({ clockAheadS: -3, lists: [LOADED], memoryMb: 1 })] },
    'yellow',
    ['CLOCK_SKEW', 'CLUSTER_DEGRADED'],
  ],
  [
    'limits are counted alone',
    { beats: [beat('g1'), worker, with_({ isLimitLocal: true, lists: [LOADED], memoryMb: 1 })] },
    'yellow',
    ['CLUSTER_DEGRADED'],
  ],
  [
    'the engine has a queue',
    {
      beats: [
        beat('g1'),
        worker,
        with_({ engineOpen: 8, engineThreads: 2, lists: [LOADED], memoryMb: 1 }),
      ],
    },
    'yellow',
    ['CLUSTER_DEGRADED'],
  ],
  [
    'checkpoints are late',
    {
      beats: [
        beat('g1'),
        beat('w1', { figures: { checkpointS: 301, memoryMb: 1 }, role: 'worker' }),
      ],
    },
    'yellow',
    ['CHECKPOINT_LATE', 'CLUSTER_DEGRADED'],
  ],
] as const)('%s', (_, of, status, codes) => {
  const found = looked(of);
  expect(found.verdict.status).toBe(status);
  expect(found.verdict.reasons.length > 0).toBe(status !== 'green');
  const troubles = clusterTroubles(found).map(({ code }) => code);
  expect([...new Set(troubles)].sort()).toEqual([...codes]);
});

test('without a store it is red, and nothing is said of the rest', () => {
  const { verdict } = looked({ beats: [], storePingMs: undefined });
  expect(verdict.status).toBe('red');
  expect(verdict.reasons[0]).toBe('the store does not answer');
});

test('a list is stale after twice its cadence, or two days without one', () => {
  const source = (more: Partial<ListSource>, learntAgoMs: number): ListSource =>
    ({
      active: { publishedAt: (NOW - 100 * HOUR_MS) as EpochMs },
      enabled: true,
      lastRunAt: (NOW - learntAgoMs) as EpochMs,
      lastStatus: 'skipped',
      sourceId: 'UN_SC',
      ...more,
    }) as ListSource;
  const hourly = { cronDelta: '0 0 * * * ?' };
  expect(isStale(source(hourly, 1.9 * HOUR_MS), NOW)).toBe(false);
  expect(isStale(source(hourly, 2.1 * HOUR_MS), NOW)).toBe(true);
  // What was learnt at ten is good until the runs of the next morning are over.
  const mornings = { cronFull: '0 0 9,10 * * ?' };
  expect(isStale(source(mornings, 2.5 * HOUR_MS), NOW)).toBe(false);
  expect(isStale(source(mornings, 26.4 * HOUR_MS), NOW)).toBe(true);
  expect(isStale(source({}, 47 * HOUR_MS), NOW)).toBe(false);
  expect(isStale(source({}, 49 * HOUR_MS), NOW)).toBe(true);
  // A run that failed has learnt nothing.
  expect(isStale(source({ ...hourly, lastStatus: 'failed' }, HOUR_MS), NOW)).toBe(true);
  expect(isStale(source({ ...hourly, enabled: false }, 99 * HOUR_MS), NOW)).toBe(false);
  expect(isStale(source({ sourceId: 'DEMO' as never }, 99 * HOUR_MS), NOW)).toBe(false);
  expect(isStale(source({ active: undefined as never }, 99 * HOUR_MS), NOW)).toBe(false);
});
