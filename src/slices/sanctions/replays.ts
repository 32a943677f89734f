/**
 * Replays: asked for, worked on, ended with an entry that says what was found. One that differs is
 * the critical case: the evidence says what the software no longer does, or the machine errs.
 */
import {
  type Actor,
  type AuditStore,
  type CommitEvidence,
  type EntryContext,
  entry,
  type IdempotencyRecord,
} from '#core/audit';
import {
  type BusEvent,
  chainOf,
  DomainError,
  type ScreeningId,
  type Tables,
  type TenantId,
} from '#core/kernel';
import { type Hold, WorkLost } from '#core/work';
import { uuidV7 } from '#platform/random';
import type { ReleasableIndex } from '#slices/batches';
import { isPastRetention } from '#slices/screening';
import { type ReplayScreeningPorts, replayScreening } from './replayScreening.ts';
import {
  type ReplayResult,
  type ReplayStatus,
  replayTable,
  type ScreeningReplay,
} from './tables.ts';

export interface ReplayAskPorts extends EntryContext {
  readonly audit: Pick<AuditStore, 'findByScreening'>;
  readonly commit: CommitEvidence;
  readonly tables: Pick<Tables, 'find'>;
}

/** Throws `not-found` for a screening that there is not, or is not any more. */
export async function askForReplay(
  ports: ReplayAskPorts,
  ask: {
    readonly tenantId: TenantId;
    readonly screeningId: string;
    readonly actor: Actor;
    readonly ip?: string;
    readonly idempotency?: (replay: ScreeningReplay) => IdempotencyRecord;
  },
): Promise<ScreeningReplay> {
  const { actor, idempotency, ip, screeningId, tenantId } = ask;
  const chainId = chainOf(tenantId);
  const now = ports.clock.now();
  const event = await ports.audit.findByScreening(chainId, screeningId as ScreeningId);
  if (event === undefined || isPastRetention(event, now)) throw new DomainError('not-found');
  const replay: ScreeningReplay = {
    replayId: uuidV7(now, ports.random),
    requestedAt: now,
    requestedBy: actor,
    screeningId,
    status: 'queued',
    tenantId,
    version: 1,
  };
  await ports.commit(chainId, {
    bus: [],
    changes: [replayTable.insert(replay)],
    events: [
      entry(ports, {
        action: 'SANCTIONS_REPLAY_REQUESTED',
        actor,
        members: { replay_id: replay.replayId },
        target: `screening:${screeningId}`,
        ...(ip !== undefined && { ip }),
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(replay) }),
  });
  return replay;
}

/**
 * Throws `not-found`, also for a replay of another screening, and of one that is answered no more.
 * One whose event is gone is shown: that is what it came to.
 */
export async function findReplay(
  { audit, clock, tables }: Pick<ReplayAskPorts, 'audit' | 'clock' | 'tables'>,
  of: Pick<ScreeningReplay, 'replayId' | 'screeningId' | 'tenantId'>,
): Promise<ScreeningReplay> {
  const { replayId, screeningId, tenantId } = of;
  const found = await tables.find(replayTable, { replayId, tenantId });
  if (found?.screeningId !== screeningId) throw new DomainError('not-found');
  const event = await audit.findByScreening(chainOf(tenantId), screeningId as ScreeningId);
  if (event !== undefined && isPastRetention(event, clock.now())) {
    throw new DomainError('not-found');
  }
  return found;
}

export interface ReplayWorkPorts<Index extends ReleasableIndex>
  extends EntryContext,
    Omit<ReplayScreeningPorts<Index>, 'random'> {
  readonly audit: Pick<AuditStore, 'findByScreening'>;
  readonly commit: CommitEvidence;
  readonly tables: Tables;
  readonly runtime: ReplayResult['runtime'];
}

type Holding = Hold<ScreeningReplay, 'replayId' | 'tenantId'>;

/** Repeats the screening of this hold, and ends its replay. */
export async function workOnReplay<Index extends ReleasableIndex>(
  ports: ReplayWorkPorts<Index>,
  hold: Holding,
): Promise<void> {
  const { screeningId, tenantId } = hold.record;
  const startedAt = ports.clock.now();
  hold.tell({ startedAt });
  const event = await ports.audit.findByScreening(chainOf(tenantId), screeningId as ScreeningId);
  const replayed =
    event === undefined
      ? ({
          listDigests: [],
          policyVersion: null,
          reason: 'event-altered',
          rerankerVersion: null,
        } as const)
      : await replayScreening(ports, { event, tenantId });
  hold.signal.throwIfAborted();
  const compared = { differences: [], originalHash: null, replayedHash: null, ...replayed };
  const isImpossible = 'reason' in replayed;
  const status = isImpossible
    ? 'impossible'
    : compared.differences.length === 0
      ? 'identical'
      : 'different';
  await endReplay(ports, hold, { result: { ...compared, startedAt }, status });
}

/** It is not tried again. */
export const giveReplayUp = <Index extends ReleasableIndex>(
  ports: ReplayWorkPorts<Index>,
  hold: Holding,
): Promise<void> =>
  endReplay(ports, hold, {
    result: {
      differences: [],
      listDigests: [],
      originalHash: null,
      policyVersion: null,
      reason: 'failed',
      replayedHash: null,
      rerankerVersion: null,
      startedAt: ports.clock.now(),
    },
    status: 'impossible',
  });

async function endReplay<Index extends ReleasableIndex>(
  ports: ReplayWorkPorts<Index>,
  hold: Holding,
  ended: {
    readonly status: Exclude<ReplayStatus, 'queued'>;
    readonly result: Omit<ReplayResult, 'eventId' | 'finishedAt' | 'runtime'>;
  },
): Promise<void> {
  const { startedAt: _, ...record } = hold.record;
  const { replayId, screeningId, tenantId, version } = record;
  const { result, status } = ended;
  const isDifferent = status === 'different';
  const said = entry(ports, {
    action: isDifferent ? 'SANCTIONS_REPLAY_DIFFERENT' : 'SANCTIONS_REPLAYED',
    actor: 'system:sanctions',
    members: {
      differences: result.differences.length,
      original_hash: result.originalHash,
      reason: result.reason ?? null,
      replay_id: replayId,
      replayed_hash: result.replayedHash,
      result: status,
    },
    severity: isDifferent ? 'ALERT' : 'INFO',
    target: `screening:${screeningId}`,
  });
  const next: ScreeningReplay = {
    ...record,
    result: {
      ...result,
      eventId: said.eventId,
      finishedAt: ports.clock.now(),
      runtime: ports.runtime,
    },
    status,
    version: version + 1,
  };
  const changes = [hold.expected, replayTable.put(next, version)];
  const committing = ports.commit(chainOf(tenantId), {
    bus: await toldOf(ports, next),
    changes,
    events: [said],
  });
  await committing.catch(lostWhereStale);
}

function lostWhereStale(error: unknown): never {
  const isStale = error instanceof DomainError && error.code === 'state-conflict';
  throw isStale ? new WorkLost('another worker has ended the replay') : error;
}

/** Replays of one screening that are looked through for one that differed. */
const FORMER_MAX = 100;

async function toldOf(
  { tables }: { readonly tables: Pick<Tables, 'page'> },
  { replayId, screeningId, status, tenantId }: ScreeningReplay,
): Promise<readonly BusEvent[]> {
  const event = { partition: tenantId, payload: { replayId, screeningId } };
  if (status === 'different') return [{ ...event, topic: 'sanctions.replay.different' }];
  if (status !== 'identical') return [];
  const { records } = await tables.page(replayTable, {
    direction: 'descending',
    equal: { screeningId, tenantId },
    index: 'byScreening',
    limit: FORMER_MAX,
  });
  const isSettled = records.some((one) => one.status === 'different');
  return isSettled ? [{ ...event, topic: 'sanctions.replay.settled' }] : [];
}
