/** What was filled in for a case whose time is over: the values go, that it was sent stays. */
import { entry } from '#core/audit';
import { chainOf, everyRecord, type TableChange, type TenantId } from '#core/kernel';
import { submissionDigest, submissionTarget } from './signedSubmissions.ts';
import type { SubmissionPorts } from './submitForm.ts';
import { type FormSubmission, submissionTable } from './tables.ts';

/** Harmless to repeat. `expected` stops it where the case has changed meanwhile. */
export async function forgetSubmissions(
  ports: SubmissionPorts,
  of: {
    readonly tenantId: TenantId;
    readonly caseId: string;
    readonly expected: TableChange;
  },
): Promise<void> {
  const { caseId, expected, tenantId } = of;
  const ask = { equal: { caseId, tenantId }, index: 'byCase' };
  for await (const row of everyRecord(ports.tables, submissionTable, ask)) {
    const before = await ports.findSubmission(row);
    if (before === undefined || before.sealed === '') continue;
    const record: FormSubmission = { ...before, sealed: '', version: before.version + 1 };
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [submissionTable.put(record, before.version), expected],
      events: [
        entry(ports, {
          action: 'form.submission.deleted',
          actor: 'system:customers',
          members: { case_id: caseId, record_digest: submissionDigest(record) },
          target: submissionTarget(record),
        }),
      ],
    });
  }
}
