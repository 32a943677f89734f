/** Files of transactions over HTTP: received whole, then watched while workers take them. */
import { createHash } from 'node:crypto';
import type { BlobStore } from '#core/blobs';
import { DomainError, type Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { toTimestamp } from '#platform/clock';
import {
  type FilePorts,
  findFile,
  orderFile,
  type ReceivedFile,
  receiveFile,
  type TransactionFile,
} from '#slices/monitoring';
import { askerOf } from '../../../api/asker.ts';
import { blobReply } from '../../../api/blobReply.ts';
import { readUploadForm } from '../../../api/http/index.ts';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext, OperationReply } from '../../../api/operation.ts';
import { Slots } from '../../../api/slots.ts';
import { roles } from '../roles.ts';
import { FileResult } from './schemas.ts';
import { requireMediaType } from './wholeBody.ts';

/** What files are received and shown with. */
export interface FileOptions extends FilePorts {
  readonly blobs: Pick<BlobStore, 'open' | 'put' | 'size'>;
  readonly clock: Clock;
  readonly tables: Pick<Tables, 'find' | 'findUnique'>;
  readonly wake: (id: string) => void;
}

/** Uploads of a tenant at once, and of a gateway. */
const UPLOADS = { inAllMax: 16, max: 4, what: 'files of transactions' };
/** Media types of a file: as it is, or as the part `file` of a form. */
export const FILE_TYPES = ['text/csv', 'application/gzip', 'multipart/form-data'] as const;

/** One for a gateway. */
export const fileSlots = (): Slots => new Slots(UPLOADS);

/** The file of a request; only its digest where an answer stands under its key. */
export async function receiveUpload(
  options: FileOptions,
  { request }: OperationContext,
  isAnswered: boolean,
): Promise<{ readonly bodyDigest: string; readonly value: ReceivedFile | undefined }> {
  const type = requireMediaType(request, FILE_TYPES, ' for csv_service');
  const take = (bytes: AsyncIterable<Uint8Array>): Promise<DigestOnly | ReceivedFile> =>
    isAnswered ? digestOf(bytes) : receiveFile(options, bytes);
  if (type !== 'multipart/form-data') {
    const file = await take(request.bodyStream());
    return { bodyDigest: file.digest, value: file.blob === undefined ? undefined : file };
  }
  const { file } = await readUploadForm(
    { bytes: request.bodyStream(), contentType: request.header('content-type') },
    { check: () => [], fields: [], fileField: 'file', take },
  );
  return { bodyDigest: file.digest, value: file.blob === undefined ? undefined : file };
}

type DigestOnly = Pick<ReceivedFile, 'digest'> & { readonly blob?: never };

async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<DigestOnly> {
  const hash = createHash('sha256');
  for await (const piece of bytes) hash.update(piece);
  return { digest: hash.digest('hex') };
}

/** 202 at once; workers take it. */
export async function orderUpload(
  options: FileOptions,
  context: OperationContext,
  file: ReceivedFile | undefined,
): Promise<OperationReply> {
  // Its answer stood under the key while it came, and has expired since.
  if (file === undefined) throw new DomainError('idempotency-key-in-progress');
  const answer = kept<TransactionFile>(options, context, { present: presentOrdered, status: 202 });
  const ordered = await orderFile(options, {
    ...askerOf(context),
    ...answer.idempotency,
    file,
    requestedBy: context.principal.id,
    sandbox: context.principal.environment === 'sandbox',
    tenantId: context.tenantId,
  });
  options.wake(ordered.ingestId);
  return answer.reply(ordered);
}

const PATH = '/v1/aml/transactions/ingests/{ingest_id}';
const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.follow,
  scope: 'transactions:read',
  tag: 'AML',
} as const;

export const fileOperations = (options: FileOptions): readonly Operation[] => [
  {
    ...READING,
    id: 'getIngest',
    path: PATH,
    summary: 'How far a file of transactions is',
    problems: ['not-found'],
    responses: { 200: { description: 'The ingest', schema: FileResult } },
    handle: async ({ params, tenantId }) => ({
      body: present(await findFile(options, { ingestId: params.ingest_id ?? '', tenantId })),
      status: 200,
    }),
  },
  {
    ...READING,
    id: 'getRejectedRows',
    path: `${PATH}/rejected.csv`,
    summary: 'Rows of a file that were not taken: line, column, code',
    description: 'Once all rows were read. With ranges and a strong ETag.',
    conditions: 'file',
    problems: ['not-found', 'state-conflict'],
    responses: {
      200: { description: 'The file', files: ['text/csv'] },
      206: { description: 'The bytes of the file that Range asked for', files: ['text/csv'] },
      304: { description: 'The file is the one that If-None-Match names' },
    },
    handle: async ({ params, request, tenantId }) => {
      const file = await findFile(options, { ingestId: params.ingest_id ?? '', tenantId });
      if (file.rejectedFile === undefined) {
        const detail = `the ingest is ${file.status}: this file is not written`;
        throw new DomainError('state-conflict', { detail });
      }
      return blobReply(options.blobs, request, {
        address: file.rejectedFile.address,
        contentType: 'text/csv; charset=utf-8',
        fileName: `ingest-${file.ingestId}-rejected.csv`,
      });
    },
  },
];

const presentOrdered = (file: TransactionFile) => ({
  ingest_id: file.ingestId,
  status: file.status,
  accepted: file.accepted,
  rejected: file.rejected,
  duplicates: file.duplicates,
  errors: [],
  tseq_from: file.tseqFrom ?? null,
  tseq_to: file.tseqTo ?? null,
});

const present = (file: TransactionFile) => ({
  ingest_id: file.ingestId,
  status: file.status,
  bytes: file.bytes,
  file_sha256: file.fileDigest,
  rows: file.rows,
  accepted: file.accepted,
  rejected: file.rejected,
  duplicates: file.duplicates,
  tseq_from: file.tseqFrom ?? null,
  tseq_to: file.tseqTo ?? null,
  received_at: toTimestamp(file.receivedAt),
  ended_at: file.endedAt === undefined ? null : toTimestamp(file.endedAt),
  failure: file.failure ?? null,
});
