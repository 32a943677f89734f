/**
 * Several alerts decided by one call, with one reason: each by a commit of its own, so that one
 * that is refused takes no others with it. Decided as a whole, with all hits that nobody decided.
 */
import { entry, type IdempotencyRecord } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { findAlert, isClosed } from './alert.ts';
import {
  type AlertAsk,
  changeAlert,
  requireDesk,
  requireInWork,
  requireSupervisor,
  type Step,
  type Worker,
  workerOf,
} from './changeAlert.ts';
import { closeOrPropose, closing, requireSecond, requireWords, STATUS_OF } from './closeAlert.ts';
import type { AlertDeskPorts } from './ports.ts';
import type { AlertSettings } from './settings.ts';
import type { Alert, AlertOutcome, ClosedStatus, HitDecision, ReasonCode } from './tables.ts';

/** What is said of each alert. */
export interface AlertDecision {
  readonly decision: HitDecision;
  readonly reasonCode?: ReasonCode;
  readonly comment: string;
}

/**
 * The alert, closed; or proposed to a second person; or, where this very outcome was proposed by
 * another person, confirmed. By who may work on it, in whichever state. Throws as `closeAlert` and
 * `confirmAlert` do.
 */
export async function decideAlert(
  ports: AlertDeskPorts,
  ask: AlertAsk & AlertDecision,
): Promise<Alert> {
  const settings = await ports.settingsOf(ask.tenantId);
  return changeAlert(ports, ask, (alert, worker) =>
    stepOf(ports, { alert, ask, settings, worker }),
  );
}

function stepOf(
  { clock }: Pick<AlertDeskPorts, 'clock'>,
  of: {
    readonly alert: Alert;
    readonly ask: AlertDecision;
    readonly settings: AlertSettings;
    readonly worker: Worker;
  },
): Step {
  const { alert, ask, worker } = of;
  const status = STATUS_OF[ask.decision];
  const { proposal } = alert;
  const now = clock.now();
  if (proposal?.status === status && !isClosed(alert)) {
    requireSecond(proposal, worker);
    return closing(alert, { ...proposal, confirmedBy: worker.actor }, now);
  }
  requireInWork(alert);
  requireDesk(alert, worker);
  requireWords({ ...ask, status });
  if (status === 'closed_true_positive') requireSupervisor(worker);
  return closeOrPropose({ ...of, ask: { ...ask, status }, now });
}

/** One alert of a call, as its caller has seen it. */
export interface SeenAlert {
  readonly alertId: string;
  readonly version: number;
}

/** What became of one alert of a call. */
export type Decided = SeenAlert & ({ readonly alert: Alert } | { readonly refusal: DomainError });

/** Alerts of one call. */
export interface DecideAlerts extends AlertDecision {
  readonly tenantId: TenantId;
  readonly principal: AlertAsk['principal'];
  readonly ip?: string;
  readonly alerts: readonly SeenAlert[];
  readonly idempotency?: (decided: readonly Decided[]) => IdempotencyRecord;
}

/**
 * What became of each, in the order of the call. A call that is repeated after a crash, before its
 * answer was kept, finds what it has done. Throws `comment-required`, `comment-too-short`,
 * `body-invalid`.
 */
export async function decideAlerts(
  ports: AlertDeskPorts,
  { alerts, idempotency, ...ask }: DecideAlerts,
): Promise<readonly Decided[]> {
  requireWords({ ...ask, status: STATUS_OF[ask.decision] });
  const worker = await workerOf(ports, ask.principal);
  const decided: Decided[] = [];
  for (const seen of alerts) decided.push(await decideOne(ports, { ...ask, ...seen }, worker));
  const taken = decided.filter((one) => 'alert' in one);
  await ports.commit(chainOf(ask.tenantId), {
    bus: [],
    changes: [],
    events: [
      entry(ports, {
        action: 'aml.alert.decided_in_bulk',
        actor: worker.actor,
        ...(ask.ip !== undefined && { ip: ask.ip }),
        members: {
          closed: taken.filter(({ alert }) => isClosed(alert)).length,
          decision: ask.decision,
          proposed: taken.filter(({ alert }) => !isClosed(alert)).length,
          reason_code: ask.reasonCode ?? null,
          refused: decided.length - taken.length,
        },
        target: 'alerts',
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(decided) }),
  });
  return decided;
}

type OneOf = Omit<DecideAlerts, 'alerts' | 'idempotency'> & SeenAlert;

async function decideOne(ports: AlertDeskPorts, ask: OneOf, worker: Worker): Promise<Decided> {
  const { alertId, version } = ask;
  const seen = { alertId, version };
  try {
    const isExpected = (one: number): boolean => one === version;
    return { ...seen, alert: await decideAlert(ports, { ...ask, isExpected }) };
  } catch (refusal) {
    if (!(refusal instanceof DomainError) || OURS.has(refusal.code)) throw refusal;
    const done = refusal.code === 'precondition-failed' && (await doneBefore(ports, ask, worker));
    return done ? { ...seen, alert: done } : { ...seen, refusal };
  }
}

/** Failures that are no answer about one alert. */
const OURS: ReadonlySet<string> = new Set(['internal', 'store-unavailable']);

/** The alert, where its next version is what this call says of it. */
async function doneBefore(
  ports: AlertDeskPorts,
  ask: OneOf,
  worker: Worker,
): Promise<Alert | undefined> {
  const alert = await findAlert(ports, ask);
  const said = alert.outcome ?? alert.proposal;
  if (alert.version !== ask.version + 1 || said === undefined) return undefined;
  return isSaidBy(said, worker, { ...ask, status: STATUS_OF[ask.decision] }) ? alert : undefined;
}

const isSaidBy = (
  { by, comment, confirmedBy, reasonCode, status }: AlertOutcome,
  { actor }: Worker,
  ask: AlertDecision & { readonly status: ClosedStatus },
): boolean =>
  status === ask.status &&
  (confirmedBy === actor ||
    (by === actor && comment === ask.comment && reasonCode === ask.reasonCode));
