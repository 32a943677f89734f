/** A case is opened: for a new customer, or for one who is known by the same reference. */
import { type Actor, type Commit, overwrite } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { type CaseSubject, type Origin, sealContent } from './caseContent.ts';
import { type CaseAnswer, kycEntry, openCaseOf } from './caseRecord.ts';
import { newTask } from './changeCase.ts';
import { missingOf } from './missing.ts';
import type { CasePorts } from './ports.ts';
import { caseTarget } from './signedCases.ts';
import { requireSubject } from './subjectRules.ts';
import { subjectFor } from './subjects.ts';
import { type CaseRecord, caseTable } from './tables.ts';
import type { SubjectType } from './words.ts';
import { newestWorkflow } from './workflows.ts';

const DAY_MS = 24 * 3_600_000;

/** What a caller gives. */
export interface CreateCase {
  readonly external_ref: string;
  readonly subject_type: SubjectType;
  readonly workflow_code: string;
  readonly locale: string;
  readonly subject?: CaseSubject;
}

/** Who opens it. */
export interface CreateAsk {
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly ip?: string;
  readonly answer?: CaseAnswer;
  /** What the commit has beside the case. */
  readonly beside?: (made: CaseRecord) => Partial<Pick<Commit, 'changes' | 'events'>>;
}

/** Where the members of a change come from. */
export const originsOf = (
  members: object,
  of: {
    readonly source: Origin['source'];
    readonly ref?: string | undefined;
    readonly at: EpochMs;
  },
): Readonly<Record<string, Origin>> => {
  const origin: Origin = { at: toTimestamp(of.at), ref: of.ref ?? null, source: of.source };
  return Object.fromEntries(Object.keys(members).map((name) => [name, origin]));
};

/** Throws `workflow-unknown`, `case-open-exists`, `subject-invalid`, `subject-erased`. */
export async function createCase(
  ports: CasePorts,
  ask: CreateAsk,
  given: CreateCase,
): Promise<CaseRecord> {
  const { subject = {} } = given;
  requireSubject(subject, given.subject_type);
  return overwrite(() => create(ports, ask, { ...given, subject }));
}

async function create(
  ports: CasePorts,
  { actor, answer, beside, ip, tenantId }: CreateAsk,
  given: Required<CreateCase>,
): Promise<CaseRecord> {
  const { external_ref: externalRef, subject, subject_type: subjectType } = given;
  const code = given.workflow_code;
  const workflow = await newestWorkflow(ports, { code, subjectType, tenantId });
  const open = await openCaseOf(ports, tenantId, externalRef);
  if (open !== undefined) {
    throw new DomainError('case-open-exists', { detail: `case ${open.caseId} is ${open.status}` });
  }
  const known = await subjectFor(ports, { actor, externalRef, ip, tenantId });
  const now = ports.clock.now();
  const caseId = uuidV7(now, ports.random);
  const begun = { consents: [], documents: [], status: 'open' as const };
  const missing = missingOf(begun, { now, subject, workflow: workflow.content });
  const isWhole = missing.length === 0;
  const provenance = originsOf(subject, { at: now, source: 'api' });
  const content = { provenance, reasons: {}, subject };
  const record: CaseRecord = {
    ...begun,
    caseId,
    checks: [],
    createdAt: now,
    createdBy: actor,
    externalRef,
    locale: given.locale,
    missing,
    rounds: 0,
    sealed: sealContent(ports.random, known.key, { caseId }, content),
    status: isWhole ? 'processing' : 'open',
    subjectId: known.subject.subjectId,
    subjectType,
    tenantId,
    updatedAt: now,
    version: 1,
    workflowCode: workflow.code,
    workflowVersion: workflow.version,
    ...(isWhole
      ? { submittedAt: now }
      : { expiresAt: (now + workflow.content.expires_after_days * DAY_MS) as EpochMs }),
  };
  const more = beside?.(record) ?? {};
  await ports.commit(chainOf(tenantId), {
    bus: [createdEvent(record)],
    changes: [
      ...known.changes,
      caseTable.insert(record),
      ...(isWhole ? [newTask(ports, record, { kind: 'checks' })] : []),
      ...(more.changes ?? []),
    ],
    events: [...known.events, createdEntry(ports, record, { actor, ip }), ...(more.events ?? [])],
    idempotency: (sealed) => answer?.kept?.({ content, record, sealed }),
  });
  if (isWhole) ports.wake(tenantId);
  return record;
}

const createdEntry = (
  ports: CasePorts,
  record: CaseRecord,
  { actor, ip }: { readonly actor: Actor; readonly ip: string | undefined },
) =>
  kycEntry(ports, {
    action: 'kyc.case.created',
    actor,
    at: record.createdAt,
    ip,
    kind: 'case',
    members: {
      external_ref: record.externalRef,
      status: record.status,
      subject_id: record.subjectId,
      subject_type: record.subjectType,
      workflow_code: record.workflowCode,
      workflow_version: record.workflowVersion,
    },
    record,
    target: caseTarget(record),
  });

const createdEvent = (record: CaseRecord) => ({
  partition: record.tenantId,
  payload: {
    case_id: record.caseId,
    created_at: toTimestamp(record.createdAt),
    external_ref: record.externalRef,
    status: record.status,
    subject_type: record.subjectType,
    workflow_code: record.workflowCode,
  },
  topic: 'kyc.case.created' as const,
});
