/** Documents as they are shown. */
import { toTimestamp } from '#platform/clock';
import type { CaseRecord, DocumentReading, DocumentRecord } from '#slices/customers';

const common = (document: DocumentRecord) => ({
  bytes: document.bytes,
  case_id: document.caseId,
  document_id: document.documentId,
  kind: document.kind,
  media_type: document.mediaType,
  pages: document.pages,
  scan: document.scan,
  sha256: document.sha256,
  uploaded_at: toTimestamp(document.uploadedAt),
});

/** What an uploader is told. */
export const presentUpload = (document: DocumentRecord) => ({
  ...common(document),
  recognition: { status: document.recognition },
});

/** All that is known of it, but its whole text. */
export function presentDocument({
  document,
  reading: { read, said },
  record,
}: {
  readonly document: DocumentRecord;
  readonly reading: DocumentReading;
  readonly record: CaseRecord;
}) {
  const ref = record.documents.find((one) => one.documentId === document.documentId);
  return {
    ...common(document),
    recognition: {
      case_version: read?.caseVersion ?? null,
      comparisons: read?.comparisons ?? [],
      engine: read?.engine ? presentEngine(read.engine) : null,
      fields: read?.fields ?? [],
      mrz: read?.mrz ? presentZone(read.mrz) : null,
      pages: read?.pages ?? [],
      status: document.recognition,
      took_ms: read?.tookMs ?? null,
      warnings: read?.warnings ?? [],
    },
    said: {
      expires_on: said.expires_on ?? null,
      issuing_country: said.issuing_country ?? null,
      mrz: said.mrz ?? null,
    },
    superseded_by: ref?.supersededBy ?? null,
    uploaded_by: document.uploadedBy,
  };
}

type Read = NonNullable<DocumentReading['read']>;

const presentEngine = ({ dataSha256, name, version }: NonNullable<Read['engine']>) => ({
  data_sha256: dataSha256 ?? null,
  name,
  version,
});

const presentZone = ({ digits, format, isValid, lines, repaired }: NonNullable<Read['mrz']>) => ({
  digits,
  format,
  lines,
  repaired,
  valid: isValid,
});
