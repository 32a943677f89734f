/**
 * Subjects, cases, documents and workflows are compared with the chain (decision 3.1b): the last
 * entry about each has its digest. What was changed or put back past the service is refused by name
 * before anything is shown or decided by it. The store finds the last entry by its target, so a
 * look costs the same however many cases a tenant has.
 */
import {
  type AuditStore,
  type KeyRing,
  lookSettled,
  type SettlingAudit,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import {
  type CaseRecord,
  caseDocumentTable,
  caseTable,
  type DocumentRecord,
  type SubjectRecord,
  subjectTable,
  type WorkflowRecord,
  workflowTable,
} from './tables.ts';

/** What the chain is read with. */
export interface ChainPorts {
  readonly audit: Pick<AuditStore, 'lastEntries' | 'readEvents'> & SettlingAudit;
  readonly keyRing: KeyRing;
}

/** Kinds of records that entries tell of. */
export type SignedKind = 'case' | 'document' | 'subject' | 'workflow';

/** Digest of a record, whole; what a person is stands sealed in it. */
export const recordDigest = (kind: SignedKind, record: object): string =>
  sha256Hex(`kyc-${kind}-v1\0${canonicalJson(record as never)}`);

export const caseTarget = ({ caseId }: Pick<CaseRecord, 'caseId'>): string => `case:${caseId}`;
export const documentTarget = ({ documentId }: Pick<DocumentRecord, 'documentId'>): string =>
  `document:${documentId}`;
export const subjectTarget = ({ subjectId }: Pick<SubjectRecord, 'subjectId'>): string =>
  `subject:${subjectId}`;
export const workflowTarget = ({ code, number }: Pick<WorkflowRecord, 'code' | 'number'>): string =>
  `workflow:${code}/${number}`;

/** One for a process. Each rejects with `state-altered`; undefined is an answer. */
export interface SignedCases {
  findCase(key: Pick<CaseRecord, 'caseId' | 'tenantId'>): Promise<CaseRecord | undefined>;
  findDocument(
    key: Pick<DocumentRecord, 'documentId' | 'tenantId'>,
  ): Promise<DocumentRecord | undefined>;
  findSubject(
    key: Pick<SubjectRecord, 'subjectId' | 'tenantId'>,
  ): Promise<SubjectRecord | undefined>;
  findWorkflow(
    key: Pick<WorkflowRecord, 'code' | 'number' | 'tenantId'>,
  ): Promise<WorkflowRecord | undefined>;
  /** All of a tenant that are not what was signed, in words. */
  check(tenantId: TenantId): Promise<readonly string[]>;
}

interface Looked<Record extends object> {
  readonly tenantId: TenantId;
  readonly target: string;
  readonly kind: SignedKind;
  readonly read: () => Promise<Record | undefined>;
}

export function signedCases(
  ports: ChainPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
): SignedCases {
  const { tables } = ports;
  const find = async <Record extends object>(of: Looked<Record>): Promise<Record | undefined> => {
    const { found, refusal } = await look(ports, of);
    if (refusal === undefined) return found;
    throw new DomainError('state-altered', { detail: `${of.target}: ${refusal}` });
  };
  return {
    findCase: (key) => find(lookAtCase(tables, key)),
    findDocument: (key) => find(lookAtDocument(tables, key)),
    findSubject: (key) => find(lookAtSubject(tables, key)),
    findWorkflow: (key) => find(lookAtWorkflow(tables, key)),
    check: (tenantId) => checkAll(ports, tenantId),
  };
}

type Reads = Pick<Tables, 'find'>;

const lookAtCase = (
  tables: Reads,
  key: Pick<CaseRecord, 'caseId' | 'tenantId'>,
): Looked<CaseRecord> => ({
  kind: 'case',
  read: () => tables.find(caseTable, key),
  target: caseTarget(key),
  tenantId: key.tenantId,
});

const lookAtDocument = (
  tables: Reads,
  key: Pick<DocumentRecord, 'documentId' | 'tenantId'>,
): Looked<DocumentRecord> => ({
  kind: 'document',
  read: () => tables.find(caseDocumentTable, key),
  target: documentTarget(key),
  tenantId: key.tenantId,
});

const lookAtSubject = (
  tables: Reads,
  key: Pick<SubjectRecord, 'subjectId' | 'tenantId'>,
): Looked<SubjectRecord> => ({
  kind: 'subject',
  read: () => tables.find(subjectTable, key),
  target: subjectTarget(key),
  tenantId: key.tenantId,
});

const lookAtWorkflow = (
  tables: Reads,
  key: Pick<WorkflowRecord, 'code' | 'number' | 'tenantId'>,
): Looked<WorkflowRecord> => ({
  kind: 'workflow',
  read: () => tables.find(workflowTable, key),
  target: workflowTarget(key),
  tenantId: key.tenantId,
});

function look<Record extends object>(
  ports: ChainPorts,
  { kind, read, target, tenantId }: Looked<Record>,
) {
  const chainId = chainOf(tenantId);
  return lookSettled(ports.audit, async () => {
    const found = await read();
    const [event] = await ports.audit.lastEntries({ chainId, targets: [target] });
    const digest = found && recordDigest(kind, found);
    if (event === undefined) {
      return { chainId, found, refusal: found && 'no entry of its chain tells of it' };
    }
    const entry = verifiedEvent(event, { chainId, keyRing: ports.keyRing });
    const refusal =
      entry === undefined
        ? `its last entry, seq ${event.seq}, is not what was signed`
        : entry.record_digest === digest
          ? undefined
          : found === undefined
            ? `its record is gone: the entry seq ${event.seq} tells of it`
            : `it is not what the entry seq ${event.seq} made it`;
    return { chainId, found, refusal };
  });
}

const ENTRIES_PAGE = 1_000;
/** Entries that make records. */
const MAKING = [
  'kyc.subject.created',
  'kyc.case.created',
  'kyc.document.uploaded',
  'kyc.workflow.changed',
] as const;

async function checkAll(
  ports: ChainPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
  tenantId: TenantId,
): Promise<readonly string[]> {
  const { tables } = ports;
  const refusals: string[] = [];
  const known = new Set<string>();
  const note = async <Record extends object>(of: Looked<Record>): Promise<void> => {
    known.add(of.target);
    const { refusal } = await look(ports, of);
    if (refusal !== undefined) refusals.push(`${of.target}: ${refusal}`);
  };
  const of = { equal: { tenantId }, index: 'key' } as const;
  for await (const one of everyRecord(tables, subjectTable, of)) {
    await note(lookAtSubject(tables, one));
  }
  for await (const one of everyRecord(tables, caseTable, of)) await note(lookAtCase(tables, one));
  for await (const one of everyRecord(tables, caseDocumentTable, of)) {
    await note(lookAtDocument(tables, one));
  }
  for await (const one of everyRecord(tables, workflowTable, of)) {
    await note(lookAtWorkflow(tables, one));
  }
  for (const action of MAKING) {
    for await (const target of targetsOf(ports, tenantId, action)) {
      if (!known.has(target)) refusals.push(`${target}: its record is gone`);
    }
  }
  return refusals;
}

async function* targetsOf(
  { audit }: ChainPorts,
  tenantId: TenantId,
  action: string,
): AsyncGenerator<string> {
  const chainId = chainOf(tenantId);
  for (let fromSeq = 1; ; ) {
    const page = await audit.readEvents({ action, chainId, fromSeq, limit: ENTRIES_PAGE });
    for (const event of page) yield String(storedMembers(event).target);
    const last = page.at(-1);
    if (last === undefined || page.length < ENTRIES_PAGE) return;
    fromSeq = last.seq + 1;
  }
}
