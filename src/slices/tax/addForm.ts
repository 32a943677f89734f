/**
 * A form of a holder comes: it is read, compared with what is on file, and kept. One that lacks
 * nothing takes the place of the former of its kind, and the holder is classified with it, in one
 * commit; one that lacks something is kept beside it, with what was found.
 */
import { overwrite } from '#core/audit';
import { chainOf, DomainError, type TableChange } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { uuidV7 } from '#platform/random';
import { checkForm } from './checkForm.ts';
import { readClassificationContent } from './classificationContent.ts';
import { catchUp, inForceOf, type TaxAsk } from './classifySubject.ts';
import { dayOf, daysAfter, startOf } from './days.ts';
import { openFfiListing } from './ffiList.ts';
import { sealForm } from './formContent.ts';
import { factsOf } from './formFacts.ts';
import type { FormContext } from './formFindings.ts';
import { FORM_FIGURES } from './formRules.ts';
import {
  classifiedBy,
  followForm,
  formEntry,
  type KeptForm,
  nextForm,
  type StoredForm,
  withoutDue,
} from './formSteps.ts';
import { type TaxForm, taxFormTable } from './formTable.ts';
import { type Holder, holderKey } from './holder.ts';
import { keyFor } from './holderContent.ts';
import { FORM_SEEN_MS, PERSONS_MAX } from './limits.ts';
import type { TaxPorts } from './ports.ts';
import { readForm } from './readForm.ts';
import { type FormInput, isOfFatca } from './taxForm.ts';

/** A form, as somebody hands it in. */
export interface AddForm extends TaxAsk {
  readonly form: unknown;
}

/**
 * Throws `form-fields-invalid`, `tin-invalid`, `giin-invalid`, `state-altered`, `blob-damaged`.
 */
export async function addForm(
  ports: TaxPorts,
  ask: AddForm,
  idempotency?: KeptForm,
): Promise<StoredForm> {
  const today = dayOf(ports.clock.now());
  const form = readForm(ask.form, today);
  const { isClassified, ...stored } = await overwrite(() =>
    takeForm(ports, ask, form, idempotency),
  );
  const { record } = stored;
  if (!isClassified && record.status === 'valid') {
    await overwrite(() => catchUp(ports, ask, classifiedBy(record)));
  }
  return stored;
}

interface TakenForm extends StoredForm {
  /** False: nobody has classified the holder yet. */
  readonly isClassified: boolean;
}

async function takeForm(
  ports: TaxPorts,
  ask: TaxAsk,
  form: FormInput,
  idempotency: KeptForm | undefined,
): Promise<TakenForm> {
  const { tenantId } = ask;
  const now = ports.clock.now();
  const holder: Holder = { subjectRef: form.subject_ref, tenantId };
  const place = placeOf(form);
  const former = await latestOf(ports, holder, place);
  if (former === undefined) await requireRoom(ports, form, tenantId);
  const { context, giin_check } = await contextOf(ports, { form, former, holder });
  const { cureDue, findings, isComplete, tins, validUntil } = checkForm(form, context);
  const { changes, key } = await keyFor(ports, holder);
  const content = {
    facts: factsOf(form),
    findings,
    form,
    notes: [],
    tins,
    ...(giin_check !== undefined && { giin_check }),
  };
  const record: TaxForm = {
    ...(await sealForm(ports, content, key)),
    ...holder,
    createdAt: now,
    createdBy: ask.actor,
    ...(cureDue !== undefined && { cureDue }),
    ...(isComplete && validUntil !== undefined && { dueAt: firstDue(validUntil) }),
    ...(form.entity_ref !== undefined && { entityRef: form.entity_ref }),
    formId: uuidV7(now, ports.random),
    place,
    receivedOn: form.received_at ?? dayOf(now),
    ...(form.revision !== undefined && { revision: form.revision }),
    ...(form.signed_at !== undefined && { signedOn: form.signed_at }),
    status: isComplete ? 'valid' : 'incomplete',
    ...(isComplete && former !== undefined && { supersedes: former.formId }),
    type: form.type,
    updatedAt: now,
    ...(validUntil !== undefined && { validUntil }),
    version: 1,
  };
  return commitTaken(ports, ask, {
    changes,
    former: isComplete ? former : undefined,
    idempotency,
    stored: { content, record },
  });
}

async function commitTaken(
  ports: TaxPorts,
  ask: TaxAsk,
  of: {
    readonly changes: readonly TableChange[];
    readonly former: TaxForm | undefined;
    readonly idempotency: KeptForm | undefined;
    readonly stored: StoredForm;
  },
): Promise<TakenForm> {
  const { former, idempotency } = of;
  const { content, record: given } = of.stored;
  const old = former && withoutDue(nextForm(former, { status: 'superseded' }, given.updatedAt));
  const following =
    given.status === 'valid'
      ? await followForm(ports, ask, { facts: content.facts, record: given })
      : { changes: [], events: [], isClassified: false };
  const { isClassified } = following;
  const record = isClassified || given.status !== 'valid' ? given : lookedAtSoon(given);
  const stored = { content, record };
  await ports.commit(chainOf(record.tenantId), {
    bus: [],
    changes: [
      ...of.changes,
      ...(old === undefined ? [] : [taxFormTable.put(old, old.version - 1)]),
      taxFormTable.insert(record),
      ...following.changes,
    ],
    events: [
      ...(old === undefined
        ? []
        : [formEntry(ports, ask, { action: 'tcr.form.superseded', record: old })]),
      formEntry(ports, ask, { action: 'tcr.form.received', record }),
      ...following.events,
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(stored) }),
  });
  return { ...stored, isClassified };
}

/**
 * A first classification that came at once may not have seen the form, and who would look again may
 * die: a worker does, once whatever was under way is over, and with a step that is due before.
 */
const lookedAtSoon = (record: TaxForm): TaxForm => ({
  ...record,
  dueAt: Math.min(
    record.dueAt ?? Number.POSITIVE_INFINITY,
    record.createdAt + FORM_SEEN_MS,
  ) as TaxForm['createdAt'],
});

/** When the first notice of a form's end is due. */
export const firstDue = (validUntil: string): TaxForm['createdAt'] =>
  startOf(daysAfter(validUntil, -(FORM_FIGURES.noticeDays[0] ?? 0)));

/** A holder has one latest form for each regime, and for each entity that they control. */
const placeOf = ({ entity_ref: entityRef, type }: FormInput): string => {
  if (entityRef !== undefined) return `crs-of:${sha256Hex(`tax-holder-v1\0${entityRef}`)}`;
  return isOfFatca(type) ? 'fatca' : 'crs';
};

async function latestOf(
  { signedForms, tables }: Pick<TaxPorts, 'signedForms' | 'tables'>,
  holder: Holder,
  place: string,
): Promise<TaxForm | undefined> {
  const found = await tables.findUnique(taxFormTable, 'latest', { ...holder, place });
  return found && signedForms.require(found);
}

/** Each certificate of an entity's persons is read whenever the entity is classified. */
async function requireRoom(
  { tables }: Pick<TaxPorts, 'tables'>,
  { entity_ref: entityRef }: FormInput,
  tenantId: Holder['tenantId'],
): Promise<void> {
  if (entityRef === undefined) return;
  const ask = { equal: { entityRef, isLatest: true, tenantId }, index: 'ofEntity' };
  const { records } = await tables.page(taxFormTable, { ...ask, limit: PERSONS_MAX });
  if (records.length < PERSONS_MAX) return;
  const detail = `expected at most ${PERSONS_MAX} persons of one entity`;
  throw new DomainError('form-fields-invalid', {
    violations: [{ code: 'range', detail, pointer: '/entity_ref' }],
  });
}

/** What the form is compared with: who the holder was classified as, and the FFI list. */
async function contextOf(
  ports: TaxPorts,
  of: {
    readonly form: FormInput;
    readonly former: TaxForm | undefined;
    readonly holder: Holder;
  },
) {
  const { form, former, holder } = of;
  const now = ports.clock.now();
  const { giin } = form.fields;
  const [before, key, listing] = await Promise.all([
    form.entity_ref === undefined ? inForceOf(ports, holder) : undefined,
    ports.dataKeys.find(holderKey(holder)),
    giin === undefined ? undefined : openFfiListing(ports, holder.tenantId),
  ]);
  const known =
    before === undefined || key === undefined
      ? undefined
      : (await readClassificationContent(ports, before)).inputs;
  const state = giin === undefined ? undefined : listing?.stateOf(giin, now);
  const isForeign = former?.type === 'W-8BEN' || former?.type === 'W-8BEN-E';
  const context: FormContext = {
    hasForeignForm: isForeign && (former.status === 'valid' || former.status === 'expiring'),
    today: dayOf(now),
    ...(known !== undefined && { home: known.institution.country, subject: known.subject }),
    ...(state !== undefined && { giin: state }),
  };
  if (listing === undefined || state === undefined) return { context, giin_check: undefined };
  return { context, giin_check: { listed_on: listing.listedOn, state } };
}
