/** An alert on its way to an outcome: given to somebody, looked at, handed up, annotated. */
import { DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { findAlert } from './alert.ts';
import {
  type AlertAsk,
  changeAlert,
  isSupervisor,
  requireAssignee,
  requireInWork,
  requireStatus,
  requireSupervisor,
  type Step,
  type Worker,
} from './changeAlert.ts';
import type { AlertDeskPorts, ReadNote } from './ports.ts';
import { roles } from './roles.ts';
import { NOTED_ACTION, noteDigest } from './signedNotes.ts';
import { type Alert, type AlertNote, alertNoteTable, type Severity } from './tables.ts';

/**
 * The alert, given to the caller, or by a supervisor to the registered person `to`. It keeps its
 * state where somebody looks at it already. Throws `state-conflict`, `role-insufficient`, and
 * `body-invalid` for a person whom nobody registered.
 */
export function assignAlert(
  ports: AlertDeskPorts,
  ask: AlertAsk & { readonly to?: string },
): Promise<Alert> {
  return changeAlert(ports, ask, (alert, worker) => assignment(ports, ask, { alert, worker }));
}

interface At {
  readonly alert: Alert;
  readonly worker: Worker;
}

async function assignment(
  ports: AlertDeskPorts,
  ask: Pick<AlertAsk, 'tenantId'> & { readonly to?: string },
  { alert, worker }: At,
): Promise<Step> {
  requireInWork(alert);
  const assignee = ask.to === undefined ? worker.actor : await personTo(ports, ask);
  const isOwn = assignee === worker.actor;
  const isFree = alert.assignee === undefined || alert.assignee === worker.actor;
  if (!(isOwn && isFree) && !isSupervisor(worker)) throw new DomainError('role-insufficient');
  if (alert.status === 'escalated') requireSupervisor(worker);
  return {
    action: 'aml.alert.assigned',
    change: { assignee, ...(alert.status === 'open' && { status: 'assigned' as const }) },
    members: { assignee, former_assignee: alert.assignee ?? null },
  };
}

async function personTo(
  { listPersons }: AlertDeskPorts,
  { tenantId, to }: Pick<AlertAsk, 'tenantId'> & { readonly to?: string },
): Promise<string> {
  const person = (await listPersons(tenantId)).find(({ id }) => id === to);
  const isWorker = person?.roles.some((role) => (roles.work as readonly string[]).includes(role));
  if (isWorker === true) return `person:${to}`;
  const detail = 'expected the id of a registered person who works on alerts';
  throw new DomainError('body-invalid', {
    violations: [{ code: 'format', detail, pointer: '/assignee' }],
  });
}

/** The alert, free again. Throws `state-conflict`, `not-assignee`. */
export function releaseAlert(ports: AlertDeskPorts, ask: AlertAsk): Promise<Alert> {
  return changeAlert(ports, ask, (alert, worker) => release({ alert, worker }));
}

function release({ alert, worker }: At): Step {
  requireInWork(alert);
  requireStatus(alert, 'assigned');
  if (!isSupervisor(worker)) requireAssignee(alert, worker);
  return {
    action: 'aml.alert.assigned',
    change: { assignee: undefined, status: 'open' },
    members: { assignee: null, former_assignee: alert.assignee ?? null },
  };
}

/** The alert, looked at by its assignee. Throws `state-conflict`, `not-assignee`. */
export function reviewAlert(ports: AlertDeskPorts, ask: AlertAsk): Promise<Alert> {
  return changeAlert(ports, ask, (alert, worker) => {
    requireStatus(alert, 'assigned');
    requireAssignee(alert, worker);
    return { action: 'aml.alert.review_started', change: { status: 'in_review' } };
  });
}

/** The alert, handed up, without an assignee. Throws `state-conflict`, `not-assignee`. */
export function escalateAlert(
  ports: AlertDeskPorts,
  ask: AlertAsk & { readonly comment: string },
): Promise<Alert> {
  return changeAlert(ports, ask, (alert, worker) => {
    requireInWork(alert);
    requireStatus(alert, 'in_review');
    requireAssignee(alert, worker);
    return {
      action: 'aml.alert.escalated',
      change: { assignee: undefined, status: 'escalated' },
      members: { former_assignee: worker.actor },
      open: { comment: ask.comment },
    };
  });
}

/** What is changed of an alert beside its state. */
export interface EditAlert extends AlertAsk {
  readonly severity?: Severity;
  readonly dueAt?: EpochMs;
  /** A person id; null: nobody. */
  readonly assignee?: string | null;
}

/**
 * Another severity, due time or assignee. Throws `role-insufficient`, `state-conflict`,
 * `not-assignee`, and `body-invalid` for a person whom nobody registered.
 */
export function editAlert(ports: AlertDeskPorts, ask: EditAlert): Promise<Alert> {
  const { assignee, tenantId } = ask;
  return changeAlert(ports, ask, async (alert, worker) => {
    const at = { alert, worker };
    const given =
      assignee === undefined
        ? undefined
        : assignee === null
          ? release(at)
          : await assignment(ports, { tenantId, to: assignee }, at);
    if (ask.severity === undefined && ask.dueAt === undefined && given !== undefined) return given;
    const edited = edit(ports, ask, at);
    if (given === undefined) return edited;
    return { ...edited, before: given, change: { ...given.change, ...edited.change } };
  });
}

function edit({ clock }: AlertDeskPorts, ask: EditAlert, { alert, worker }: At): Step {
  requireSupervisor(worker);
  requireInWork(alert);
  const { dueAt = alert.dueAt, severity = alert.severity } = ask;
  const isLater = dueAt > clock.now();
  return {
    action: 'aml.alert.changed',
    // Who moves the time of an overdue alert gives it a new one; the breach stays in the chain.
    change: { deadline: isLater ? 'running' : alert.deadline, dueAt, severity },
    members: {
      due_at: toTimestamp(dueAt),
      former_due_at: toTimestamp(alert.dueAt),
      former_severity: alert.severity,
      severity,
    },
  };
}

/** A note beside an alert, in every state of it. */
export async function noteAlert(
  ports: AlertDeskPorts,
  ask: AlertAsk & { readonly text: string },
): Promise<Alert> {
  const { alertId, tenantId, text } = ask;
  return changeAlert(ports, ask, ({ version }, { actor }) => {
    const at = ports.clock.now();
    const noteId = uuidV7(at, ports.random);
    const made: AlertNote = {
      alertId,
      at,
      by: actor,
      noteId,
      revision: version + 1,
      tenantId,
    };
    return {
      action: NOTED_ACTION,
      beside: [alertNoteTable.insert(made)],
      change: {},
      members: { note_digest: noteDigest(made), note_id: noteId },
      open: { text },
    };
  });
}

/** Notes that one answer shows. */
export const NOTES_MAX = 200;

/** Notes of an alert, oldest first. Throws `alert-altered` where one is not what was written. */
export async function notesOf(
  ports: Pick<AlertDeskPorts, 'readNote' | 'tables'>,
  place: Pick<AlertAsk, 'alertId' | 'tenantId'>,
): Promise<readonly (AlertNote & ReadNote)[]> {
  const { alertId, tenantId } = await findAlert(ports, place);
  const ask = { equal: { alertId, tenantId }, index: 'byAlert', limit: NOTES_MAX };
  const { records } = await ports.tables.page(alertNoteTable, ask);
  const notes: (AlertNote & ReadNote)[] = [];
  for (const note of records) {
    const read = await ports.readNote(note);
    if (read === undefined) {
      const detail = `note ${note.noteId} is not what its entry made it`;
      throw new DomainError('alert-altered', { detail });
    }
    const { text: _, ...rest } = note;
    notes.push({ ...rest, ...read });
  }
  return notes;
}
