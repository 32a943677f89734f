/**
 * Workflows of a tenant: what a case of each needs, which checks decide, and who is asked. Versions
 * are never changed: a case keeps the one that it began with. Three ship, as version 1.
 */
import { type Actor, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError, type TenantId, type Violation } from '#core/kernel';
import { EXPECTED_CODES, unknownCodes } from '#slices/screening';
import shipped from '../../../config/kyc-workflows.json' with { type: 'json' };
import { kycEntry } from './caseRecord.ts';
import { WORKFLOW_VERSIONS_MAX } from './limits.ts';
import type { CasePorts, CaseReadPorts } from './ports.ts';
import { workflowTarget } from './signedCases.ts';
import { subjectPaths } from './subjectRules.ts';
import { type WorkflowRecord, workflowTable } from './tables.ts';
import type { SubjectType } from './words.ts';
import type { WorkflowContent } from './workflowContent.ts';

/** A version of a workflow. */
export interface Workflow {
  readonly code: string;
  readonly version: number;
  readonly content: WorkflowContent;
  /** Who made it; absent of those that ship. */
  readonly author?: string;
  readonly createdAt?: WorkflowRecord['createdAt'];
}

const SHIPPED = shipped as unknown as Readonly<Record<string, WorkflowContent>>;
/** Form of a code. */
export const WORKFLOW_CODE = '^[a-z][a-z0-9_]{1,63}$';

const ofRecord = ({ author, code, content, createdAt, number }: WorkflowRecord): Workflow => ({
  author,
  code,
  content,
  createdAt,
  version: number,
});

const shippedOf = (code: string): Workflow | undefined => {
  const content = Object.hasOwn(SHIPPED, code) ? SHIPPED[code] : undefined;
  return content && { code, content, version: 1 };
};

/** Version 1 of one that ships. Throws `workflow-unknown`. */
export function shippedWorkflow(code: string): Workflow {
  const found = shippedOf(code);
  if (found === undefined) throw unknownWorkflow();
  return found;
}

/** The version that a case began with. Throws `workflow-unknown`, `state-altered`. */
export async function workflowOf(
  { signed }: Pick<CaseReadPorts, 'signed'>,
  of: {
    readonly tenantId: TenantId;
    readonly workflowCode: string;
    readonly workflowVersion: number;
  },
): Promise<Workflow> {
  const { tenantId, workflowCode: code, workflowVersion: number } = of;
  const ship = number === 1 ? shippedOf(code) : undefined;
  if (ship !== undefined) return ship;
  const record = await signed.findWorkflow({ code, number, tenantId });
  if (record === undefined) throw unknownWorkflow();
  return ofRecord(record);
}

/** The newest version. Throws `workflow-unknown`, also where it is of another type. */
export async function newestWorkflow(
  ports: Pick<CaseReadPorts, 'signed' | 'tables'>,
  of: {
    readonly tenantId: TenantId;
    readonly code: string;
    readonly subjectType?: SubjectType;
  },
): Promise<Workflow> {
  const { code, subjectType, tenantId } = of;
  const found = await newestOf(ports, tenantId, code);
  if (found === undefined) throw unknownWorkflow();
  if (subjectType !== undefined && !found.content.subject_types.includes(subjectType)) {
    throw unknownWorkflow(`the workflow is for ${found.content.subject_types.join(', ')}`);
  }
  return found;
}

const unknownWorkflow = (detail = 'the tenant has no such workflow'): DomainError =>
  new DomainError('workflow-unknown', {
    detail,
    violations: [{ code: 'unknown', detail, pointer: '/workflow_code' }],
  });

async function newestOf(
  { signed, tables }: Pick<CaseReadPorts, 'signed' | 'tables'>,
  tenantId: TenantId,
  code: string,
): Promise<Workflow | undefined> {
  const { records } = await tables.page(workflowTable, {
    direction: 'descending',
    equal: { code, tenantId },
    index: 'key',
    limit: 1,
  });
  const [row] = records;
  if (row === undefined) return shippedOf(code);
  const record = await signed.findWorkflow(row);
  return record && ofRecord(record);
}

/** The newest version of each, by code. */
export async function listWorkflows(
  ports: Pick<CaseReadPorts, 'signed' | 'tables'>,
  tenantId: TenantId,
): Promise<readonly Workflow[]> {
  const { records } = await ports.tables.page(workflowTable, {
    equal: { tenantId },
    index: 'key',
    limit: WORKFLOW_VERSIONS_MAX,
  });
  const codes = new Set([...Object.keys(SHIPPED), ...records.map(({ code }) => code)]);
  const all = await Promise.all([...codes].sort().map((code) => newestOf(ports, tenantId, code)));
  return all.filter((one) => one !== undefined);
}

/** The next version. Throws `workflow-invalid` with all that contradicts itself. */
export async function putWorkflow(
  ports: CasePorts,
  ask: {
    readonly tenantId: TenantId;
    readonly code: string;
    readonly content: WorkflowContent;
    readonly actor: Actor;
    readonly ip?: string;
    readonly isExpected?: (etag: string) => boolean;
    readonly idempotency?: (workflow: Workflow) => IdempotencyRecord;
  },
): Promise<Workflow> {
  const { actor, code, content, idempotency, ip, isExpected, tenantId } = ask;
  await requireSound(ports, tenantId, content);
  return overwrite(async () => {
    const before = await newestOf(ports, tenantId, code);
    if (isExpected && !isExpected(`"${before?.version ?? 0}"`)) {
      throw new DomainError('precondition-failed');
    }
    const number = (before?.version ?? 0) + 1;
    if (number > WORKFLOW_VERSIONS_MAX) {
      const detail = `a workflow has at most ${WORKFLOW_VERSIONS_MAX} versions`;
      throw new DomainError('state-conflict', { detail });
    }
    const createdAt = ports.clock.now();
    const record: WorkflowRecord = { author: actor, code, content, createdAt, number, tenantId };
    const workflow = ofRecord(record);
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [workflowTable.insert(record)],
      events: [
        kycEntry(ports, {
          action: 'kyc.workflow.changed',
          actor,
          ip,
          kind: 'workflow',
          members: { code, version: number },
          record,
          severity: 'NOTICE',
          target: workflowTarget(record),
        }),
      ],
      ...(idempotency && { idempotency: () => idempotency(workflow) }),
    });
    return workflow;
  });
}

async function requireSound(
  { knowsForm }: Pick<CasePorts, 'knowsForm'>,
  tenantId: TenantId,
  content: WorkflowContent,
): Promise<void> {
  const {
    auto_approve,
    auto_reject,
    biometric_provider,
    checks,
    review_every_months: months,
  } = content;
  const violations: Violation[] = [...unknownLists(content), ...unknownFields(content)];
  const { form_code: code } = content;
  if (code !== undefined && !(await knowsForm({ code, tenantId }))) {
    violations.push(unknown('/form_code', 'expected the code of a form of the tenant'));
  }
  const refuse = (pointer: string, detail: string) =>
    violations.push({ code: 'contradiction', detail, pointer });
  if (checks.includes('biometric') && biometric_provider === undefined) {
    refuse('/biometric_provider', 'expected the provider whose verdicts the check needs');
  }
  // Digits that hold are nobody's name: what is approved without a person needs both beside them.
  const lacks = (['name_match', 'dob_match'] as const).filter((type) => !checks.includes(type));
  if (auto_approve.enabled && checks.includes('document_authentic_digits') && lacks.length > 0) {
    refuse('/checks', `expected ${lacks.join(' and ')} beside document_authentic_digits`);
  }
  if (auto_reject.enabled && auto_reject.legal_basis === undefined) {
    refuse('/auto_reject/legal_basis', 'expected the basis on which nobody looks at a refusal');
  }
  const order = [months.very_high, months.high, months.standard, months.low];
  if (order.some((one, place) => place > 0 && one < (order[place - 1] ?? 0))) {
    refuse('/review_every_months', 'expected a higher tier to be reviewed no less often');
  }
  if (violations.length === 0) return;
  const detail = violations.map((one) => `${one.pointer}: ${one.detail}`).join('; ');
  throw new DomainError('workflow-invalid', { detail, violations });
}

const unknown = (pointer: string, detail: string): Violation => ({
  code: 'unknown',
  detail,
  pointer,
});

/** A list that there is not would be looked for in each check, and never be there. */
const unknownLists = ({ lists }: WorkflowContent): readonly Violation[] =>
  unknownCodes(lists).map((place) => unknown(`/lists/${place}`, EXPECTED_CODES));

/** A member that a subject cannot have would be waited for until the case expires. */
function unknownFields({ required_fields, subject_types }: WorkflowContent): readonly Violation[] {
  const known = [...new Set(subject_types.flatMap(subjectPaths))].sort();
  const detail = `expected one of ${known.join(', ')}`;
  return required_fields.flatMap((path, place) =>
    known.includes(path) ? [] : [unknown(`/required_fields/${place}`, detail)],
  );
}
