/** Steps of a form: the record as it becomes, its entry, and the classification that follows. */
import { type EventDraft, entry, type IdempotencyRecord } from '#core/audit';
import { type BusEvent, chainOf, DomainError, type TableChange } from '#core/kernel';
import { readClassificationContent } from './classificationContent.ts';
import { draftNext, inForceOf, type TaxAsk } from './classifySubject.ts';
import type { FormContent } from './formContent.ts';
import type { BecomingForm } from './formsOnFile.ts';
import { type TaxForm, taxFormTable } from './formTable.ts';
import { type Holder, holderKey, holderTarget } from './holder.ts';
import type { TaxPorts } from './ports.ts';
import { type FormAction, formDigest, formTarget } from './signedForms.ts';

/** A form with what stands on it. */
export interface StoredForm {
  readonly record: TaxForm;
  readonly content: Omit<FormContent, 'salt'>;
}

/** What is kept of an answer. */
export type KeptForm = (form: StoredForm) => IdempotencyRecord;

/** As its last entry made it. Throws `tax-form-unknown`, `state-altered`. */
export async function findForm(
  { signedForms, tables }: Pick<TaxPorts, 'signedForms' | 'tables'>,
  { formId, tenantId }: Pick<TaxForm, 'formId' | 'tenantId'>,
): Promise<TaxForm> {
  const found = await tables.find(taxFormTable, { formId, tenantId });
  if (found === undefined) throw new DomainError('tax-form-unknown');
  return signedForms.require(found);
}

/** The next state of a form. */
export const nextForm = (
  before: TaxForm,
  change: Partial<TaxForm>,
  now: TaxForm['updatedAt'],
): TaxForm => ({ ...before, ...change, updatedAt: now, version: before.version + 1 });

/** Nothing of its time is due any more. */
export function withoutDue({ dueAt: _, ...form }: TaxForm): TaxForm {
  return form;
}

export const formEntry = (
  ports: Pick<TaxPorts, 'clock' | 'random'>,
  { actor, ip }: Pick<TaxAsk, 'actor' | 'ip'>,
  of: {
    readonly action: FormAction;
    readonly record: TaxForm;
    readonly members?: Readonly<Record<string, number | string>>;
  },
): EventDraft =>
  entry(ports, {
    action: of.action,
    actor,
    at: of.record.updatedAt,
    members: {
      form_digest: formDigest(of.record),
      status: of.record.status,
      form_type: of.record.type,
      holder: holderTarget(classifiedBy(of.record)),
      ...of.members,
    },
    target: formTarget(of.record),
    ...(ip !== undefined && { ip }),
  });

/** Whose classification a form goes into. */
export const classifiedBy = ({ entityRef, subjectRef, tenantId }: TaxForm): Holder => ({
  subjectRef: entityRef ?? subjectRef,
  tenantId,
});

/** What else a commit writes where a form becomes another one. */
export interface Following {
  readonly changes: readonly TableChange[];
  readonly events: readonly EventDraft[];
  /** False: nobody has classified the holder yet. */
  readonly isClassified: boolean;
}

/** The holder is classified anew with the form, in the same commit. */
export async function followForm(
  ports: TaxPorts,
  ask: Pick<TaxAsk, 'actor' | 'ip'>,
  becoming: BecomingForm,
): Promise<Following> {
  const holder = classifiedBy(becoming.record);
  const before = await inForceOf(ports, holder);
  if (before === undefined) return { ...NOTHING, isClassified: false };
  // An erased holder has no key any more: nothing is decided of them.
  if ((await ports.dataKeys.find(holderKey(holder))) === undefined) {
    return { ...NOTHING, isClassified: true };
  }
  const { inputs, notes } = await readClassificationContent(ports, before);
  const next = { becoming, before, inputs, notes };
  const { changes, events } = await draftNext(ports, { ...ask, ...holder }, next);
  return { changes, events, isClassified: true };
}

const NOTHING = { changes: [], events: [] } as const;

/** A form that becomes another one. */
export interface FormStepTaken {
  readonly action: FormAction;
  readonly before: TaxForm;
  readonly record: TaxForm;
  readonly bus?: readonly BusEvent[];
  /** The fence of the worker that holds it. */
  readonly expected?: TableChange;
  readonly members?: Readonly<Record<string, number | string>>;
  /** It changes nothing of what the holder is. */
  readonly isQuiet?: true;
  readonly kept?: (() => IdempotencyRecord) | undefined;
}

/** Writes it and what follows from it. None of these steps makes a form count that did not. */
export async function commitForm(ports: TaxPorts, ask: TaxAsk, of: FormStepTaken): Promise<void> {
  const { action, before, bus = [], expected, isQuiet, kept, members, record } = of;
  const following = isQuiet ? NOTHING : await followForm(ports, ask, { facts: {}, record });
  const told = { action, record, ...(members !== undefined && { members }) };
  await ports.commit(chainOf(record.tenantId), {
    bus,
    changes: [
      ...(expected === undefined ? [] : [expected]),
      taxFormTable.put(record, before.version),
      ...following.changes,
    ],
    events: [formEntry(ports, ask, told), ...following.events],
    ...(kept !== undefined && { idempotency: kept }),
  });
}
