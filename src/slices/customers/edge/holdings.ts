/**
 * What customers' cases hold of a person: himself as each case knows him, consents, what was
 * decided and whether a machine did, and his documents as he uploaded them. Reasons in words,
 * reviewers and figures of checks are not his (customers.md 5.2).
 */
import type { Holding } from '#core/privacy';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  type CaseContent,
  type CaseRecord,
  caseDocumentTable,
  caseTable,
  erasureOfCases,
  erasureOfDocuments,
  erasureOfSubject,
  isUnderSuspicion,
  keyOfSubject,
  openDocument,
  openReading,
  readContent,
  subjectTable,
  waitingChanges,
  wholeSubject,
} from '#slices/customers';
import type { SliceProcess } from '../../processes.ts';
import { casePortsOf } from './parts.ts';

const ENDINGS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
};

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

export const holdings = (process: SliceProcess): readonly Holding[] => [
  {
    get erasure() {
      const { audit } = process.storage;
      return erasureOfSubject({ ...casePortsOf(process), audit });
    },
    async *files(named) {
      // A subject has a reference and an id; what is known of them stands in the cases.
      const ports = casePortsOf(process);
      const whole = await wholeSubject(ports, named);
      if (whole?.subject.changes === undefined) return;
      const corrections = await waitingChanges(ports, whole.subject);
      yield {
        content: {
          corrections: corrections.map(({ askedAt, member, value }) => ({
            asked_at: toTimestamp(askedAt),
            member,
            value,
          })),
        },
        name: 'corrections.json',
      };
    },
    async identify(named) {
      const whole = await wholeSubject(casePortsOf(process), named);
      if (whole === undefined) return {};
      const { externalRef, subjectId } = whole.subject;
      const caseIds = whole.cases.map(({ caseId }) => caseId);
      return { caseIds, subjectId, subjectRef: externalRef };
    },
    store: subjectTable.name,
  },
  {
    get erasure() {
      return erasureOfCases(casePortsOf(process));
    },
    async *files(named) {
      const ports = casePortsOf(process);
      const whole = await wholeSubject(ports, named);
      for (const record of whole?.cases ?? []) {
        if (record.erasedAt !== undefined) continue;
        const content = await readContent(ports, record);
        yield { content: told(record, content), name: `cases/${record.caseId}.json` };
      }
    },
    holds: (named) => isUnderSuspicion(casePortsOf(process), named),
    store: caseTable.name,
  },
  {
    get erasure() {
      return erasureOfDocuments(casePortsOf(process));
    },
    async *files(named) {
      const ports = casePortsOf(process);
      const whole = await wholeSubject(ports, named);
      if (whole === undefined || whole.subject.erasedAt !== undefined) return;
      const key = await keyOfSubject(ports, whole.subject);
      for (const { blob, documentId, mediaType, readBlob } of whole.documents) {
        if (blob === undefined) continue;
        const content = await openDocument(ports, blob, { key, kind: 'file' });
        yield { content, name: `documents/${documentId}.${ENDINGS[mediaType] ?? 'bin'}` };
        const { read, said } = await openReading(ports, key, readBlob);
        const fields = read?.fields ?? [];
        yield { content: { fields, said }, name: `documents/${documentId}.json` };
      }
    },
    store: caseDocumentTable.name,
  },
];

const told = (record: CaseRecord, { provenance, subject }: CaseContent) => ({
  case_id: record.caseId,
  consents: record.consents.map(({ given, givenAt, method, purpose, textVersion }) => ({
    given,
    given_at: toTimestamp(givenAt),
    method,
    purpose,
    text_version: textVersion,
  })),
  created_at: toTimestamp(record.createdAt),
  decided_at: time(record.decidedAt),
  decided_by_a_machine: record.decision === undefined ? null : record.decision.mode === 'automatic',
  decision: record.decision?.decision ?? null,
  documents: record.documents.map(({ documentId, kind, uploadedAt }) => ({
    document_id: documentId,
    kind,
    uploaded_at: toTimestamp(uploadedAt),
  })),
  external_ref: record.externalRef,
  provenance,
  status: record.status,
  subject,
});
