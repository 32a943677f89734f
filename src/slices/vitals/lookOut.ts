/**
 * What is wrong at this moment, as a set: each trouble by its code, whom it concerns and what it is
 * about. Nothing is kept here; watch.ts compares the set with what stands open.
 */
import { allRecords, everyRecord, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { alertTable } from '#slices/alerts';
import { nextFireAt } from '#slices/ingestion';
import type { ListSource } from '#slices/lists';
import { endpointTable } from '#slices/webhooks';
import { isClockOff, isDiskLow } from './clusterHealth.ts';
import type { TroubleCode } from './codes.ts';
import { CERTIFICATE_DAYS, CHECKPOINT_LATE_S, KEY_DAYS, OUTBOX_LAG_S, STALE_MS } from './limits.ts';
import type { LookedAt } from './lookAtCluster.ts';
import type { WatchPorts } from './ports.ts';
import { EVERYBODY, type TroubleParams, type TroubleSubject } from './tables.ts';

const DAY_MS = 24 * 3_600_000;
/** The list that ships for sandboxes: nobody publishes it. */
const DEMO = 'DEMO';
const OPEN_STATUSES = ['open', 'assigned', 'in_review', 'escalated'] as const;
/** Alerts of each state that are looked at: what is due soonest need not be the oldest. */
const OLDEST_LOOKED = 2_000;

/** Something that is wrong now. */
export interface Seen extends TroubleSubject {
  readonly code: TroubleCode;
  readonly scope: string;
  readonly params: TroubleParams;
}

const ofAll = (code: TroubleCode, subject: TroubleSubject, params: TroubleParams = {}): Seen => ({
  ...subject,
  code,
  params,
  scope: EVERYBODY,
});

/** What is wrong with lists. */
export async function listTroubles({
  clock,
  findRun,
  listSources,
}: Pick<WatchPorts, 'clock' | 'findRun' | 'listSources'>): Promise<readonly Seen[]> {
  const now = clock.now();
  const seen: Seen[] = [];
  for (const source of await listSources()) {
    const { disabledReason: reason, enabled, lastRunId, lastStatus, sourceId } = source;
    const subject = { subjectId: sourceId, subjectKind: 'list' } as const;
    if (reason !== undefined) seen.push(ofAll('SOURCE_DISABLED', subject, { reason }));
    if (isStale(source, now)) seen.push(ofAll('LIST_STALE', subject));
    if (!enabled || lastStatus !== 'failed') continue;
    const run = lastRunId === undefined ? undefined : await findRun(lastRunId);
    const { errorCode = 'internal' } = run ?? {};
    const code = errorCode === 'list-shrunk' ? 'LIST_SHRUNK' : 'LIST_RUN_FAILED';
    seen.push(ofAll(code, subject, { reason: errorCode }));
  }
  return seen;
}

/**
 * Whether nothing was learnt of a list for two of its fires and as long as from one to the third,
 * or for two days where none fires. A run that found nothing new has learnt that.
 */
export function isStale(source: ListSource, now: EpochMs): boolean {
  const { active, enabled, lastRunAt = 0, lastStatus, sourceId } = source;
  if (!enabled || active === undefined || sourceId === DEMO) return false;
  const learntAt =
    lastStatus === 'success' || lastStatus === 'skipped' || lastStatus === 'partial'
      ? Math.max(lastRunAt, active.publishedAt)
      : active.publishedAt;
  return now > staleAt(source, learntAt as EpochMs);
}

/** By the fires that come after it: those of nine and ten o'clock are not an hour apart at noon. */
function staleAt(source: ListSource, learntAt: EpochMs): number {
  const fireAfter = (at: EpochMs | undefined): EpochMs | undefined =>
    at === undefined ? undefined : nextFireAt(source, at);
  const first = fireAfter(learntAt);
  const second = fireAfter(first);
  const third = fireAfter(second);
  const isScheduled = first !== undefined && second !== undefined && third !== undefined;
  return isScheduled ? Math.max(second, learntAt + third - first) : learntAt + STALE_MS;
}

/** What is wrong with the cluster. */
export function clusterTroubles({ beats, subscribers, verdict }: LookedAt): readonly Seen[] {
  const living = verdict.nodes.filter(({ isLate }) => !isLate).map(({ beat }) => beat);
  const node = (subjectId: string) => ({ subjectId, subjectKind: 'node' }) as const;
  const { reasons, status } = verdict;
  const installation = { subjectId: EVERYBODY, subjectKind: 'installation' } as const;
  return [
    ...(status === 'green' || beats.length === 0
      ? []
      : [ofAll('CLUSTER_DEGRADED', installation, { reason: reasons[0] ?? '', status })]),
    ...verdict.missing.map(({ nodeIds, source }) =>
      ofAll(
        'INDEX_MISSING',
        { subjectId: source, subjectKind: 'list' },
        { gateways: nodeIds.length },
      ),
    ),
    ...subscribers
      .filter(({ oldestS }) => oldestS > OUTBOX_LAG_S)
      .map(({ subscriber, waiting }) =>
        ofAll('OUTBOX_LAG', { subjectId: subscriber, subjectKind: 'subscriber' }, { waiting }),
      ),
    ...living
      .filter(({ figures }) => (figures?.checkpointS ?? 0) > CHECKPOINT_LATE_S)
      .map(({ nodeId }) => ofAll('CHECKPOINT_LATE', node(nodeId))),
    ...living.filter(isDiskLow).map(({ nodeId }) => ofAll('DISK_LOW', node(nodeId))),
    ...living.filter(isClockOff).map(({ nodeId }) => ofAll('CLOCK_SKEW', node(nodeId))),
  ];
}

/** What is wrong for single tenants: looked for less often, since it is a look at each of them. */
export async function tenantTroubles(
  ports: WatchPorts,
  signal?: AbortSignal,
): Promise<readonly Seen[]> {
  const seen: Seen[] = [...(await certificateTroubles(ports))];
  for (const tenantId of await ports.tenantIds()) {
    signal?.throwIfAborted();
    seen.push(...(await keyTroubles(ports, tenantId)));
    const own = {
      params: {},
      scope: tenantId,
      subjectId: tenantId,
      subjectKind: 'tenant',
    } as const;
    if (await ports.isLocked(tenantId)) seen.push({ ...own, code: 'POLICY_LOCKED' });
    if (await isOverdue(ports, tenantId)) seen.push({ ...own, code: 'REVIEW_OVERDUE' });
  }
  return seen;
}

async function keyTroubles(ports: WatchPorts, tenantId: TenantId): Promise<readonly Seen[]> {
  const now = ports.clock.now();
  const soon = now + KEY_DAYS * DAY_MS;
  return (await ports.keysOf(tenantId))
    .filter(
      ({ expiresAt = Number.POSITIVE_INFINITY, revokedAt }) =>
        revokedAt === undefined && expiresAt > now && expiresAt <= soon,
    )
    .map(({ expiresAt = 0, id }) => ({
      code: 'KEY_EXPIRING',
      params: { expires_at: expiresAt },
      scope: tenantId,
      subjectId: id,
      subjectKind: 'key',
    }));
}

async function certificateTroubles({ clock, tables }: WatchPorts): Promise<readonly Seen[]> {
  const soon = clock.now() + CERTIFICATE_DAYS * DAY_MS;
  const endpoints = await allRecords(tables, endpointTable, { index: 'key' });
  return endpoints.flatMap(({ clientCertificate, endpointId, tenantId }): readonly Seen[] =>
    clientCertificate === undefined || clientCertificate.notAfter > soon
      ? []
      : [
          {
            code: 'CERTIFICATE_EXPIRING',
            params: { not_after: clientCertificate.notAfter },
            scope: tenantId,
            subjectId: endpointId,
            subjectKind: 'webhook_endpoint',
          },
        ],
  );
}

/** Whether alerts of the tenant are open past their time, by the oldest of each state. */
async function isOverdue({ clock, tables }: WatchPorts, tenantId: TenantId): Promise<boolean> {
  const now = clock.now();
  for (const status of OPEN_STATUSES) {
    let looked = 0;
    const ask = { equal: { status, tenantId }, index: 'byStatus' };
    for await (const { deadline, dueAt } of everyRecord(tables, alertTable, ask)) {
      if (deadline === 'breached' || dueAt <= now) return true;
      looked += 1;
      if (looked === OLDEST_LOOKED) break;
    }
  }
  return false;
}
