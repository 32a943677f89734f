/**
 * Many deliveries again, by one order (W12): those of an endpoint and a time, or what it has missed
 * while it was disabled or failing. The order is a row that a worker leases and does in steps, at
 * half of the tenant's rate, so that what happens meanwhile is not behind it. Its place is kept,
 * and a step that is made twice writes nothing twice (replayWalk.ts).
 */
import { type Asker, entry, type IdempotencyRecord, StaleChange } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { type Hold, WorkLost } from '#core/work';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { findEndpoint } from './configure.ts';
import { BULK_REPLAY_MAX } from './limits.ts';
import type { EventType, WebhookPorts } from './ports.ts';
import { type ReplayFailure, type ReplayJob, replayTable } from './replayTables.ts';
import { walkReplay } from './replayWalk.ts';
import { type DeliveryStatus, deliveryTable, endpointTable } from './tables.ts';
import type { TenantTokens } from './tenantTokens.ts';

/** Records that the answer to an order looks at to count them. */
const COUNT_EXAMINED = 2_000;
/** Bounds of a step: about a second's worth, and one look through the store. */
const STEP_DELIVERIES = 100;
const STEP_EXAMINED = 2_000;
/** Milliseconds between two steps. */
const STEP_MS = 250;
const PROGRESS = ['after', 'count', 'dueAt', 'examined'] as const;

/** Which deliveries, by whom. */
export interface BulkReplayAsk extends Asker {
  readonly tenantId: TenantId;
  readonly endpointId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly status?: DeliveryStatus;
  readonly eventTypes?: readonly string[];
  readonly isMissing: boolean;
  readonly idempotency?: (order: BulkReplay) => IdempotencyRecord;
}

/** What an order comes to. */
export interface BulkReplay {
  readonly replayJobId: string;
  readonly count: number;
  /** False: it is more than that, and counted while it is done. */
  readonly isCounted: boolean;
}

export type BulkPorts = WebhookPorts & {
  readonly eventTypes: () => Promise<readonly EventType[]>;
};

/** Throws `webhook-unknown`, `webhook-endpoint-disabled`. */
export async function orderReplay(ports: BulkPorts, ask: BulkReplayAsk): Promise<BulkReplay> {
  const { actor, endpointId, eventTypes, idempotency, ip, isMissing, status, tenantId } = ask;
  const endpoint = await findEndpoint(ports, { endpointId, tenantId });
  if (endpoint.disabledReason !== undefined) throw new DomainError('webhook-endpoint-disabled');
  const createdAt = ports.clock.now();
  const replayJobId = uuidV7(createdAt, ports.random);
  const job: ReplayJob = {
    count: 0,
    createdAt,
    dueAt: createdAt,
    endpointId,
    examined: 0,
    from: ask.from,
    isMissing,
    replayJobId,
    requestedBy: actor,
    state: 'running',
    tenantId,
    // What the order itself writes is later.
    to: Math.min(ask.to, createdAt) as EpochMs,
    version: 1,
    ...(eventTypes !== undefined && { eventTypes }),
    ...(status !== undefined && { status }),
  };
  const bounds = { after: undefined, examinedMax: COUNT_EXAMINED };
  const counted = await walkReplay(
    ports,
    { endpoint, order: job },
    { ...bounds, deliveriesMax: BULK_REPLAY_MAX },
  );
  const count = counted.deliveries.length;
  const order: BulkReplay = { count, isCounted: counted.after === undefined, replayJobId };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [replayTable.insert(job)],
    events: [
      entry(ports, {
        action: 'webhook.replayed',
        actor,
        ...(ip !== undefined && { ip }),
        members: {
          event_types: eventTypes === undefined ? null : [...eventTypes],
          from: job.from,
          missing: isMissing,
          replay_job_id: replayJobId,
          status: status ?? null,
          to: job.to,
        },
        target: endpointId,
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(order) }),
  });
  return order;
}

/** Throws `webhook-unknown`. */
export async function findReplay(
  { tables }: Pick<WebhookPorts, 'tables'>,
  place: Pick<ReplayJob, 'replayJobId' | 'tenantId'>,
): Promise<ReplayJob> {
  const { replayJobId, tenantId } = place;
  const found = await tables.find(replayTable, { replayJobId, tenantId });
  if (found === undefined) throw new DomainError('webhook-unknown');
  return found;
}

/** The last orders of a tenant, latest first. */
export async function lastReplays(
  { tables }: Pick<WebhookPorts, 'tables'>,
  { limit, tenantId }: { readonly limit: number; readonly tenantId: TenantId },
): Promise<readonly ReplayJob[]> {
  const ask = { direction: 'descending' as const, equal: { tenantId }, index: 'key', limit };
  return (await tables.page(replayTable, ask)).records;
}

/** A worker's hold on an order. */
export type ReplayHold = Hold<ReplayJob, 'replayJobId' | 'tenantId'>;

export interface ReplayWorkPorts extends BulkPorts {
  readonly perSecondOf: (tenantId: TenantId) => Promise<number>;
  /** Tokens of the orders of a tenant, over all workers. */
  readonly tokens: Pick<TenantTokens, 'giveBack' | 'take'>;
  /** There is something to send. */
  readonly wake: () => void;
}

/** One step of an order: writes what may be sent now, and gives the row back, or ends it. */
export async function replayStep(ports: ReplayWorkPorts, hold: ReplayHold): Promise<void> {
  const { clock, tables } = ports;
  const job = hold.record;
  const { count, endpointId, tenantId } = job;
  const endpoint = await tables.find(endpointTable, { endpointId, tenantId });
  if (endpoint === undefined) return endReplay(ports, hold, 'endpoint-removed');
  if (endpoint.disabledReason !== undefined) return endReplay(ports, hold, 'endpoint-disabled');
  const wanted = Math.min(STEP_DELIVERIES, BULK_REPLAY_MAX - count);
  const room = await takeRoom(ports, tenantId, wanted);
  if (room === 0) return handBack(hold, { dueAt: later(clock.now()) });

  const step = await walkReplay(
    ports,
    { endpoint, order: job },
    { after: job.after, deliveriesMax: room, examinedMax: STEP_EXAMINED },
  );
  const { after, deliveries, examined } = step;
  hold.signal.throwIfAborted();
  const now = clock.now();
  const due = deliveries.map((one) => ({ ...one, dueAt: now, nextAttemptAt: now }));
  await tables.insertMissing(deliveryTable, due);
  ports.tokens.giveBack(tenantId, room - deliveries.length);
  if (deliveries.length > 0) ports.wake();
  const sums = { count: count + deliveries.length, examined: job.examined + examined };
  hold.replace({ ...job, ...sums });
  const isCut = after !== undefined && sums.count >= BULK_REPLAY_MAX;
  if (after === undefined || isCut) return endReplay(ports, hold, undefined, isCut);
  return handBack(hold, { ...sums, after, dueAt: later(now) });
}

const later = (now: EpochMs): EpochMs => (now + STEP_MS) as EpochMs;

async function handBack(
  hold: ReplayHold,
  work: Pick<ReplayJob, 'dueAt'> & Partial<ReplayJob>,
): Promise<void> {
  await hold.giveBack({ hasGotOn: true, isTried: false, work });
}

/** Up to so many, at half of the tenant's rate. */
async function takeRoom(
  { perSecondOf, tokens }: ReplayWorkPorts,
  tenantId: TenantId,
  wanted: number,
): Promise<number> {
  const perSecond = (await perSecondOf(tenantId)) / 2;
  let room = 0;
  while (room < wanted) {
    const taken = await tokens.take({ perSecond, tenantId }, wanted - room);
    if (taken === 0) break;
    room += taken;
  }
  return room;
}

/** Ends an order, with its entry; WorkLost where another worker has it. */
export async function endReplay(
  ports: WebhookPorts,
  hold: ReplayHold,
  failure: ReplayFailure | undefined,
  isCut = false,
): Promise<void> {
  await hold.end();
  hold.signal.throwIfAborted();
  const { after: _, dueAt: __, ...job } = hold.record;
  const { count, endpointId, examined, replayJobId, tenantId, version } = job;
  const ended: ReplayJob = {
    ...job,
    endedAt: ports.clock.now(),
    state: failure === undefined ? 'completed' : 'failed',
    version: version + 1,
    ...(failure !== undefined && { failure }),
    ...(isCut && { isCut: true as const }),
  };
  const commit = ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [hold.expected, replayTable.put(ended, version, { work: PROGRESS })],
    events: [
      entry(ports, {
        action: 'webhook.replay.ended',
        actor: 'system:webhooks',
        members: {
          count,
          examined,
          failure: failure ?? null,
          replay_job_id: replayJobId,
          state: ended.state,
        },
        target: endpointId,
      }),
    ],
  });
  await commit.catch((error: unknown) => {
    throw error instanceof StaleChange ? new WorkLost('another worker has it') : error;
  });
}
