/**
 * The one way in which a person or the service changes an alert: read it, decide, and commit the
 * next revision with its entry and its line in the log.
 */
import {
  type Actor,
  type AuditAction,
  type Commit,
  entry,
  type IdempotencyRecord,
  type JsonObject,
  overwrite,
} from '#core/audit';
import { type Person, type Principal, personOf } from '#core/identity';
import { chainOf, DomainError, type TableChange } from '#core/kernel';
import { type AlertPlace, alertDigest, findAlert, isClosed, targetOf } from './alert.ts';
import { logChanges, logEnd } from './alertLog.ts';
import type { AlertDeskPorts, AlertPorts } from './ports.ts';
import { roles } from './roles.ts';
import { type Alert, alertTable } from './tables.ts';

/** The administrator at the command line: stands above agents, and is no registered person. */
export interface Administrator {
  readonly kind: 'cli';
  readonly actor: Actor;
}

/** Who asks for a change, and under which conditions. */
export interface AlertAsk extends AlertPlace {
  readonly principal: Principal | Administrator;
  readonly ip?: string;
  /** Whether the caller means this version; absent: whichever it is. */
  readonly isExpected?: (version: number) => boolean;
  readonly idempotency?: (alert: Alert) => IdempotencyRecord;
}

/**
 * The caller as entries name them, with the roles that count for them: of a registered person those
 * that both the register and the token give.
 */
export interface Worker {
  /** `person:<id>` for one who is registered, whatever account they use. */
  readonly actor: Actor;
  readonly person: Person | undefined;
  readonly roles: Principal['roles'];
  /** Acts for whomever an alert is assigned to. */
  readonly isAdministrator?: true;
}

const EVERY_ROLE = Object.values(roles).flat();

/** Who calls. */
export async function workerOf(
  ports: Pick<AlertDeskPorts, 'listPersons'>,
  principal: Principal | Administrator,
): Promise<Worker> {
  if (principal.kind === 'cli') {
    return { actor: principal.actor, isAdministrator: true, person: undefined, roles: EVERY_ROLE };
  }
  const person = personOf(principal, await ports.listPersons(principal.tenantId));
  if (person !== undefined) return { actor: `person:${person.id}`, person, roles: person.roles };
  const actor: Actor = `${principal.kind === 'user' ? 'user' : 'key'}:${principal.id}`;
  return { actor, person: undefined, roles: principal.roles };
}

/** Members that a change sets; `undefined` takes one away. */
export type Changed = {
  readonly [Name in keyof Alert]?: Alert[Name] | undefined;
};

/** What becomes of an alert. */
export interface Step {
  readonly action: AuditAction;
  readonly change: Changed;
  readonly members?: JsonObject;
  /** Free text of people. */
  readonly open?: JsonObject;
  /** Changes in the same commit, with entries and events of their own. */
  readonly beside?: readonly TableChange[];
  readonly alongside?: Pick<Commit, 'bus' | 'changes' | 'events'>;
  /** What led to it, with an entry of its own in the same commit. */
  readonly before?: Pick<Step, 'action' | 'members' | 'open'>;
}

/**
 * The alert after the step that `decide` makes of it. `decide` may run several times. Throws
 * `alert-unknown`, `alert-altered`, `precondition-failed`, and what `decide` throws.
 */
export async function changeAlert(
  ports: AlertDeskPorts,
  ask: AlertAsk,
  decide: (alert: Alert, worker: Worker) => Step | Promise<Step>,
): Promise<Alert> {
  const worker = await workerOf(ports, ask.principal);
  return overwrite(async () => {
    const alert = await findAlert(ports, ask);
    if (ask.isExpected?.(alert.version) === false) throw new DomainError('precondition-failed');
    if (!(await ports.signed.isAsSigned(alert))) throw new DomainError('alert-altered');
    const step = await decide(alert, worker);
    return commitStep(ports, alert, { ...ask, actor: worker.actor, step });
  });
}

/** The same by the service itself. */
export function overwriteAlert(
  ports: AlertPorts & Pick<AlertDeskPorts, 'signed'>,
  ask: AlertPlace & { readonly actor: Actor },
  decide: (alert: Alert) => Step,
): Promise<Alert> {
  return overwrite(async () => {
    const alert = await findAlert(ports, ask);
    if (!(await ports.signed.isAsSigned(alert))) throw new DomainError('alert-altered');
    return commitStep(ports, alert, { actor: ask.actor, step: decide(alert) });
  });
}

/** The next revision. Throws StaleChange where another writer was first. */
export async function commitStep(
  ports: AlertPorts,
  alert: Alert,
  of: Pick<AlertAsk, 'idempotency' | 'ip'> & {
    readonly actor: Actor;
    readonly step: Step;
  },
): Promise<Alert> {
  const { actor, idempotency, ip, step } = of;
  const { tenantId } = alert;
  const now = ports.clock.now();
  const { action } = step;
  const version = alert.version + 1;
  const next = without({ ...alert, ...step.change, action, updatedAt: now, version });
  const end = await logEnd(ports, tenantId);
  await ports.commit(chainOf(tenantId), {
    bus: step.alongside?.bus ?? [],
    changes: [
      alertTable.put(next, alert.version),
      ...(step.beside ?? []),
      ...(step.alongside?.changes ?? []),
      ...logChanges(tenantId, end, [{ former: alert, next }]),
    ],
    events: [
      ...(step.alongside?.events ?? []),
      ...[step.before, step]
        .filter((told) => told !== undefined)
        .map(({ action: told, members, open }) =>
          entry(ports, {
            action: told,
            actor,
            at: now,
            ...(ip !== undefined && { ip }),
            members: {
              alert_digest: alertDigest(next),
              former_digest: alertDigest(alert),
              former_status: alert.status,
              status: next.status,
              version,
              ...members,
            },
            ...(open !== undefined && { open }),
            target: targetOf(alert),
          }),
        ),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
  });
  return next;
}

/** Without members that are undefined, since a record is JSON. */
const without = (alert: { readonly [Name in keyof Alert]: Alert[Name] | undefined }): Alert =>
  Object.fromEntries(Object.entries(alert).filter(([, value]) => value !== undefined)) as never;

/** Throws `state-conflict` unless the alert is in one of these states. */
export function requireStatus(alert: Alert, ...allowed: readonly Alert['status'][]): void {
  if (allowed.includes(alert.status)) return;
  const detail = `expected an alert that is ${allowed.join(' or ')}, got ${alert.status}`;
  throw new DomainError('state-conflict', { detail });
}

/** Throws `state-conflict` for a closed alert, and where an outcome waits for a second person. */
export function requireInWork(alert: Alert): void {
  if (isClosed(alert)) {
    throw new DomainError('state-conflict', { detail: `the alert is ${alert.status}` });
  }
  if (alert.proposal === undefined) return;
  const detail = 'an outcome of the alert waits for a second person';
  throw new DomainError('state-conflict', { detail });
}

/** Throws `not-assignee`. */
export function requireAssignee(alert: Alert, worker: Worker): void {
  if (alert.assignee !== worker.actor && worker.isAdministrator !== true) {
    throw new DomainError('not-assignee');
  }
}

/** Whether one of a worker's roles is of those that stand above agents. */
export const isSupervisor = ({ roles: held }: Pick<Worker, 'roles'>): boolean =>
  held.some((role) => (roles.supervise as readonly string[]).includes(role));

/** Throws `role-insufficient`. */
export function requireSupervisor(worker: Pick<Worker, 'roles'>): void {
  if (!isSupervisor(worker)) throw new DomainError('role-insufficient');
}

/**
 * Throws `not-assignee` where another one works on the alert and the caller stands not above them,
 * `role-insufficient` where it was handed up to those who do.
 */
export function requireDesk(alert: Alert, worker: Worker): void {
  if (isSupervisor(worker)) return;
  if (alert.status === 'escalated') throw new DomainError('role-insufficient');
  if (alert.assignee !== undefined) requireAssignee(alert, worker);
}
