/** Reports as they are shown, over HTTP and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  type AuthorityAnswer,
  afterBusinessDays,
  type DispatchState,
  etagOf,
  REMINDER_BUSINESS_DAYS,
  type ReportPreview,
  readContent,
  readSealedJson,
  type SeenReport,
  type StoredContent,
  type StrDeskPorts,
  type StrDispatch,
  type StrReport,
  type StrSubmission,
  signedAuthor,
  strDispatchTable,
  validationSubject,
} from '#slices/str';

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

/** All that a change gives back. */
export const presentChanged = (report: StrReport) => ({
  etag: etagOf(report),
  status: report.status,
  str_id: report.strId,
});

export const presentRow = (report: StrReport) => ({
  created_at: toTimestamp(report.createdAt),
  etag: etagOf(report),
  profile: report.profileId,
  report_code: report.reportCode,
  status: report.status,
  str_id: report.strId,
  submitted_at: time(report.submissions.at(-1)?.submittedAt),
  updated_at: toTimestamp(report.updatedAt),
});

/** The whole report, with what lies sealed beside it. */
export async function presentReport(ports: StrDeskPorts, { report }: SeenReport) {
  const isErased = report.erasedAt !== undefined;
  const content = isErased ? null : presentContent(await readContent(ports, report));
  const { returnBlob, submissions, validation } = report;
  const returned =
    returnBlob === undefined || isErased
      ? undefined
      : ((await readSealedJson(ports, report, { blob: returnBlob, kind: 'return' })) as {
          readonly comment: string;
        });
  return {
    ...presentRow(report),
    author: report.author,
    content,
    content_hash: report.contentHash,
    delivery: await deliveryOf(ports, report),
    return_comment: returned?.comment ?? null,
    signing: report.status === 'pending_validation' ? signingOf(report) : null,
    submissions: await Promise.all(submissions.map((one) => presentSubmission(ports, report, one))),
    updated_by: report.updatedBy,
    validation:
      validation === undefined
        ? null
        : {
            author: validation.author,
            checklist: validation.checklist,
            content_hash: validation.contentHash,
            key_id: validation.keyId,
            signature: validation.signature,
            timestamp: validation.timestamp,
            validator: validation.validator,
          },
  };
}

/** Neither the salt nor where a file lies. */
const presentContent = ({ attachments, salt: _, ...content }: StoredContent) => ({
  ...content,
  attachments: attachments.map(({ blob: __, ...attachment }) => attachment),
});

function signingOf(report: StrReport) {
  const { field, newValue, resource } = validationSubject(report);
  return { author: signedAuthor(report), field, new_value: newValue, resource };
}

async function presentSubmission(
  ports: StrDeskPorts,
  report: StrReport,
  submission: StrSubmission,
) {
  const { outcome } = submission;
  const answer =
    outcome === undefined || report.erasedAt !== undefined
      ? undefined
      : ((await readSealedJson(ports, report, {
          blob: outcome.blob,
          kind: 'outcome',
        })) as AuthorityAnswer);
  return {
    channel: submission.channel,
    content_hash: submission.contentHash,
    entity_reference: submission.entityReference,
    number: submission.number,
    outcome:
      outcome === undefined
        ? null
        : {
            at: toTimestamp(outcome.at),
            by: outcome.by,
            fiu_reference: answer?.fiuReference ?? null,
            kind: outcome.kind,
            reasons: answer?.reasons ?? [],
            receipt: answer?.receipt
              ? { base64: answer.receipt.base64, file_name: answer.receipt.fileName }
              : null,
          },
    package_bytes: submission.packageBytes,
    package_sha256: submission.packageSha256,
    profile: submission.profileId,
    submitted_at: toTimestamp(submission.submittedAt),
    submitted_by: submission.submittedBy,
    xml_sha256: submission.xmlSha256,
  };
}

async function deliveryOf({ clock, tables }: StrDeskPorts, report: StrReport) {
  const { strId, submissions, tenantId } = report;
  const last = submissions.at(-1);
  if (last === undefined) return null;
  const key = { number: last.number, strId, tenantId };
  const dispatch = await tables.find(strDispatchTable, key);
  if (dispatch === undefined) return null;
  return { channel: dispatch.channel, state: dispatch.state, ...overdueOf(dispatch, clock.now()) };
}

const WAITS: DispatchState = 'awaiting_upload';

function overdueOf({ createdAt, state }: StrDispatch, now: EpochMs) {
  if (state !== WAITS) return {};
  const due = afterBusinessDays(createdAt, REMINDER_BUSINESS_DAYS);
  return { is_overdue: now >= due, upload_due_at: toTimestamp(due) };
}

export const presentPreview = ({ adapted, faults, omitted, profile, xml }: ReportPreview) => ({
  adapted,
  complete: faults.length === 0,
  faults,
  filable: profile.isFilable,
  omitted,
  profile: profile.profileId,
  xml,
});
