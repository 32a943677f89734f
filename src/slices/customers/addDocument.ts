/** A document is stored with its case, sealed, and left to a worker that scans and reads it. */
import { DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { uuidV7 } from '#platform/random';
import { documentInvalid, findMrz, type Media } from '#slices/recognition';
import { type CaseAsk, kycEntry } from './caseRecord.ts';
import { changeCase, newTask, seeCase } from './changeCase.ts';
import { sealDocument, sealReading, type UploaderSays } from './documentFiles.ts';
import { DOCUMENTS_MAX } from './limits.ts';
import { requireUndecided } from './patchCase.ts';
import type { CasePorts } from './ports.ts';
import { documentTarget } from './signedCases.ts';
import { dayFault, isCountry } from './subjectRules.ts';
import {
  type CaseRecord,
  caseDocumentTable,
  type DocumentRecord,
  type DocumentRef,
} from './tables.ts';
import type { DocumentKind } from './words.ts';

/** A document as it came, looked into already. */
export interface GivenDocument {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
  readonly media: Media;
  readonly said: UploaderSays;
}

/** Throws `state-conflict` once the case is decided, and `documents-full`. */
export function requireRoom({ documents, status }: Pick<CaseRecord, 'documents' | 'status'>): void {
  requireUndecided({ status });
  if (documents.length < DOCUMENTS_MAX) return;
  throw new DomainError('documents-full', {
    detail: `a case has at most ${DOCUMENTS_MAX} documents`,
  });
}

/** Throws `document-invalid` where what came is not what the caller had. */
export function requireDigest(bytes: Uint8Array, expected: string | undefined): void {
  if (expected === undefined || sha256Hex(bytes) === expected) return;
  throw documentInvalid(['digest']);
}

/** What is wrong with the uploader's own words, by member. */
export function saidFaults(
  { expires_on, issuing_country, mrz }: UploaderSays,
  today: string,
): readonly (readonly [member: string, detail: string])[] {
  const faults: [string, string][] = [];
  const day = expires_on === undefined ? undefined : dayFault(expires_on);
  if (day !== undefined) faults.push(['expires_on', day]);
  if (issuing_country !== undefined && !isCountry(issuing_country)) {
    faults.push(['issuing_country', 'expected an ISO 3166-1 alpha-2 code in use']);
  }
  if (mrz !== undefined && findMrz(mrz, { today }) === undefined) {
    faults.push(['mrz', 'expected the lines of a machine-readable zone']);
  }
  return faults;
}

/** Throws `state-conflict`, `documents-full`, and as every change of a case does. */
export async function addDocument(
  ports: CasePorts,
  ask: CaseAsk,
  given: GivenDocument,
  /** Called before the commit: the answer that is kept with it tells of the document. */
  onStored: (document: DocumentRecord) => void = () => undefined,
): Promise<{ readonly document: DocumentRecord; readonly record: CaseRecord }> {
  const { key, record: found } = await seeCase(ports, ask);
  requireRoom(found);
  const { bytes, kind, media, said } = given;
  const isSaid = Object.keys(said).length > 0;
  const uploadedAt = ports.clock.now();
  const document: DocumentRecord = {
    blob: await sealDocument(ports, bytes, { key, kind: 'file' }),
    bytes: bytes.length,
    caseId: found.caseId,
    documentId: uuidV7(uploadedAt, ports.random),
    kind,
    mediaType: media.mediaType,
    pages: media.pages,
    recognition: 'queued',
    scan: 'pending',
    sha256: sha256Hex(bytes),
    subjectId: found.subjectId,
    tenantId: found.tenantId,
    uploadedAt,
    uploadedBy: ask.actor,
    version: 1,
    ...(isSaid && { readBlob: await sealReading(ports, key, { said }) }),
  };
  onStored(document);
  const record = await changeCase(ports, ask, ({ record }) => {
    requireRoom(record);
    return {
      beside: () => ({
        bus: [uploadedEvent(document)],
        changes: [
          caseDocumentTable.insert(document),
          newTask(ports, record, { documentId: document.documentId, kind: 'document' }),
        ],
        events: [uploadedEntry(ports, ask, document)],
      }),
      change: { documents: withDocument(record.documents, document) },
      entry: {
        action: 'kyc.case.changed',
        members: { document_id: document.documentId, members: ['documents'] },
      },
      isInput: true,
    };
  });
  ports.wake(record.tenantId);
  return { document, record };
}

/** The newer one of a kind stands for the older, which stays until its time is over. */
function withDocument(
  documents: readonly DocumentRef[],
  { documentId, kind, sha256, uploadedAt }: DocumentRecord,
): readonly DocumentRef[] {
  const former = documents.map((one) =>
    one.kind === kind && one.supersededBy === undefined
      ? { ...one, supersededBy: documentId }
      : one,
  );
  return [...former, { documentId, kind, sha256, uploadedAt }];
}

const uploadedEntry = (
  ports: Pick<CasePorts, 'clock' | 'random'>,
  { actor, ip }: Pick<CaseAsk, 'actor' | 'ip'>,
  document: DocumentRecord,
) =>
  kycEntry(ports, {
    action: 'kyc.document.uploaded',
    actor,
    at: document.uploadedAt,
    ip,
    kind: 'document',
    members: {
      bytes: document.bytes,
      case_id: document.caseId,
      kind: document.kind,
      media_type: document.mediaType,
      pages: document.pages,
      sha256: document.sha256,
    },
    record: document,
    target: documentTarget(document),
  });

const uploadedEvent = (document: DocumentRecord) => ({
  partition: document.tenantId,
  payload: {
    case_id: document.caseId,
    document_id: document.documentId,
    kind: document.kind,
    media_type: document.mediaType,
    sha256: document.sha256,
    tenant_id: document.tenantId,
  },
  topic: 'document.uploaded' as const,
});
