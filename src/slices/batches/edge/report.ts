/**
 * Reports of a batch (interface.md 4.2): files of the blob store, named by their digests, whole or
 * from a byte on.
 */
import type { Static } from 'typebox';
import type { BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import {
  type AttestedPorts,
  attestationOf,
  type Batch,
  type BatchFilesPorts,
  type BatchStore,
  openBatchFile,
  type StoredFile,
  withCurrentFiles,
} from '#slices/batches';
import { blobReply } from '../../../api/blobReply.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { amlBatch } from './batches.ts';
import { type ReportKind, ReportQuery } from './hitSchemas.ts';

interface FileForm {
  readonly contentType: string;
  /** After `batch-<id>`. */
  readonly ending: string;
}

const FORMS: Readonly<Record<ReportKind, FileForm>> = {
  attestation: { contentType: 'application/json', ending: '-attestation.json' },
  csv: { contentType: 'text/csv; charset=utf-8', ending: '.csv' },
  pdf: { contentType: 'application/pdf', ending: '.pdf' },
  rejected: { contentType: 'text/csv; charset=utf-8', ending: '-rejected.csv' },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ending: '.xlsx',
  },
};

const MEDIA_TYPES = [
  ...new Set(Object.values(FORMS).map(({ contentType }) => contentType.replace(/;.*/, ''))),
];

export function batchReportOperations(
  options: BatchFilesPorts & {
    readonly batches: Pick<BatchStore, 'findBatch' | 'latestIssue'>;
    readonly blobs: Pick<BlobStore, 'get' | 'has' | 'open'>;
    readonly audit: AttestedPorts['audit'];
    readonly keyRing: AttestedPorts['keyRing'];
  },
): Operation[] {
  const report: Operation = {
    id: 'getBatchReport',
    method: 'GET',
    path: '/v1/aml/batches/{batch_id}/report',
    tag: 'AML',
    summary: 'A report of a batch, as a file',
    description:
      'csv, xlsx and pdf once the batch is completed, and the signed attestation that the PDF ' +
      'holds; rejected: the rows that were not screened, once all were read. With ranges and a ' +
      'strong ETag, the SHA-256 of the file.',
    roles: roles.read,
    scope: 'batches:read',
    idempotency: 'none',
    limits: 'general',
    conditions: 'file',
    problems: ['blob-damaged', 'not-found', 'state-conflict'],
    bodyBytesMax: 0,
    query: ReportQuery,
    responses: {
      200: { description: 'The file', files: MEDIA_TYPES },
      206: { description: 'The bytes of the file that Range asked for', files: MEDIA_TYPES },
      304: { description: 'The file is the one that If-None-Match names' },
    },
    async handle(context) {
      const found = await amlBatch(options.batches, context);
      const batch = await withCurrentFiles(options, found);
      const { format } = context.query as unknown as Static<typeof ReportQuery>;
      const { contentType, ending } = FORMS[format];
      const file = fileOf(batch, format);
      const { reports } = batch;
      if (reports !== undefined) await attestationOf(options, { ...batch, reports });
      const isThere = await options.blobs.has(file.sealed?.blob ?? file.address);
      const content = {
        open: () => openBatchFile(options, batch, { file, name: format }),
        size: async () => (isThere ? file.bytes : undefined),
      };
      return blobReply(content, context.request, {
        address: file.address,
        contentType,
        fileName: `batch-${batch.batchId}${ending}`,
      });
    },
  };
  return [report];
}

function fileOf({ rejected, reports, status }: Batch, format: ReportKind): StoredFile {
  const file = format === 'rejected' ? rejected : reports?.[format];
  if (file !== undefined && (format === 'rejected' || status === 'completed')) return file;
  const detail = `the batch is ${status}: this file is not written`;
  throw new DomainError('state-conflict', { detail });
}
