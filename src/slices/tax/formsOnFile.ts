/** The latest form of each kind of a holder, as a classification takes them. */
import { everyRecord } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { dayOf } from './days.ts';
import { readFormContent } from './formContent.ts';
import { type TaxForm, taxFormTable } from './formTable.ts';
import type { Holder } from './holder.ts';
import type { TaxReadPorts } from './ports.ts';
import type { FormFacts, FormOnFile, FormState } from './taxSubject.ts';

/** A form as it becomes with the commit that is under way. */
export interface BecomingForm {
  readonly record: TaxForm;
  readonly facts: FormFacts;
}

/** By its record and the day alone, however late a sweep is. */
export function stateOfForm(record: TaxForm, today: string): FormState {
  const { change, status, validUntil } = record;
  if (status === 'invalidated_by_change') {
    return change !== undefined && today < change.cureDue ? 'changed' : 'over';
  }
  const runs = status === 'valid' || status === 'expiring';
  return runs && (validUntil === undefined || today <= validUntil) ? 'standing' : 'over';
}

/**
 * In the order of their kinds. `becoming` stands for its record, and for the one whose place it
 * takes. Rejects with `state-altered`, `blob-damaged`.
 */
export async function formsOnFile(
  ports: Pick<TaxReadPorts, 'blobs' | 'dataKeys' | 'signedForms' | 'signedHolders' | 'tables'>,
  holder: Holder,
  { becoming, now }: { readonly becoming?: BecomingForm | undefined; readonly now: EpochMs },
): Promise<readonly FormOnFile[]> {
  await ports.signedHolders.requireForms(holder);
  const found: TaxForm[] = [];
  for (const ask of asksOf(holder)) {
    for await (const one of everyRecord(ports.tables, taxFormTable, ask)) {
      if (!isOf(one, holder)) continue;
      if (becoming !== undefined && isOfPlace(one, becoming.record)) continue;
      found.push(await ports.signedForms.require(one));
    }
  }
  if (becoming !== undefined && isOf(becoming.record, holder)) found.push(becoming.record);
  const today = dayOf(now);
  const forms: FormOnFile[] = [];
  for (const record of found.toSorted(byKind)) {
    const facts =
      record === becoming?.record ? becoming.facts : await factsOn(ports, record, today);
    forms.push(formOf(record, facts, today));
  }
  return forms;
}

const asksOf = ({ subjectRef, tenantId }: Holder) =>
  [
    { equal: { isLatest: true, subjectRef, tenantId }, index: 'latestOf' },
    { equal: { entityRef: subjectRef, isLatest: true, tenantId }, index: 'ofEntity' },
  ] as const;

const isOfPlace = (one: TaxForm, other: TaxForm): boolean =>
  one.subjectRef === other.subjectRef && one.place === other.place;

/** A controlling person's certificate is about the entity alone. */
const isOf = ({ entityRef, subjectRef }: TaxForm, holder: Holder): boolean =>
  (entityRef ?? subjectRef) === holder.subjectRef;

const byKind = (one: TaxForm, other: TaxForm): number =>
  one.type < other.type ? -1 : one.type > other.type ? 1 : one.formId < other.formId ? -1 : 1;

/**
 * An erasure rests every form in the commit that destroys its key, so a key that is gone of one
 * that stands was taken away past the service.
 */
async function factsOn(
  ports: Pick<TaxReadPorts, 'blobs' | 'dataKeys'>,
  record: TaxForm,
  today: string,
): Promise<FormFacts> {
  if (stateOfForm(record, today) !== 'standing') return {};
  return (await readFormContent(ports, record)).facts;
}

function formOf(record: TaxForm, facts: FormFacts, today: string): FormOnFile {
  const { change, entityRef, formId, status, subjectRef, type } = record;
  const state = stateOfForm(record, today);
  return {
    form_id: formId,
    state,
    type,
    ...(status === 'invalidated_by_change' && change && { cure_due: change.cureDue }),
    ...(entityRef !== undefined && { person_ref: subjectRef }),
    ...(state === 'standing' && { says: facts }),
  };
}
