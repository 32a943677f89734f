/** Classifications, notifications and declarations as they are shown. */
import { toTimestamp } from '#platform/clock';
import type { Classified, TaxClassification, TaxDeclaration, TaxNotification } from '#slices/tax';

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
    record_errors: notification.recordErrors.map((error) => ({
      code: error.code,
      doc_ref_id: error.docRefId,
      doc_type: error.docType || null,
      fields: error.fields,
      meaning: error.meaning ?? null,
      pointer: error.pointer,
      report_type: error.reportType || null,
      reporting_fi: error.reportingFi || null,
    })),
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
  outcome: null,
  submission_date: null,
  ides_reference: null,
  created_at: toTimestamp(record.createdAt),
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
  messages: record.messages.map(({ bytes, messageNo, messageRefId, records, sha256 }) => ({
    message_no: messageNo,
    message_ref_id: messageRefId,
    record_count: records,
    xml_sha256: sha256,
    xml_bytes: bytes,
  })),
  generated_at: record.generatedAt === undefined ? null : toTimestamp(record.generatedAt),
  created_by: record.createdBy,
  timeline: record.timeline.map(({ at, by, cause, from, to }) => ({
    at: toTimestamp(at),
    from: from ?? null,
    to,
    by,
    cause,
  })),
});
