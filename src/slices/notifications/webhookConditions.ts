/**
 * What webhooks tell of, as conditions and notices (6.1): an endpoint that fails, deliveries that
 * failed for good, a burst of these, an endpoint that was disabled.
 *
 * Events say when something began; what ended is also seen by a look at the endpoint, since nothing
 * is told of the success after a single delivery that failed, of an endpoint that was removed, and
 * of failures that have become few.
 */
import type { BusTopic } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import { allTogether, type PerTenant } from '#core/work';
import type { EpochMs } from '#platform/clock';
import { endpointTable, type WebhookEndpoint } from '#slices/webhooks';
import { closeRenewed } from './certificateConditions.ts';
import type { NoticeKind, Severity } from './codes.ts';
import { close, findStanding, openConditions, raise } from './conditions.ts';
import { subjectOf, tellNews, tenantOf } from './endpointNews.ts';
import { addFailure, failureTimes, withinHour } from './failureWindow.ts';
import { BURST_FAILURES, BURST_OVER_FAILURES } from './limits.ts';
import type { NoticePorts } from './ports.ts';
import type { Condition } from './tables.ts';

/** Clocks of two hosts differ by less: a success so soon may have been before the failure. */
const CLOCKS_APART_MS = 2_000;
/** Deliveries that end so were not tried: somebody took the endpoint away. */
const UNTRIED: ReadonlySet<unknown> = new Set(['endpoint-disabled', 'endpoint-removed']);

/** Three attempts in a row have failed at an endpoint. */
export const onFailing = (ports: NoticePorts, event: OutboxEvent): Promise<void> =>
  raise(ports, {
    ...subjectOf(event),
    at: event.createdAt,
    code: 'WEBHOOK_FAILING',
    eventId: event.id,
    params: {},
    tenantId: tenantOf(event),
  });

/** The endpoint has taken a delivery: its alert and its ticket are over. */
export async function onRecovered(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const place = { ...subjectOf(event), tenantId: tenantOf(event) };
  const standing = [
    await findStanding(ports, { ...place, code: 'WEBHOOK_FAILING' }),
    await findStanding(ports, { ...place, code: 'WEBHOOK_FAILED' }),
  ];
  // One that began after this event is not what it ends.
  const ended = standing.filter((one) => one !== undefined && (one.lastEventId ?? '') < event.id);
  await close(ports, ended as Condition[], { at: event.createdAt, because: 'success' });
}

/** A delivery has failed for good: a ticket of its endpoint, and maybe one of a burst. */
export async function onFailed(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const { createdAt: at, id: eventId, payload } = event;
  const reason = String(payload.failureReason);
  if (UNTRIED.has(reason)) return;
  const tenantId = tenantOf(event);
  const seen = { at, eventId, tenantId };
  const params = { reason };
  await raise(ports, { ...seen, ...subjectOf(event), code: 'WEBHOOK_FAILED', params });
  const times = await addFailure(ports, seen);
  const burst = {
    ...seen,
    code: 'WEBHOOK_FAILED_BURST',
    params: { count: BURST_FAILURES },
    subjectId: tenantId,
    subjectKind: 'tenant',
  } as const;
  const isBurst = withinHour(times, at) >= BURST_FAILURES;
  if (isBurst || (await findStanding(ports, burst)) !== undefined) await raise(ports, burst);
}

/** What is told once, and has no end that anybody waits for. */
const NEWS = {
  'webhooks.endpoint.disabled': { kind: 'webhook.disabled', severity: 'HIGH' },
  'webhooks.endpoint.disabling': { kind: 'webhook.disabling', severity: 'HIGH' },
  'webhooks.endpoint.moved': { kind: 'webhook.moved', severity: 'LOW' },
} as const satisfies Partial<Record<BusTopic, { kind: NoticeKind; severity: Severity }>>;

/** Topics of such news. */
export const NEWS_TOPICS = Object.keys(NEWS) as readonly (keyof typeof NEWS)[];

/** Tells it, once for its event. */
export const onNews = (ports: NoticePorts, event: OutboxEvent): Promise<void> =>
  tellNews(ports, event, NEWS[event.topic as keyof typeof NEWS]);

/** Looks at what is open, and closes what is over. */
export async function closeWhatIsOver(
  ports: NoticePorts,
  signal?: AbortSignal,
  perTenant: PerTenant = allTogether,
): Promise<void> {
  const open = await openConditions(ports.tables);
  const bySubject = Map.groupBy(open, (one) => `${one.tenantId}/${one.subjectId}`);
  for (const conditions of bySubject.values()) {
    signal?.throwIfAborted();
    const [first] = conditions;
    if (first === undefined) continue;
    await perTenant(first.tenantId, async () => {
      if (first.subjectKind === 'tenant') await closeBurst(ports, conditions);
      else if (first.subjectKind === 'webhook_endpoint') await closeOfEndpoint(ports, conditions);
    });
  }
}

async function closeBurst(ports: NoticePorts, conditions: readonly Condition[]): Promise<void> {
  const now = ports.clock.now();
  for (const condition of conditions) {
    const times = await failureTimes(ports, condition.tenantId);
    if (withinHour(times, now) >= BURST_OVER_FAILURES) continue;
    await close(ports, [condition], { at: now, because: 'over' });
  }
}

async function closeOfEndpoint(
  ports: NoticePorts,
  conditions: readonly Condition[],
): Promise<void> {
  const [first] = conditions;
  if (first === undefined) return;
  const { subjectId: endpointId, tenantId } = first;
  const endpoint = await ports.tables.find(endpointTable, { endpointId, tenantId });
  const at = ports.clock.now();
  if (endpoint === undefined) {
    return close(ports, conditions, { at, because: 'removed', isSilent: true });
  }
  const [ending, failing] = partition(conditions, ({ code }) => code === 'CERTIFICATE_EXPIRING');
  await closeRenewed(ports, endpoint, ending);
  if (endpoint.disabledReason === 'manual') {
    return close(ports, failing, { at, because: 'disabled', isSilent: true });
  }
  const ended = failing.filter((one) => hasSucceededSince(endpoint, one));
  await close(ports, ended, { at, because: 'success' });
}

function partition<One>(
  all: readonly One[],
  isFirst: (one: One) => boolean,
): readonly [readonly One[], readonly One[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

const hasSucceededSince = (
  { lastSuccessAt = 0 as EpochMs }: Pick<WebhookEndpoint, 'lastSuccessAt'>,
  { lastSeenAt, openedAt }: Condition,
): boolean => lastSuccessAt > (lastSeenAt ?? openedAt) + CLOCKS_APART_MS;
