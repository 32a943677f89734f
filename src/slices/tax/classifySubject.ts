/**
 * A holder is classified, and again whenever more is known. The later one takes the place of the
 * one before in the same commit; none is ever written over.
 */
import { type Actor, type EventDraft, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError, type TableChange, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { checkInputs } from './checkInputs.ts';
import {
  type ClassificationContent,
  type CureNote,
  keyFor,
  sealContent,
} from './classificationContent.ts';
import { classify } from './classify.ts';
import { openFfiListing } from './ffiList.ts';
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

/** The day of an instant, in UTC. */
export const dayOf = (at: EpochMs): string => toTimestamp(at).slice(0, 10);

/** Throws `classification-invalid`, `state-altered`. */
export async function classifySubject(
  ports: TaxPorts,
  ask: ClassifySubject,
  idempotency?: Kept,
): Promise<Classified> {
  const today = dayOf(ports.clock.now());
  const inputs = { ...ask.inputs, begun_on: ask.inputs.begun_on ?? today };
  checkInputs(inputs, today);
  return overwrite(async () => {
    const before = await inForceOf(ports, ask);
    return commitNext(ports, ask, { before, idempotency, inputs, notes: [] });
  });
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
  readonly idempotency?: Kept | undefined;
}

/** Makes it and puts it in the place of the one before, in one commit. */
export async function commitNext(
  ports: TaxPorts,
  ask: TaxAsk & Pick<TaxClassification, 'subjectRef'>,
  { before, idempotency, inputs: given, notes }: NextClassification,
): Promise<Classified> {
  const { actor, subjectRef, tenantId } = ask;
  const now = ports.clock.now();
  const inputs = await comparedWithList(ports, tenantId, given);
  const result = classify(inputs, dayOf(now));
  const content = { inputs, notes, result };
  const { changes, key } = await keyFor(ports, ask);
  const record: TaxClassification = {
    ...(await sealContent(ports, content, key)),
    classificationId: uuidV7(now, ports.random),
    createdAt: now,
    createdBy: actor,
    ...(result.cure_due !== null && {
      dueAt: Date.parse(`${result.cure_due}T00:00:00Z`) as EpochMs,
    }),
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
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: old ? [taxClassificationTable.put(old, old.version - 1), ...made] : made,
    events: [
      ...(old
        ? [entryOf(ports, ask, { action: 'tcr.classification.superseded', record: old })]
        : []),
      entryOf(ports, ask, { action: 'tcr.classification.made', record }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency({ content, record }) }),
  });
  return { content, record };
}

/** As the FFI list of the tenant is now, whatever it was when the holder was classified before. */
async function comparedWithList(
  ports: TaxPorts,
  tenantId: TaxClassification['tenantId'],
  { giin_check: _, ...inputs }: ClassificationInputs,
): Promise<ClassificationInputs> {
  const { subject } = inputs;
  if (subject.kind !== 'entity' || subject.giin === undefined) return inputs;
  const listing = await openFfiListing(ports, tenantId);
  if (listing === undefined) return inputs;
  const state = listing.stateOf(subject.giin, ports.clock.now());
  return { ...inputs, giin_check: { listed_on: listing.listedOn, state } };
}

function superseded(before: TaxClassification, now: EpochMs): TaxClassification {
  const { dueAt: _, ...kept } = before;
  return { ...kept, status: 'superseded', updatedAt: now, version: before.version + 1 };
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
