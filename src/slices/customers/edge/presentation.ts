/** Cases as they are shown, over HTTP and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import type {
  CaseContent,
  CaseRecord,
  Check,
  Consent,
  Decision,
  SubjectFlags,
  Workflow,
} from '#slices/customers';

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

/** What a list has of a case: nothing of the person. */
export const presentRow = (record: CaseRecord) => ({
  assignee: record.assignee ?? null,
  case_id: record.caseId,
  created_at: toTimestamp(record.createdAt),
  decided_at: time(record.decidedAt),
  external_ref: record.externalRef,
  proposed_decision: record.proposedDecision ?? null,
  risk_tier: record.riskTier ?? null,
  status: record.status,
  subject_id: record.subjectId,
  subject_type: record.subjectType,
  updated_at: toTimestamp(record.updatedAt),
  version: record.version,
  workflow_code: record.workflowCode,
});

/** The whole record; without content where it was erased, or is not for the caller. */
export const presentCase = (
  record: CaseRecord,
  of: { readonly content: CaseContent | undefined; readonly flags: SubjectFlags },
) => ({
  ...presentRow(record),
  checks: record.checks.map(presentCheck),
  consents: record.consents.map(presentConsent),
  created_by: record.createdBy,
  decision: record.decision === undefined ? null : presentDecision(record.decision),
  documents: record.documents.map(({ documentId, kind, sha256, supersededBy, uploadedAt }) => ({
    document_id: documentId,
    kind,
    sha256,
    superseded_by: supersededBy ?? null,
    uploaded_at: toTimestamp(uploadedAt),
  })),
  erased_at: time(record.erasedAt),
  expires_at: time(record.expiresAt),
  form: record.form
    ? {
        form_id: record.form.formId,
        submission_id: record.form.submissionId,
        version: record.form.version,
      }
    : null,
  locale: record.locale,
  missing: record.missing,
  next_review_at: time(record.nextReviewAt),
  opposed: of.flags.opposed,
  pending: record.pending === undefined ? null : presentDecision(record.pending),
  processing_restricted: of.flags.processing_restricted,
  provenance: of.content?.provenance ?? null,
  retention_until: time(record.retentionUntil),
  risk: record.risk
    ? {
        evaluation_id: record.risk.evaluationId,
        level: record.risk.level,
        policy_version: record.risk.policyVersion,
        score: record.risk.score,
      }
    : null,
  rounds: record.rounds,
  screening: record.screening
    ? {
        decision: record.screening.decision,
        list_version: record.screening.listVersion,
        screening_id: record.screening.screeningId,
      }
    : null,
  status_reason: record.statusReason ?? null,
  subject: of.content?.subject ?? null,
  submitted_at: time(record.submittedAt),
  superseded_by: record.supersededBy ?? null,
  workflow_version: record.workflowVersion,
});

export const presentConsent = (consent: Consent) => ({
  consent_id: consent.consentId,
  expires_at: time(consent.expiresAt),
  given: consent.given,
  given_at: toTimestamp(consent.givenAt),
  locale: consent.locale,
  method: consent.method,
  purpose: consent.purpose,
  recorded_at: toTimestamp(consent.recordedAt),
  recorded_by: consent.recordedBy,
  text_sha256: consent.textSha256 ?? null,
  text_version: consent.textVersion,
});

const presentCheck = (check: Check) => ({
  at: toTimestamp(check.at),
  check_id: check.checkId,
  evidence: check.evidence,
  reason_codes: check.reasonCodes,
  status: check.status,
  type: check.type,
});

/** Without the reason in words, which never goes out. */
const presentDecision = (decision: Decision) => ({
  confirmed_by: decision.confirmedBy ?? null,
  decided_at: toTimestamp(decision.decidedAt),
  decided_by: decision.decidedBy,
  decision: decision.decision,
  decision_id: decision.decisionId,
  documents: decision.documents ?? [],
  email_template: decision.emailTemplate ?? null,
  mode: decision.mode,
  reason_code: decision.reasonCode,
});

export const presentWorkflow = ({ author, code, content, createdAt, version }: Workflow) => ({
  author: author ?? null,
  code,
  created_at: time(createdAt),
  version,
  ...content,
});
