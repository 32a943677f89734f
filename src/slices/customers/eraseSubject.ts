/**
 * What becomes of a customer who is erased. While a law demands the file of a case that was
 * decided, the customer stands there under a pseudonym: contact data, words of people and consents
 * to marketing go at once, identifiers and the key of the documents lie in the identity vault.
 * Without a duty, or at its end, the data key is destroyed: nothing of the cases and documents can
 * be read any more, nor from a backup. What was decided when, and by whom, stays.
 */
import { type AuditStore, type EventDraft, eraseOpenAbout, overwrite } from '#core/audit';
import { type DataKey, dataKeyTable } from '#core/blobs';
import { chainOf, DomainError, everyRecord, type TableChange } from '#core/kernel';
import {
  type DataSubject,
  dutyEnd,
  type ErasureOrder,
  type ErasureTerms,
  type HoldingErasure,
  type PlannedErasure,
} from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { type CaseContent, openContent, sealContent, subjectKeyId } from './caseContent.ts';
import { type CaseChange, kycEntry, nextCase, putCase } from './caseRecord.ts';
import { deleteDocument, storedDocuments } from './documentFiles.ts';
import { identifiersOf, withoutIdentity } from './identifiers.ts';
import type { CasePorts } from './ports.ts';
import { caseTarget, subjectTarget } from './signedCases.ts';
import { isUndecided } from './states.ts';
import { casesOfSubject, findSubject } from './subjects.ts';
import {
  type CaseRecord,
  type DocumentRecord,
  type SubjectRecord,
  subjectTable,
} from './tables.ts';

/** What erases customers, and what entries say of them. */
export interface ErasePorts extends CasePorts {
  readonly audit: Pick<AuditStore, 'eraseOpen' | 'searchEvents'>;
}

/** A customer, with all cases and documents. */
export interface WholeSubject {
  readonly subject: SubjectRecord;
  readonly cases: readonly CaseRecord[];
  readonly documents: readonly DocumentRecord[];
}

/** Undefined where there is nobody of these names. */
export async function wholeSubject(
  ports: Pick<CasePorts, 'signed' | 'tables'>,
  { caseIds = [], subjectId, subjectRef, tenantId }: DataSubject,
): Promise<WholeSubject | undefined> {
  const [caseId] = caseIds;
  const subject = await findSubject(ports, {
    tenantId,
    ...(caseId !== undefined && { caseId }),
    ...(subjectId !== undefined && { subjectId }),
    ...(subjectRef !== undefined && { externalRef: subjectRef }),
  });
  if (subject === undefined) return undefined;
  const cases = await casesOfSubject(ports, subject);
  const documents: DocumentRecord[] = [];
  for (const one of cases) documents.push(...(await storedDocuments(ports, one)));
  return { cases, documents, subject };
}

/** The end of the last duty; undefined where no case was decided. */
export function lastDuty(
  cases: readonly CaseRecord[],
  terms: Pick<ErasureTerms, 'retentionYears'>,
): EpochMs | undefined {
  const ends = cases.flatMap(({ decidedAt, retentionUntil }) => {
    if (decidedAt === undefined) return [];
    return retentionUntil ?? dutyEnd(decidedAt, terms);
  });
  return ends.length === 0 ? undefined : (Math.max(...ends) as EpochMs);
}

const isKept = (until: EpochMs | undefined, { now }: Pick<ErasureTerms, 'now'>): until is EpochMs =>
  until !== undefined && until > now;

/** What counts of a customer, by store. */
type CountOf = (whole: WholeSubject) => number;

const planOf =
  (ports: CasePorts, countOf: CountOf): HoldingErasure['plan'] =>
  async (named, terms): Promise<readonly PlannedErasure[]> => {
    const whole = await wholeSubject(ports, named);
    if (whole === undefined || whole.subject.createdAt > terms.asOf) return [];
    const rows = countOf(whole);
    const until = lastDuty(whole.cases, terms);
    if (rows === 0) return [];
    return isKept(until, terms)
      ? [{ action: 'pseudonymise', rows, until, why: 'legal_duty' }]
      : [{ action: 'delete', rows, why: 'no_duty' }];
  };

const notErased = (records: readonly { readonly erasedAt?: EpochMs }[]): number =>
  records.filter(({ erasedAt }) => erasedAt === undefined).length;

/** The subject, and in the same commits the work for cases and documents. */
export const erasureOfSubject = (ports: ErasePorts): HoldingErasure => ({
  plan: planOf(ports, ({ subject }) => notErased([subject])),
  erase: (named, order) => eraseWhole(ports, named, order),
  async custody(named) {
    const whole = await wholeSubject(ports, named);
    const key = whole && (await keyOf(ports, whole.subject));
    if (whole === undefined || key === undefined) return undefined;
    const cases = whole.cases.map((one) => [
      one.caseId,
      identifiersOf(contentLeft(ports, key, one)),
    ]);
    const keys = { [subjectKeyId(whole.subject.subjectId)]: key.secret.toString('base64') };
    return { identity: Object.fromEntries(cases), keys };
  },
  async *references(tenantId) {
    const ask = { equal: { tenantId }, index: 'key' };
    for await (const one of everyRecord(ports.tables, subjectTable, ask)) yield one.externalRef;
  },
});

const BY_SUBJECT = async (): Promise<void> => undefined;

/** Cases go with their subject. */
export const erasureOfCases = (ports: CasePorts): HoldingErasure => ({
  erase: BY_SUBJECT,
  plan: planOf(ports, ({ cases }) => notErased(cases)),
});

/** Documents go with their subject. */
export const erasureOfDocuments = (ports: CasePorts): HoldingErasure => ({
  erase: BY_SUBJECT,
  plan: planOf(ports, ({ documents }) => notErased(documents)),
});

async function eraseWhole(
  ports: ErasePorts,
  named: DataSubject,
  order: ErasureOrder,
): Promise<void> {
  const known = await wholeSubject(ports, named);
  if (known !== undefined && known.subject.createdAt <= order.asOf) {
    await eraseFormer(ports, known.subject, order);
  }
  await overwrite(async () => {
    const whole = await wholeSubject(ports, named);
    if (whole === undefined || whole.subject.createdAt > order.asOf) return;
    if (isKept(lastDuty(whole.cases, order), order)) await pseudonymise(ports, whole, order);
    else await destroy(ports, whole, order);
  });
}

/** What entries say of a customer who was corrected: values of before, and why. */
async function eraseFormer(
  { audit: store, clock, commit, random }: ErasePorts,
  subject: SubjectRecord,
  { actor, now, reason }: ErasureOrder,
): Promise<void> {
  await eraseOpenAbout(
    { audit: { commit }, clock, random, store },
    {
      actor,
      chainId: chainOf(subject.tenantId),
      reason,
      targets: [subjectTarget(subject)],
      until: now,
    },
  );
}

const keyOf = ({ dataKeys }: CasePorts, { subjectId, tenantId }: SubjectRecord) =>
  dataKeys.find({ keyId: subjectKeyId(subjectId), tenantId });

/**
 * A backup brings back cases under a secret that is gone since: the keys are always the newest.
 * What nobody can read any more has nothing left to take away. Throws `blob-damaged` for a case
 * that was never sealed under another secret.
 */
function contentLeft(ports: CasePorts, key: DataKey, record: CaseRecord): CaseContent {
  try {
    return openContent(ports.random, key, record);
  } catch (error) {
    const isFormer = error instanceof DomainError && error.code === 'blob-damaged';
    if (!isFormer || key.version === 1) throw error;
    return { provenance: {}, reasons: {}, subject: {} };
  }
}

/** One commit: another secret, and every case sealed anew without who it is. */
async function pseudonymise(
  ports: CasePorts,
  { cases, subject }: WholeSubject,
  order: ErasureOrder,
): Promise<void> {
  const key = await keyOf(ports, subject);
  if (subject.externalRef === order.pseudonym || key === undefined) return;
  const next = ports.dataKeys.without(key, []);
  const revised = cases.map((before) => {
    const content = withoutIdentity(contentLeft(ports, key, before));
    return {
      before,
      change: {
        consents: before.consents.filter(({ purpose }) => !GO_AT_ONCE.has(purpose)),
        externalRef: order.pseudonym,
        sealed: sealContent(ports.random, next.key, before, content),
      },
    };
  });
  await commitRevision(ports, subject, {
    action: 'pseudonymised',
    beside: [dataKeyTable.put(next.record, key.version)],
    cases: revised,
    order,
    subject: { ...withoutChanges(subject), externalRef: order.pseudonym },
  });
}

/** Corrections that wait go at once. */
function withoutChanges({ changes: _, ...subject }: SubjectRecord): SubjectRecord {
  return subject;
}

/** Consents that serve no duty. */
const GO_AT_ONCE: ReadonlySet<string> = new Set(['electronic_communication', 'marketing']);

/** Documents first, a commit for each: the key goes with the last commit. */
async function destroy(
  ports: CasePorts,
  { cases, documents, subject }: WholeSubject,
  order: ErasureOrder,
): Promise<void> {
  const { actor } = order;
  for (const document of documents) {
    await deleteDocument(ports, document, { actor, reason: 'erasure' });
  }
  if (subject.erasedAt !== undefined) return;
  const key = await keyOf(ports, subject);
  const erasedAt = order.now;
  const revised = cases.map((before) => ({
    before,
    change: {
      consents: [],
      erasedAt,
      externalRef: order.pseudonym,
      inputsUntil: undefined,
      missing: [],
      pending: undefined,
      sealed: '',
      ...(isUndecided(before) && { expiresAt: undefined, status: 'canceled' as const }),
    },
  }));
  await commitRevision(ports, subject, {
    action: 'erased',
    beside: key ? [dataKeyTable.remove({ keyId: key.keyId }, key.version)] : [],
    cases: revised,
    order,
    subject: { ...withoutChanges(subject), erasedAt, externalRef: order.pseudonym },
  });
}

interface Revision {
  readonly action: 'erased' | 'pseudonymised';
  readonly beside: readonly TableChange[];
  readonly cases: readonly { readonly before: CaseRecord; readonly change: CaseChange }[];
  readonly order: ErasureOrder;
  readonly subject: SubjectRecord;
}

/** The subject and all cases, each with the entry that holds it to the chain. */
async function commitRevision(
  ports: CasePorts,
  before: SubjectRecord,
  { action, beside, cases, order, subject }: Revision,
): Promise<void> {
  const { actor } = order;
  const record = { ...subject, version: before.version + 1 };
  const changes: TableChange[] = [subjectTable.put(record, before.version), ...beside];
  const events: EventDraft[] = [
    kycEntry(ports, {
      action: `kyc.subject.${action}`,
      actor,
      kind: 'subject',
      record,
      severity: 'NOTICE',
      target: subjectTarget(record),
    }),
  ];
  for (const { before: one, change } of cases) {
    const next = nextCase(one, change);
    changes.push(putCase(one, next));
    events.push(
      kycEntry(ports, {
        action: `kyc.case.${action}`,
        actor,
        kind: 'case',
        members: { status: next.status },
        record: next,
        target: caseTarget(next),
      }),
    );
  }
  await ports.commit(chainOf(before.tenantId), { bus: [], changes, events });
}
