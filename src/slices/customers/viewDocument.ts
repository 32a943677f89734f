/** A document as people see it: what was read in it, and its bytes. Each look is an entry. */
import { type Actor, overwrite } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { type CasePlace, kycEntry, requireCase, unknownCase } from './caseRecord.ts';
import { type DocumentReading, openDocument, openReading } from './documentFiles.ts';
import type { CasePorts } from './ports.ts';
import type { KycSettings } from './settings.ts';
import { documentTarget } from './signedCases.ts';
import { keyOfSubject } from './subjects.ts';
import { type CaseRecord, caseDocumentTable, type DocumentRecord } from './tables.ts';
import type { RecentViews } from './viewCase.ts';

/** Whose look it is. */
export interface DocumentAsk extends CasePlace {
  readonly documentId: string;
  readonly actor: Actor;
  readonly ip?: string;
}

/** What shows documents. */
export interface DocumentViewPorts extends CasePorts {
  readonly settingsOf: (tenantId: CaseRecord['tenantId']) => Promise<KycSettings>;
  readonly views: RecentViews;
}

/** The record and its reading. Throws `case-unknown`, `subject-erased`. */
export async function viewDocument(
  ports: DocumentViewPorts,
  ask: DocumentAsk & { readonly isPerson: boolean },
): Promise<{
  readonly document: DocumentRecord;
  readonly reading: DocumentReading;
  readonly record: CaseRecord;
}> {
  const { document, record } = await requireDocument(ports, ask);
  const key = await keyOfSubject(ports, record);
  const reading = await openReading(ports, key, document.readBlob);
  const isNew = ports.views.isNew(ask.actor, document.documentId, ports.clock.now());
  if (ask.isPerson && isNew) await note(ports, ask, 'fields');
  return { document, reading, record };
}

/** The bytes. Throws `document-withheld`, and as `viewDocument` does. */
export async function downloadDocument(
  ports: DocumentViewPorts,
  ask: DocumentAsk,
): Promise<{ readonly document: DocumentRecord; readonly bytes: Buffer }> {
  const { document, record } = await requireDocument(ports, ask);
  const { blob, scan, tenantId } = document;
  const { isScanRequired } = await ports.settingsOf(tenantId);
  if (blob === undefined || (isScanRequired && scan !== 'clean')) {
    const detail = `the scan of the document came to: ${scan}`;
    throw new DomainError('document-withheld', { detail });
  }
  const key = await keyOfSubject(ports, record);
  const bytes = await openDocument(ports, blob, { key, kind: 'file' });
  if (sha256Hex(bytes) !== document.sha256) {
    throw new DomainError('blob-damaged', { detail: 'a document is not what was uploaded' });
  }
  await note(ports, ask, 'content');
  return { bytes, document };
}

async function requireDocument(
  ports: DocumentViewPorts,
  { caseId, documentId, tenantId }: DocumentAsk,
): Promise<{ readonly document: DocumentRecord; readonly record: CaseRecord }> {
  const record = await requireCase(ports, { caseId, tenantId });
  const document = await ports.signed.findDocument({ documentId, tenantId });
  if (document?.caseId !== caseId) throw unknownCase('document');
  return { document, record };
}

/** Written under the document's version: its last entry always says what the record is. */
function note(
  ports: DocumentViewPorts,
  ask: DocumentAsk,
  what: 'content' | 'fields',
): Promise<void> {
  return overwrite(async () => {
    const { document } = await requireDocument(ports, ask);
    const { caseId, documentId, tenantId, version } = document;
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [caseDocumentTable.expect({ documentId, tenantId }, { version })],
      events: [
        kycEntry(ports, {
          action: 'kyc.document.viewed',
          actor: ask.actor,
          ip: ask.ip,
          kind: 'document',
          members: { case_id: caseId, what },
          record: document,
          target: documentTarget(document),
        }),
      ],
    });
  });
}
