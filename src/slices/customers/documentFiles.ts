/**
 * Bytes of documents, and what was read in them, as sealed blobs under the subject's data key:
 * destroying that key erases them, also where a store keeps its blobs by force. Each kind has a
 * key of its own, so that none can stand for another.
 */
import type { Actor } from '#core/audit';
import { type DataKey, openSealed, putSealed } from '#core/blobs';
import { chainOf, DomainError, everyRecord, type TableChange } from '#core/kernel';
import type { FieldComparison, MrzReading, ReadField, Recognition } from '#slices/recognition';
import { kycEntry } from './caseRecord.ts';
import type { CasePorts, CaseReadPorts } from './ports.ts';
import { documentTarget } from './signedCases.ts';
import { caseDocumentTable, type DocumentRecord } from './tables.ts';

type SealedKind = 'file' | 'reading' | 'text';

/** What the uploader says of a document; no check passes by it. */
export interface UploaderSays {
  /** Lines of a machine-readable zone, as an app has read them. */
  readonly mrz?: string;
  /** ISO 3166-1, two letters. */
  readonly issuing_country?: string;
  /** YYYY-MM-DD */
  readonly expires_on?: string;
}

/** What a document says, as it is kept. */
export interface DocumentReading {
  readonly said: UploaderSays;
  readonly read?: {
    readonly status: Recognition['status'];
    readonly engine?: Recognition['engine'];
    readonly tookMs: number;
    readonly pages: Recognition['pages'];
    readonly mrz?: MrzReading;
    readonly fields: readonly ReadField[];
    readonly warnings: readonly string[];
    /** With the case as it was then: its `version`. */
    readonly comparisons: readonly FieldComparison[];
    readonly caseVersion: number;
  };
}

const under = (key: Pick<DataKey, 'secret'>, kind: SealedKind) => ({
  label: `kyc-document-${kind}`,
  secret: key.secret,
});

/** The address of the sealed blob. */
export const sealDocument = (
  ports: Pick<CaseReadPorts, 'blobs' | 'random'>,
  bytes: Uint8Array,
  { key, kind }: { readonly key: Pick<DataKey, 'secret'>; readonly kind: SealedKind },
): Promise<string> => putSealed(ports, bytes, under(key, kind));

/** Throws `blob-damaged` where it is gone, or not what was sealed. */
export async function openDocument(
  { blobs }: Pick<CaseReadPorts, 'blobs'>,
  blob: string,
  { key, kind }: { readonly key: Pick<DataKey, 'secret'>; readonly kind: SealedKind },
): Promise<Buffer> {
  const bytes = await blobs.get(blob);
  if (bytes === undefined) {
    throw new DomainError('blob-damaged', { detail: 'a sealed document is gone' });
  }
  return openSealed(bytes, under(key, kind));
}

/** The address of the sealed reading. */
export const sealReading = (
  ports: Pick<CaseReadPorts, 'blobs' | 'random'>,
  key: Pick<DataKey, 'secret'>,
  reading: DocumentReading,
): Promise<string> =>
  sealDocument(ports, Buffer.from(JSON.stringify(reading)), { key, kind: 'reading' });

/** What is known of a document; nothing where nobody has said anything and it was not read. */
export async function openReading(
  ports: Pick<CaseReadPorts, 'blobs'>,
  key: Pick<DataKey, 'secret'>,
  readBlob: string | undefined,
): Promise<DocumentReading> {
  if (readBlob === undefined) return { said: {} };
  return JSON.parse((await openDocument(ports, readBlob, { key, kind: 'reading' })).toString());
}

/** Documents of a case, as they were signed. */
export async function storedDocuments(
  { signed, tables }: Pick<CaseReadPorts, 'signed' | 'tables'>,
  { caseId, tenantId }: Pick<DocumentRecord, 'caseId' | 'tenantId'>,
): Promise<readonly DocumentRecord[]> {
  const documents: DocumentRecord[] = [];
  const ask = { equal: { caseId, tenantId }, index: 'byCase' };
  for await (const found of everyRecord(tables, caseDocumentTable, ask)) {
    const document = await signed.findDocument(found);
    if (document !== undefined) documents.push(document);
  }
  return documents;
}

/** Its record stays, without bytes: the blobs that nobody names any more are swept. */
export async function deleteDocument(
  ports: Pick<CasePorts, 'clock' | 'commit' | 'random'>,
  before: DocumentRecord,
  of: {
    readonly actor: Actor;
    readonly beside?: readonly TableChange[];
    readonly reason: string;
  },
): Promise<void> {
  if (before.erasedAt !== undefined) return;
  const { blob: _, readBlob: __, textBlob: ___, ...rest } = before;
  const erasedAt = ports.clock.now();
  const record: DocumentRecord = { ...rest, erasedAt, version: before.version + 1 };
  await ports.commit(chainOf(before.tenantId), {
    bus: [],
    changes: [caseDocumentTable.put(record, before.version), ...(of.beside ?? [])],
    events: [
      kycEntry(ports, {
        action: 'kyc.document.deleted',
        actor: of.actor,
        kind: 'document',
        members: { reason: of.reason },
        record,
        target: documentTarget(record),
      }),
    ],
  });
}
