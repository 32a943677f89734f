/**
 * What the cluster is like, judged from the beats of its processes and a look at the store.
 *
 *   green    every gateway screens against every list in force, and nothing is late
 *   yellow   screening works, but something stands in for something else, is missing or is late
 *   red      some gateway cannot screen with evidence, or there is none
 */
import type { EpochMs } from '#platform/clock';
import {
  BEAT_GONE_MS,
  BEAT_LATE_MS,
  BUSY_QUERIES_PER_THREAD,
  CHECKPOINT_LATE_S,
  CLOCK_SKEW_S,
  DISK_FREE_SHARE,
  LIST_LOAD_MS,
  OUTBOX_LAG_S,
} from './limits.ts';
import type { Beat } from './tables.ts';

/** A list in force, as the store has it. */
export interface ExpectedList {
  readonly source: string;
  readonly list_version: string;
  readonly list_digest: string;
  readonly entities: number;
  /** Since when it is in force. */
  readonly inForceAt: EpochMs;
}

/** How far a subscriber of the outbox is. */
export interface SubscriberLag {
  readonly subscriber: string;
  readonly waiting: number;
  readonly oldestS: number;
  readonly setAside: number;
}

/** What was found. */
export interface ClusterLook {
  readonly now: EpochMs;
  readonly beats: readonly Beat[];
  readonly expected: readonly ExpectedList[];
  /** Undefined: the store does not answer. */
  readonly storePingMs: number | undefined;
  readonly subscribers: readonly SubscriberLag[];
}

/** Green, yellow or red, and why. */
export interface ClusterVerdict {
  readonly status: 'green' | 'yellow' | 'red';
  /** One sentence each, the gravest first. No host is named. */
  readonly reasons: readonly string[];
  /** Those that live or are missing; who has ended in good order, or is long gone, is left out. */
  readonly nodes: readonly NodeState[];
  /** Gateways that lack a list in force, by its source. */
  readonly missing: readonly { readonly source: string; readonly nodeIds: readonly string[] }[];
}

/** A process as it stands. */
export interface NodeState {
  readonly beat: Beat;
  readonly ageMs: number;
  readonly isLate: boolean;
}

export function judgeCluster(look: ClusterLook): ClusterVerdict {
  const nodes = nodesOf(look);
  const gateways = nodes.filter(({ beat }) => beat.role === 'gateway');
  const missing = missingLists(look, gateways);
  const red = [
    ...(look.storePingMs === undefined ? ['the store does not answer'] : []),
    ...gatewayFaults(gateways, look.expected),
  ];
  const yellow = [
    ...missing.map(
      ({ nodeIds, source }) => `${source} is not loaded on ${counted(nodeIds.length, 'gateway')}`,
    ),
    ...nodeFaults(nodes),
    ...look.subscribers
      .filter(({ oldestS }) => oldestS > OUTBOX_LAG_S)
      .map(
        ({ oldestS, subscriber }) => `${subscriber} is ${Math.round(oldestS)} s behind the outbox`,
      ),
  ];
  const status = red.length > 0 ? 'red' : yellow.length > 0 ? 'yellow' : 'green';
  return { missing, nodes, reasons: [...red, ...yellow], status };
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

function nodesOf({ beats, now }: ClusterLook): readonly NodeState[] {
  return beats
    .filter(({ endedAt }) => endedAt === undefined)
    .map((beat) => ({ ageMs: Math.max(0, now - (beat.seenAt ?? beat.recordedAt)), beat }))
    .filter(({ ageMs }) => ageMs < BEAT_GONE_MS)
    .map((node) => ({ ...node, isLate: node.ageMs > BEAT_LATE_MS }))
    .sort((one, other) => (one.beat.nodeId < other.beat.nodeId ? -1 : 1));
}

/** A version that has just come into force is being loaded, and told with the next beat. */
function missingLists(
  { expected, now }: ClusterLook,
  gateways: readonly NodeState[],
): ClusterVerdict['missing'] {
  const living = gateways.filter(({ isLate }) => !isLate);
  const due = expected.filter(({ inForceAt }) => now - inForceAt >= LIST_LOAD_MS);
  return due.flatMap(({ list_version, source }) => {
    const nodeIds = living
      .filter(({ beat }) => {
        const loaded = beat.figures?.lists?.find((one) => one.source === source);
        return beat.figures !== undefined && loaded?.list_version !== list_version;
      })
      .map(({ beat }) => beat.nodeId);
    return nodeIds.length === 0 ? [] : [{ nodeIds, source }];
  });
}

function gatewayFaults(
  gateways: readonly NodeState[],
  expected: readonly ExpectedList[],
): readonly string[] {
  const living = gateways.filter(({ isLate }) => !isLate);
  if (living.length === 0) return ['no gateway was heard of for a minute'];
  const empty = living.filter(({ beat }) => beat.figures?.lists?.length === 0);
  if (expected.length === 0) return ['no list is in force'];
  return empty.length === 0
    ? []
    : [`${counted(empty.length, 'gateway')} cannot screen: no list is loaded`];
}

function nodeFaults(nodes: readonly NodeState[]): readonly string[] {
  const late = nodes.filter(({ isLate }) => isLate);
  const living = nodes.filter(({ isLate }) => !isLate);
  const having = (is: (beat: Beat) => boolean): number =>
    living.filter(({ beat }) => is(beat)).length;
  const faults: readonly (readonly [number, string])[] = [
    [late.filter(({ beat }) => beat.role === 'gateway').length, 'was not heard of for a minute'],
    [late.filter(({ beat }) => beat.role === 'worker').length, 'was not heard of for a minute'],
    [having(isBusy), 'has a long queue of queries'],
    [having(({ figures }) => figures?.isLimitLocal === true), 'counts rate limits alone'],
    [
      having(({ figures }) => (figures?.checkpointS ?? 0) > CHECKPOINT_LATE_S),
      'is late with checkpoints',
    ],
    [having(isDiskLow), 'has little room on its disk'],
    [having(isClockOff), 'has a clock that is off'],
  ];
  const workers = living.filter(({ beat }) => beat.role === 'worker').length;
  return [
    ...(workers === 0 ? ['no worker was heard of for a minute'] : []),
    ...faults
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${count} ${count === 1 ? 'process' : 'processes'} ${what}`),
  ];
}

export const isBusy = ({ figures }: Beat): boolean =>
  (figures?.engineOpen ?? 0) >= BUSY_QUERIES_PER_THREAD * Math.max(1, figures?.engineThreads ?? 1);

export const isDiskLow = ({ figures }: Beat): boolean =>
  figures?.diskFree !== undefined &&
  figures.diskSize !== undefined &&
  figures.diskSize > 0 &&
  figures.diskFree < figures.diskSize * DISK_FREE_SHARE;

export const isClockOff = ({ figures }: Beat): boolean =>
  Math.abs(figures?.clockAheadS ?? 0) > CLOCK_SKEW_S;
