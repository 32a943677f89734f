/** Files of accounts over HTTP: received whole, then watched while workers take them. */
import type { BlobStore } from '#core/blobs';
import { DomainError, type Violation } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import {
  ACCOUNT_FILE_BYTES_MAX,
  type AccountImport,
  findImport,
  IMPORT_MODES,
  orderImport,
  type ReceivedAccounts,
  receiveAccounts,
} from '#slices/tax';
import { blobReply } from '../../../api/blobReply.ts';
import { readUploadForm } from '../../../api/http/index.ts';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { Slots } from '../../../api/slots.ts';
import { compileSchema } from '../../../api/validate.ts';
import { roles } from '../roles.ts';
import { type AskRouteOptions, askOf } from './asker.ts';
import { ImportFields, ImportForm, ImportResult } from './reportingSchemas.ts';

/** What files are received and shown with. */
export interface AccountFileOptions extends AskRouteOptions {
  readonly blobs: () => Pick<BlobStore, 'open' | 'size'>;
  readonly wake: (id: string) => void;
}

const PATH = '/v1/tcr/accounts/import';
const ONE_PATH = `${PATH}/{import_id}`;
const FIELDS = ['reporting_fi_giin', 'reporting_period', 'mode'] as const;
const UPLOADS = { inAllMax: 8, max: 2, what: 'files of accounts' };
const COMMON = { limits: 'general', tag: 'TCR' } as const;
const READING = {
  ...COMMON,
  bodyBytesMax: 0,
  idempotency: 'none',
  method: 'GET',
  roles: roles.read,
  scope: 'tcr:read',
} as const;

interface ReceivedForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Absent where an answer stands under the key. */
  readonly file?: ReceivedAccounts;
}

export const accountFileOperations = (options: AccountFileOptions): Operation[] => [
  importing(options),
  {
    ...READING,
    id: 'getAccountImport',
    path: ONE_PATH,
    summary: 'How far a file of accounts is',
    problems: ['import-unknown', 'state-altered'],
    responses: { 200: { description: 'The import', schema: ImportResult } },
    handle: async ({ params, tenantId }) => ({
      body: present(
        await findImport(options.ports(), { importId: params.import_id ?? '', tenantId }),
      ),
      status: 200,
    }),
  },
  {
    ...READING,
    id: 'getRejectedAccounts',
    path: `${ONE_PATH}/rejected.csv`,
    summary: 'Accounts of a file that were not taken: line, member, code',
    description: 'Once all were read. With ranges and a strong ETag.',
    conditions: 'file',
    problems: ['import-unknown', 'not-found', 'state-altered', 'state-conflict'],
    responses: {
      200: { description: 'The file', files: ['text/csv'] },
      206: { description: 'The bytes of the file that Range asked for', files: ['text/csv'] },
      304: { description: 'The file is the one that If-None-Match names' },
    },
    handle: async ({ params, request, tenantId }) => {
      const place = { importId: params.import_id ?? '', tenantId };
      const { importId, rejectedFile, status } = await findImport(options.ports(), place);
      if (rejectedFile === undefined) {
        const detail = `the import is ${status}: this file is not written`;
        throw new DomainError('state-conflict', { detail });
      }
      return blobReply(options.blobs(), request, {
        address: rejectedFile.address,
        contentType: 'text/csv; charset=utf-8',
        fileName: `import-${importId}-rejected.csv`,
      });
    },
  },
];

function importing(options: AccountFileOptions): Operation {
  const slots = new Slots(UPLOADS);
  return {
    ...COMMON,
    id: 'importAccounts',
    method: 'POST',
    path: PATH,
    roles: roles.accounts,
    scope: 'tcr:write',
    idempotency: 'required',
    bodyBytesMax: ACCOUNT_FILE_BYTES_MAX,
    problems: [
      'csv-invalid',
      'import-running',
      'multipart-malformed',
      'period-invalid',
      'reporting-fi-unknown',
      'state-altered',
      'storage-full',
      'upload-damaged',
    ],
    summary: 'Take a file of accounts: JSON lines or CSV, up to ten million',
    description:
      'Received whole, and taken by workers; while it runs, nothing else changes the accounts of ' +
      'this institution and period. With `replace` they take the place of all at its end.',
    upload: {
      mediaType: 'multipart/form-data',
      receive: (context, { isAnswered }) =>
        slots.hold(context.tenantId, () => receive(options, context, isAnswered)),
      schema: ImportForm,
    },
    responses: { 202: { description: 'The import', schema: ImportResult } },
    handle: (context) => order(options, context),
  };
}

const fieldFaults = compileSchema(ImportFields);

async function receive(
  options: AccountFileOptions,
  { request }: OperationContext,
  isAnswered: boolean,
) {
  const { fields, file } = await readUploadForm<ReceivedAccounts>(
    { bytes: request.bodyStream(), contentType: request.header('content-type') },
    {
      check: (given): readonly Violation[] => fieldFaults(Object.fromEntries(given)),
      fields: FIELDS,
      fileField: 'file',
      take: (bytes) => receiveAccounts(options.ports(), bytes),
    },
  );
  const parts = [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  const bodyDigest = sha256Hex(JSON.stringify([...parts, ['file', file.digest]]));
  const value: ReceivedForm = { fields, ...(!isAnswered && { file }) };
  return { bodyDigest, value };
}

async function order(options: AccountFileOptions, context: OperationContext) {
  const { fields, file } = context.body as ReceivedForm;
  // Its answer stood under the key while it came, and has expired since.
  if (file === undefined) throw new DomainError('idempotency-key-in-progress');
  const ports = options.ports();
  const answer = kept<AccountImport>(ports, context, { present, status: 202 });
  const ordered = await orderImport(
    ports,
    {
      ...(await askOf(options, context)),
      file,
      giin: fields.get('reporting_fi_giin') ?? '',
      mode: IMPORT_MODES.find((mode) => mode === fields.get('mode')) ?? 'upsert',
      period: fields.get('reporting_period') ?? '',
    },
    answer.idempotency.idempotency,
  );
  options.wake(ordered.importId);
  return answer.reply(ordered);
}

const present = (one: AccountImport) => ({
  import_id: one.importId,
  reporting_fi_giin: one.giin,
  reporting_period: one.period,
  mode: one.mode,
  format: one.format,
  status: one.status,
  bytes: one.bytes,
  file_sha256: one.fileDigest,
  rows: one.rows,
  accepted: one.accepted,
  rejected: one.rejected,
  received_at: toTimestamp(one.receivedAt),
  ended_at: one.endedAt === undefined ? null : toTimestamp(one.endedAt),
  failure: one.failure ?? null,
});
