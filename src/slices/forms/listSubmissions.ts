/**
 * Submissions of a form, as they stand; one that is read whole is verified, and that it was read is
 * an entry. How often a form was used is counted from them.
 */
import { type Asker, entry } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type FormPlace, requireForm } from './formRecord.ts';
import { submissionDigest, submissionTarget } from './signedSubmissions.ts';
import type { SubmittedValues } from './submission.ts';
import { type SubmissionPorts, submittedValues } from './submitForm.ts';
import { type FormSubmission, submissionTable } from './tables.ts';

/** Whole ones, the newest first; `after` ended the page before. Throws `form-unknown`. */
export async function listSubmissions(
  ports: SubmissionPorts,
  ask: FormPlace & {
    readonly limit: number;
    readonly after?: { readonly receivedAt: number; readonly submissionId: string };
  },
): Promise<{ readonly hasMore: boolean; readonly submissions: readonly FormSubmission[] }> {
  const { after, formId, limit, tenantId } = ask;
  await requireForm(ports, ask);
  const { next, records } = await ports.tables.page(submissionTable, {
    direction: 'descending',
    equal: { formId, isComplete: true, tenantId },
    index: 'byForm',
    limit,
    ...(after !== undefined && {
      after: [after.receivedAt, tenantId, after.submissionId],
    }),
  });
  return { hasMore: next !== undefined, submissions: records };
}

/** A submission with its values; that somebody read it is an entry. Throws `submission-unknown`. */
export async function viewSubmission(
  ports: SubmissionPorts,
  ask: FormPlace & Asker & { readonly submissionId: string },
): Promise<{ readonly record: FormSubmission; readonly values: SubmittedValues }> {
  const { actor, formId, ip, submissionId, tenantId } = ask;
  const record = await ports.findSubmission({ submissionId, tenantId });
  if (record?.formId !== formId) {
    throw new DomainError('submission-unknown', { detail: 'there is no such submission' });
  }
  const values = await submittedValues(ports, record);
  const { version } = record;
  await ports.commit(chainOf(tenantId), {
    bus: [],
    // The last entry of a submission says what it is, so it is written upon this very revision.
    changes: [submissionTable.expect({ submissionId, tenantId }, { version })],
    events: [
      entry(ports, {
        action: 'form.submission.viewed',
        actor,
        members: { form_id: formId, record_digest: submissionDigest(record) },
        target: submissionTarget(record),
        ...(ip !== undefined && { ip }),
      }),
    ],
  });
  return { record, values };
}

const DAY_MS = 86_400_000;
const USAGE_DAYS = 30;
const PAGE = 1_000;
/** Pages that are counted; a form that was used more often has this number. */
const PAGES_MAX = 20;

/** How many were received whole within thirty days. */
export async function usageOf(
  { tables }: Pick<SubmissionPorts, 'tables'>,
  of: { readonly tenantId: TenantId; readonly formId: string; readonly now: EpochMs },
): Promise<number> {
  const { formId, now, tenantId } = of;
  let count = 0;
  let after: readonly (string | number | boolean)[] | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { next, records } = await tables.page(submissionTable, {
      equal: { formId, isComplete: true, tenantId },
      from: now - USAGE_DAYS * DAY_MS,
      index: 'byForm',
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    count += records.length;
    if (next === undefined) break;
    after = next;
  }
  return count;
}
