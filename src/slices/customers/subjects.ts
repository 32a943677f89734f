/** Subjects: one for each reference of a tenant, with the key under which all of it is sealed. */
import type { Actor, EventDraft } from '#core/audit';
import { type DataKey, dataKeyTable, type StoredDataKey } from '#core/blobs';
import { DomainError, type TableChange, type TenantId } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import { type CaseContent, openContent, subjectKeyId } from './caseContent.ts';
import { kycEntry } from './caseRecord.ts';
import type { CasePorts, CaseReadPorts } from './ports.ts';
import { subjectTarget } from './signedCases.ts';
import { type CaseRecord, caseTable, type SubjectRecord, subjectTable } from './tables.ts';

/** By which of its names a subject is meant. */
export interface SubjectNamed {
  readonly tenantId: TenantId;
  readonly subjectId?: string;
  readonly externalRef?: string;
  readonly caseId?: string;
}

/** As it was signed; undefined where nobody is known by that name. */
export async function findSubject(
  { signed, tables }: Pick<CaseReadPorts, 'signed' | 'tables'>,
  { caseId, externalRef, subjectId, tenantId }: SubjectNamed,
): Promise<SubjectRecord | undefined> {
  if (subjectId !== undefined) return signed.findSubject({ subjectId, tenantId });
  if (caseId !== undefined) {
    const found = await signed.findCase({ caseId, tenantId });
    return found && signed.findSubject({ subjectId: found.subjectId, tenantId });
  }
  if (externalRef === undefined) return undefined;
  const row = await tables.findUnique(subjectTable, 'byRef', { externalRef, tenantId });
  return row && signed.findSubject(row);
}

const CASES_PAGE = 500;

/** All cases of a subject, oldest first, as they were signed. */
export async function casesOfSubject(
  { signed, tables }: Pick<CaseReadPorts, 'signed' | 'tables'>,
  of: Pick<SubjectRecord, 'subjectId' | 'tenantId'>,
): Promise<readonly CaseRecord[]> {
  const { subjectId, tenantId } = of;
  const { records } = await tables.page(caseTable, {
    equal: { subjectId, tenantId },
    index: 'bySubject',
    isWhole: true,
    limit: CASES_PAGE,
  });
  const found = await Promise.all(records.map((one) => signed.findCase(one)));
  return found.filter((one) => one !== undefined);
}

/** A subject with its key, and what a commit writes where it is new. */
export interface SubjectInHand {
  readonly subject: SubjectRecord;
  readonly key: DataKey;
  readonly changes: readonly TableChange[];
  readonly events: readonly EventDraft[];
}

/** The subject of a reference, known or new. Throws `subject-erased`. */
export async function subjectFor(
  ports: CasePorts,
  by: {
    readonly tenantId: TenantId;
    readonly externalRef: string;
    readonly actor: Actor;
    readonly ip?: string | undefined;
  },
): Promise<SubjectInHand> {
  const { actor, externalRef, ip, tenantId } = by;
  const known = await findSubject(ports, { externalRef, tenantId });
  if (known !== undefined) {
    return { changes: [], events: [], key: await keyOfSubject(ports, known), subject: known };
  }
  const createdAt = ports.clock.now();
  const subject: SubjectRecord = {
    createdAt,
    externalRef,
    subjectId: uuidV7(createdAt, ports.random),
    tenantId,
    version: 1,
  };
  const keyId = subjectKeyId(subject.subjectId);
  const made: StoredDataKey = ports.dataKeys.make({ keyId, tenantId }, { seeds: [] });
  return {
    changes: [dataKeyTable.insert(made.record), subjectTable.insert(subject)],
    events: [
      kycEntry(ports, {
        action: 'kyc.subject.created',
        actor,
        ip,
        kind: 'subject',
        record: subject,
        target: subjectTarget(subject),
      }),
    ],
    key: made.key,
    subject,
  };
}

/** Throws `subject-erased`. */
export async function keyOfSubject(
  { dataKeys }: Pick<CaseReadPorts, 'dataKeys'>,
  of: Pick<CaseRecord, 'erasedAt' | 'subjectId' | 'tenantId'>,
): Promise<DataKey> {
  const { erasedAt, subjectId, tenantId } = of;
  const key =
    erasedAt === undefined
      ? await dataKeys.find({ keyId: subjectKeyId(subjectId), tenantId })
      : undefined;
  if (key !== undefined) return key;
  throw new DomainError('subject-erased');
}

/** What a case knows of its subject. Throws `subject-erased`, `blob-damaged`. */
export async function readContent(
  ports: Pick<CaseReadPorts, 'dataKeys' | 'random'>,
  record: CaseRecord,
): Promise<CaseContent> {
  return openContent(ports.random, await keyOfSubject(ports, record), record);
}
