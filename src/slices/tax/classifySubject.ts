/**
 * A holder is classified, and again whenever more is known. The later one takes the place of the
 * one before in the same commit; none is ever written over.
 */
import { type Actor, type EventDraft, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError, type TableChange, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { checkInputs } from './checkInputs.ts';
import {
  type ClassificationContent,
  type CureNote,
  readClassificationContent,
  sealContent,
} from './classificationContent.ts';
import { classify } from './classify.ts';
import { dayOf, startOf } from './days.ts';
import { openFfiListing } from './ffiList.ts';
import { entityForFatca } from './formFacts.ts';
import { type BecomingForm, formsOnFile } from './formsOnFile.ts';
import type { Holder } from './holder.ts';
import { keyFor } from './holderContent.ts';
import type { TaxPorts } from './ports.ts';
import { classificationDigest, targetOf } from './signedClassifications.ts';
import { type TaxClassification, taxClassificationTable } from './tables.ts';
import type { ClassificationInputs } from './taxSubject.ts';

/** Who asks. */
export interface TaxAsk {
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly ip?: string;
}

/** A classification with what it says. */
export interface Classified {
  readonly record: TaxClassification;
  readonly content: Omit<ClassificationContent, 'salt'>;
}

/** What a holder is classified by; without `begun_on` the time of cures begins now. */
export interface ClassifySubject extends TaxAsk {
  readonly subjectRef: string;
  readonly inputs: Omit<ClassificationInputs, 'begun_on'> & { readonly begun_on?: string };
}

type Kept = (classified: Classified) => IdempotencyRecord;

/** Throws `classification-invalid`, `state-altered`. */
export async function classifySubject(
  ports: TaxPorts,
  ask: ClassifySubject,
  idempotency?: Kept,
): Promise<Classified> {
  const today = dayOf(ports.clock.now());
  const inputs = { ...ask.inputs, begun_on: ask.inputs.begun_on ?? today };
  checkInputs(inputs, today);
  const made = await overwrite(async () => {
    const before = await inForceOf(ports, ask);
    return commitNext(ports, ask, { before, idempotency, inputs, notes: [] });
  });
  if (made.record.supersedes === undefined) await overwrite(() => catchUp(ports, ask, ask));
  return made;
}

/**
 * A form and a first classification that came at once have not seen each other: whichever is later
 * looks again, and the holder is classified with both.
 */
export async function catchUp(
  ports: TaxPorts,
  { actor, ip }: Pick<TaxAsk, 'actor' | 'ip'>,
  { subjectRef, tenantId }: Holder,
): Promise<void> {
  const holder = { subjectRef, tenantId };
  const before = await inForceOf(ports, holder);
  if (before === undefined) return;
  const { inputs, notes } = await readClassificationContent(ports, before);
  const forms = await formsOnFile(ports, holder, { now: ports.clock.now() });
  const seen = (of: typeof forms) => of.map(({ form_id, state }) => `${form_id} ${state}`).join();
  if (seen(forms) === seen(inputs.forms ?? [])) return;
  const ask = { actor, ...holder, ...(ip !== undefined && { ip }) };
  await commitNext(ports, ask, { before, inputs, notes });
}

/** The classification in force of a holder, as it was signed. */
export async function inForceOf(
  { signed, tables }: Pick<TaxPorts, 'signed' | 'tables'>,
  { subjectRef, tenantId }: Pick<TaxClassification, 'subjectRef' | 'tenantId'>,
): Promise<TaxClassification | undefined> {
  const ask = {
    equal: { isInForce: true, subjectRef, tenantId },
    index: 'held',
    limit: 1,
  } as const;
  const [last] = (await tables.page(taxClassificationTable, ask)).records;
  return last && (await signed.require(last));
}

/** What the next classification is made of. */
export interface NextClassification {
  readonly before: TaxClassification | undefined;
  readonly inputs: ClassificationInputs;
  readonly notes: readonly CureNote[];
  /** A form that the same commit writes. */
  readonly becoming?: BecomingForm;
}

/** The next classification with what writes it. */
export interface DraftedNext extends Classified {
  readonly changes: readonly TableChange[];
  readonly events: readonly EventDraft[];
}

/** Makes it and puts it in the place of the one before, in one commit. */
export async function commitNext(
  ports: TaxPorts,
  ask: TaxAsk & Pick<TaxClassification, 'subjectRef'>,
  { idempotency, ...next }: NextClassification & { readonly idempotency?: Kept | undefined },
): Promise<Classified> {
  const { changes, content, events, record } = await draftNext(ports, ask, next);
  await ports.commit(chainOf(ask.tenantId), {
    bus: [],
    changes,
    events,
    ...(idempotency !== undefined && { idempotency: () => idempotency({ content, record }) }),
  });
  return { content, record };
}

/** The same for a commit that does more. */
export async function draftNext(
  ports: TaxPorts,
  ask: TaxAsk & Pick<TaxClassification, 'subjectRef'>,
  { becoming, before, inputs: given, notes }: NextClassification,
): Promise<DraftedNext> {
  const { actor, subjectRef, tenantId } = ask;
  const now = ports.clock.now();
  const inputs = await asOnFile(ports, { becoming, inputs: given, subjectRef, tenantId });
  const result = classify(inputs, dayOf(now));
  const content = { inputs, notes, result };
  const { changes, key } = await keyFor(ports, ask);
  const record: TaxClassification = {
    ...(await sealContent(ports, content, key)),
    classificationId: uuidV7(now, ports.random),
    createdAt: now,
    createdBy: actor,
    ...(result.cure_due !== null && { dueAt: startOf(result.cure_due) }),
    kind: inputs.subject.kind,
    status: result.status,
    subjectRef,
    ...(before !== undefined && { supersedes: before.classificationId }),
    tableVersion: result.table_version,
    tenantId,
    updatedAt: now,
    version: 1,
  };
  const old = before && superseded(before, now);
  const made: TableChange[] = [...changes, taxClassificationTable.insert(record)];
  return {
    changes: old ? [taxClassificationTable.put(old, old.version - 1), ...made] : made,
    content,
    events: [
      ...(old
        ? [entryOf(ports, ask, { action: 'tcr.classification.superseded', record: old })]
        : []),
      entryOf(ports, ask, { action: 'tcr.classification.made', record }),
    ],
    record,
  };
}

/**
 * With the forms of the holder and the FFI list of the tenant as they are now, whatever they were
 * when the holder was classified before.
 */
async function asOnFile(
  ports: TaxPorts,
  of: Pick<TaxClassification, 'subjectRef' | 'tenantId'> & {
    readonly becoming: BecomingForm | undefined;
    readonly inputs: ClassificationInputs;
  },
): Promise<ClassificationInputs> {
  const { becoming, subjectRef, tenantId } = of;
  const { forms: _, giin_check: __, ...given } = of.inputs;
  const now = ports.clock.now();
  const forms = await formsOnFile(ports, { subjectRef, tenantId }, { becoming, now });
  const inputs = { ...given, ...(forms.length > 0 && { forms }) };
  const { subject } = inputs;
  const giin = subject.kind === 'entity' ? entityForFatca(subject, inputs).giin : undefined;
  if (giin === undefined) return inputs;
  const listing = await openFfiListing(ports, tenantId);
  if (listing === undefined) return inputs;
  const state = listing.stateOf(giin, now);
  return { ...inputs, giin_check: { listed_on: listing.listedOn, state } };
}

function superseded(before: TaxClassification, now: EpochMs): TaxClassification {
  const { dueAt: _, ...kept } = before;
  return { ...kept, status: 'superseded', updatedAt: now, version: before.version + 1 };
}

/**
 * What takes a classification that nobody can read any more out of its place: the same reference is
 * somebody new.
 */
export function unreadable(
  ports: Pick<TaxPorts, 'clock' | 'random'>,
  { actor }: Pick<TaxAsk, 'actor'>,
  before: TaxClassification,
): { readonly change: TableChange; readonly event: EventDraft } {
  const record = superseded(before, ports.clock.now());
  const ask = { actor, tenantId: before.tenantId };
  return {
    change: taxClassificationTable.put(record, before.version),
    event: entryOf(ports, ask, { action: 'tcr.classification.rested', record }),
  };
}

/** Nothing is due of it any more; its status stays. */
export async function restClassification(
  ports: TaxPorts,
  ask: TaxAsk,
  before: TaxClassification,
): Promise<void> {
  const { dueAt: _, ...kept } = before;
  const updatedAt = ports.clock.now();
  const record: TaxClassification = { ...kept, updatedAt, version: before.version + 1 };
  await ports.commit(chainOf(before.tenantId), {
    bus: [],
    changes: [taxClassificationTable.put(record, before.version)],
    events: [entryOf(ports, ask, { action: 'tcr.classification.rested', record })],
  });
}

function entryOf(
  ports: Pick<TaxPorts, 'clock' | 'random'>,
  { actor, ip }: TaxAsk,
  of: {
    readonly action:
      | 'tcr.classification.made'
      | 'tcr.classification.rested'
      | 'tcr.classification.superseded';
    readonly record: TaxClassification;
  },
): EventDraft {
  const { action, record } = of;
  return entry(ports, {
    action,
    actor,
    at: record.updatedAt,
    members: {
      classification_digest: classificationDigest(record),
      status: record.status,
      table_version: record.tableVersion,
    },
    target: targetOf(record),
    ...(ip !== undefined && { ip }),
  });
}

/** The record as its last entry made it. Throws `classification-unknown`, `state-altered`. */
export async function findClassification(
  { signed, tables }: Pick<TaxPorts, 'signed' | 'tables'>,
  place: Pick<TaxClassification, 'classificationId' | 'tenantId'>,
): Promise<TaxClassification> {
  const { classificationId, tenantId } = place;
  const found = await tables.find(taxClassificationTable, { classificationId, tenantId });
  if (found === undefined) throw new DomainError('classification-unknown');
  return signed.require(found);
}
