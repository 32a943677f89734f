/** Classifications, notifications and declarations as they are shown. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import type {
  Classified,
  MessageFiling,
  RecordError,
  StoredNotification,
  TaxClassification,
  TaxDeclaration,
  TaxNotification,
} from '#slices/tax';

export const presentRow = (record: TaxClassification) => ({
  classification_id: record.classificationId,
  created_by: record.createdBy,
  kind: record.kind,
  result_digest: record.resultDigest,
  review_at: record.dueAt === undefined ? null : toTimestamp(record.dueAt).slice(0, 10),
  status: record.status,
  subject_ref: record.subjectRef,
  supersedes: record.supersedes ?? null,
  table_version: record.tableVersion,
  valid_from: toTimestamp(record.createdAt),
});

/** The state is that of the record: a result does not know that it was superseded. */
export const presentClassified = ({ content, record }: Classified) => ({
  ...presentRow(record),
  crs: content.result.crs,
  documents_required: content.result.documents_required,
  fatca: content.result.fatca,
  indicia: content.result.indicia,
  inputs: content.inputs,
  notes: content.notes,
  trace: content.result.trace,
});

export const presentRecordError = (error: RecordError) => ({
  code: error.code,
  doc_ref_id: error.docRefId,
  doc_type: error.docType || null,
  fields: error.fields,
  meaning: error.meaning ?? null,
  pointer: error.pointer,
  report_type: error.reportType || null,
  reporting_fi: error.reportingFi || null,
});

export const presentNotification = (notification: TaxNotification) => {
  const { effect } = notification;
  return {
    because: 'because' in effect ? effect.because : null,
    cause: 'cause' in effect ? effect.cause : null,
    code: notification.code,
    counts: notification.counts,
    created_at: notification.createdAt,
    file_type: notification.fileType || null,
    ides_transmission_id: notification.transmissionId || null,
    meaning: notification.meaning ?? null,
    message_ref_id: notification.messageRefId || null,
    next_step: 'nextStep' in effect ? effect.nextStep : null,
    notification_ref_id: notification.refId,
    outcome: 'outcome' in effect ? effect.outcome : null,
    receiver: notification.receiver,
    record_errors: notification.recordErrors.map(presentRecordError),
    sender: notification.sender,
    sender_file_id: notification.senderFileId || null,
    status: effect.status,
  };
};
/** A declaration in a list (interface.md 2.7). */
export const presentDeclarationRow = (record: TaxDeclaration) => ({
  declaration_id: record.declarationId,
  reference: record.reference,
  regime: record.regime,
  type: record.type,
  reporting_period: record.period,
  nil_report: record.nilReport,
  account_count: record.accountCount,
  status: record.status,
  outcome: record.outcome ?? null,
  submission_date: timeOf(record.submittedAt),
  ides_reference:
    record.messages.flatMap(({ filing }) => filing?.transmissionId ?? []).at(0) ?? null,
  created_at: toTimestamp(record.createdAt),
});

const timeOf = (at: EpochMs | undefined): string | null =>
  at === undefined ? null : toTimestamp(at);

const presentFiling = (filing: MessageFiling | undefined) => ({
  status: filing?.state ?? null,
  sender_file_id: filing?.fileName ?? null,
  package_bytes: filing?.package?.bytes ?? null,
  package_sha256: filing?.package?.sha256 ?? null,
  deposited_at: filing?.deposit?.step === 'deposited' ? filing.deposit.at : null,
  receipt_at: timeOf(filing?.receivedAt),
  ides_reference: filing?.transmissionId ?? null,
  notification_code: filing?.code ?? null,
  record_errors: filing?.recordErrors ?? 0,
});

/** What a submission is answered with. */
export const presentSubmission = (record: TaxDeclaration) => ({
  declaration_id: record.declarationId,
  status: record.status,
  packages: record.messages.map(({ filing, messageNo }) => ({
    message_no: messageNo,
    sender_file_id: filing?.fileName ?? null,
    bytes: filing?.package?.bytes ?? null,
    sha256: filing?.package?.sha256 ?? null,
  })),
});

/** An answer of the authority, and what it has changed. */
export const presentStored = (one: StoredNotification) => ({
  notification_id: one.notificationId,
  code: one.code,
  notification_ref_id: one.refId,
  sender_file_id: one.senderFileId,
  declaration_id: one.declarationId ?? null,
  message_no: one.messageNo ?? null,
  result: one.result,
  because: one.because ?? null,
  received_at: toTimestamp(one.receivedAt),
});

/** All of it, without what was found in it. */
export const presentDeclaration = (record: TaxDeclaration) => ({
  ...presentDeclarationRow(record),
  reporting_fi_giin: record.giin,
  filer_category: record.filerCategory ?? null,
  schema: record.schema,
  transmitting_country: record.transmittingCountry,
  receiving_country: record.receivingCountry,
  test: record.isTest,
  pool_count: record.poolCount,
  accounts_digest: record.accountsDigest ?? null,
  errors_count: record.errorsCount,
  warnings_count: record.warningsCount,
  auto_submit_ides: record.autoSubmit ?? false,
  corrects: record.corrects ?? null,
  voided_by: record.voidedBy ?? null,
  messages: record.messages.map(({ bytes, filing, messageNo, messageRefId, records, sha256 }) => ({
    message_no: messageNo,
    message_ref_id: messageRefId,
    record_count: records,
    xml_sha256: sha256,
    xml_bytes: bytes,
    ...presentFiling(filing),
  })),
  generated_at: timeOf(record.generatedAt),
  filed_at: timeOf(record.filedAt),
  decided_at: timeOf(record.decidedAt),
  created_by: record.createdBy,
  timeline: record.timeline.map(({ at, by, cause, from, to }) => ({
    at: toTimestamp(at),
    from: from ?? null,
    to,
    by,
    cause,
  })),
});
