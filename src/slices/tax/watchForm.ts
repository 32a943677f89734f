/**
 * The time of a form: people are told 90 and 30 days before its last day and on it; the day after,
 * it is over, and the holder is classified without it. How far that is stands in the record, so of
 * several workers one tells, and a clock that jumps skips steps and repeats none.
 */
import { overwrite } from '#core/audit';
import { type BusEvent, isConflict, type PageAsk } from '#core/kernel';
import { type Hold, WorkLost } from '#core/work';
import type { EpochMs } from '#platform/clock';
import { firstDue } from './addForm.ts';
import { catchUp, type TaxAsk } from './classifySubject.ts';
import { dayOf, daysAfter, startOf } from './days.ts';
import { FORM_FIGURES } from './formRules.ts';
import { classifiedBy, commitForm, nextForm, withoutDue } from './formSteps.ts';
import type { TaxForm } from './formTable.ts';
import { holderKey } from './holder.ts';
import type { TaxPorts } from './ports.ts';

/** A form that a worker has. */
export type FormHold = Hold<TaxForm, 'formId' | 'tenantId'>;

/** Forms whose next step is due, the one that waits longest first. */
export const dueForms = (now: EpochMs, limit: number): PageAsk => ({
  equal: { isRunning: true },
  index: 'due',
  limit,
  // Not before its instant is over: `to` is exclusive.
  to: now,
});

/** What is due of a form on a day. */
export interface FormStep {
  /** Days before the end of which people are told; absent: of none. */
  readonly told?: number;
  readonly isOver: boolean;
  /** When the next step is due; absent: there is none. */
  readonly dueAt?: EpochMs;
}

/** The last one of several steps that were missed counts. Undefined: nothing is due. */
export function stepOfForm(
  { status, toldDays, validUntil }: TaxForm,
  today: string,
): FormStep | undefined {
  const runs = status === 'valid' || status === 'expiring';
  if (!runs || validUntil === undefined) return undefined;
  const isOver = today > validUntil;
  const reached = FORM_FIGURES.noticeDays.filter((days) => today >= daysAfter(validUntil, -days));
  const last = reached.at(-1);
  const isNew = last !== undefined && (toldDays === undefined || last < toldDays);
  if (!isNew && !isOver) return undefined;
  const next = FORM_FIGURES.noticeDays.find((days) => today < daysAfter(validUntil, -days));
  return {
    isOver,
    ...(isNew && { told: last }),
    ...(!isOver && {
      dueAt: startOf(next === undefined ? daysAfter(validUntil, 1) : daysAfter(validUntil, -next)),
    }),
  };
}

/** Does what is due, in one commit, and gives the form back. Throws `state-altered`, WorkLost. */
export async function watchForm(ports: TaxPorts, hold: FormHold): Promise<void> {
  const before = await ports.signedForms.require(hold.record);
  hold.signal.throwIfAborted();
  const step = stepOfForm(before, dayOf(ports.clock.now()));
  if (step !== undefined || isUnseen(before)) {
    try {
      if (!step?.isOver) await seeForm(ports, before);
      if (step === undefined) await commitSeen(ports, hold, before);
      else await commitStep(ports, hold, before, step);
    } catch (error) {
      if (isConflict(error)) throw new WorkLost('somebody else has changed it', { cause: error });
      throw error;
    }
  }
  await hold.giveBack({ hasGotOn: true, isTried: false });
}

const ASK: Pick<TaxAsk, 'actor'> = { actor: 'system:tax' };

/** It came before its holder was classified: a first classification may not have seen it. */
const isUnseen = ({ dueAt, toldDays }: TaxForm): boolean =>
  dueAt !== undefined && toldDays === undefined;

async function seeForm(ports: TaxPorts, before: TaxForm): Promise<void> {
  if ((await ports.dataKeys.find(holderKey(before))) === undefined) return;
  await overwrite(() => catchUp(ports, ASK, classifiedBy(before)));
}

async function commitSeen(ports: TaxPorts, hold: FormHold, before: TaxForm): Promise<void> {
  const { validUntil } = before;
  const change = validUntil === undefined ? {} : { dueAt: firstDue(validUntil) };
  const ask = { ...ASK, tenantId: before.tenantId };
  await commitForm(ports, ask, {
    action: 'tcr.form.rested',
    before,
    expected: hold.expected,
    isQuiet: true,
    record: nextForm(withoutDue(before), change, ports.clock.now()),
  });
}

async function commitStep(
  ports: TaxPorts,
  hold: FormHold,
  before: TaxForm,
  { dueAt, isOver, told }: FormStep,
): Promise<void> {
  const now = ports.clock.now();
  const ask = { ...ASK, tenantId: before.tenantId };
  const common = { before, expected: hold.expected };
  // An erased holder has nothing that anybody could renew: no step is due of it any more.
  if ((await ports.dataKeys.find(holderKey(before))) === undefined) {
    const record = withoutDue(nextForm(before, {}, now));
    return commitForm(ports, ask, { ...common, action: 'tcr.form.rested', isQuiet: true, record });
  }
  const change: Partial<TaxForm> = {
    status: isOver ? 'expired' : 'expiring',
    ...(told !== undefined && { toldDays: told }),
    ...(dueAt !== undefined && { dueAt }),
  };
  const record = nextForm(withoutDue(before), change, now);
  return commitForm(ports, ask, {
    ...common,
    action: isOver ? 'tcr.form.expired' : 'tcr.form.ending',
    bus: told === undefined ? [] : [endingEvent(record, told)],
    members: told === undefined ? {} : { days: told },
    record,
    ...(!isOver && { isQuiet: true }),
  });
}

const endingEvent = (form: TaxForm, days: number): BusEvent => ({
  partition: form.tenantId,
  payload: { days_left: days, form_id: form.formId, type: form.type, until: form.validUntil ?? '' },
  topic: 'tcr.form.ending',
});

/** Forms as a worker offers them to its runner. */
export const waitingForm = ({ formId, tenantId }: TaxForm) => ({
  key: { formId, tenantId },
  name: formId,
  tenantId,
});
