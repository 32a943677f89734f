/** Declarations on their way over HTTP: submitted, fetched as packages, received and answered. */
import { entry } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import {
  declarationTarget,
  findDeclaration,
  NOTIFICATION_PACKAGE_BYTES_MAX,
  noteReceipt,
  openPackage,
  type StoredNotification,
  submitDeclaration,
  type TaxDeclaration,
} from '#slices/tax';
import { blobReply } from '../../../api/blobReply.ts';
import { readUploadForm } from '../../../api/http/index.ts';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { Slots } from '../../../api/slots.ts';
import { roles } from '../roles.ts';
import { gathered, receiveAnswer } from './answers.ts';
import { askOf, readingBy } from './asker.ts';
import {
  DeclarationResult,
  NotificationForm,
  NotificationResult,
  ReceiptBody,
  type ReceiptGiven,
  SubmissionResult,
  XmlQuery,
} from './declarationSchemas.ts';
import type { DeclarationRouteOptions } from './declarations.ts';
import { presentDeclaration, presentStored, presentSubmission } from './presentation.ts';

const PATH = '/v1/tcr/declarations/{declaration_id}';
const RECEIPT_BYTES_MAX = 65_536;
const UPLOADS = { inAllMax: 4, max: 1, what: 'notifications' };
const COMMON = { limits: 'general', roles: roles.file, scope: 'tcr:submit', tag: 'TCR' } as const;
const CHANGING = { ...COMMON, idempotency: 'required', method: 'POST' } as const;

export const filingOperations = (options: DeclarationRouteOptions): Operation[] => [
  submitting(options),
  packaging(options),
  receiving(options),
  notifying(options),
];

const placeOf = ({ params, tenantId }: OperationContext) => ({
  declarationId: params.declaration_id ?? '',
  tenantId,
});

const submitting = (options: DeclarationRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: 0,
  id: 'submitDeclaration',
  path: `${PATH}/submit-ides`,
  problems: ['channel-unknown', 'declaration-unknown', 'state-altered', 'state-conflict'],
  summary: 'File a declaration by the channel of its institution',
  description:
    'Workers package each message and deposit it once. Where packages are carried by hand, ' +
    '`GET …/package` has them, and `POST …/receipts` says that one arrived. Under CRS the XML is ' +
    'what is handed in. What was rejected on its way is packaged again.',
  responses: { 202: { description: 'It is on its way', schema: SubmissionResult } },
  async handle(context) {
    const ports = options.ports();
    const ask = { ...(await askOf(options, context)), ...placeOf(context) };
    const { idempotency, reply } = kept<TaxDeclaration>(ports, context, {
      present: presentSubmission,
      status: 202,
    });
    const next = await submitDeclaration(ports, ask, idempotency.idempotency);
    options.wake(next.declarationId);
    return reply(next);
  },
});

const packaging = (options: DeclarationRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: 0,
  conditions: 'file',
  id: 'getDeclarationPackage',
  idempotency: 'none',
  method: 'GET',
  path: `${PATH}/package`,
  problems: [
    'blob-damaged',
    'declaration-unknown',
    'not-found',
    'package-not-ready',
    'state-altered',
  ],
  summary: 'The package of a message, as IDES takes it; that it was read is an entry',
  query: XmlQuery,
  responses: {
    200: { description: 'The file', files: ['application/zip'] },
    206: { description: 'The bytes of the file that Range asked for', files: ['application/zip'] },
    304: { description: 'The file is the one that If-None-Match names' },
  },
  async handle(context) {
    const ports = options.ports();
    const declaration = await findDeclaration(ports, placeOf(context));
    const { message: no = '1' } = context.query as { readonly message?: string };
    const message = declaration.messages.find(({ messageNo }) => messageNo === Number(no));
    if (message === undefined) throw new DomainError('not-found', { detail: 'no such message' });
    const { fileName = '', isByHand, package: made, state } = message.filing ?? {};
    if (made === undefined) throw new DomainError('package-not-ready');
    // Carried by a person as well, it would be there twice.
    if (state === 'packaged' && isByHand === false) {
      const detail = 'expected an institution that files by hand: workers bring it to its place';
      throw new DomainError('package-not-ready', { detail });
    }
    const { actor, ip } = await askOf(options, context);
    const read = entry(ports, {
      action: 'tcr.declaration.package_read',
      actor,
      members: { message_no: message.messageNo, package_sha256: made.sha256 },
      target: declarationTarget(declaration),
      ...(ip !== undefined && { ip }),
    });
    await ports.commit(chainOf(context.tenantId), { bus: [], changes: [], events: [read] });
    const served = {
      open: () => openPackage(ports, declaration, message),
      size: async () => made.bytes,
    };
    return blobReply(served, context.request, {
      address: made.sha256,
      contentType: 'application/zip',
      fileName,
    });
  },
});

const receiving = (options: DeclarationRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: RECEIPT_BYTES_MAX,
  id: 'noteDeclarationReceipt',
  path: `${PATH}/receipts`,
  problems: ['declaration-unknown', 'receipt-unknown', 'state-altered', 'state-conflict'],
  summary: 'Say that a message was deposited by hand, and as what',
  body: ReceiptBody,
  example: {
    ides_transmission_id: '152F+84k1YOeIAIRbt5BPPjkj7BlgoUX',
    received_at: '2026-03-31T10:00:00.000Z',
    sender_file_id: '20260331T093000123Z_98Q96B.00000.LE.250.zip',
  },
  responses: { 200: { description: 'The declaration', schema: DeclarationResult } },
  async handle(context) {
    const ports = options.ports();
    const given = context.body as ReceiptGiven;
    const ask = {
      ...(await askOf(options, context)),
      ...placeOf(context),
      receivedAt: Date.parse(given.received_at) as EpochMs,
      senderFileId: given.sender_file_id,
      transmissionId: given.ides_transmission_id,
    };
    const { idempotency, reply } = kept<TaxDeclaration>(ports, context, {
      present: presentDeclaration,
      status: 200,
    });
    return reply(await noteReceipt(ports, ask, idempotency.idempotency));
  },
});

function notifying(options: DeclarationRouteOptions): Operation {
  const slots = new Slots(UPLOADS);
  return {
    ...CHANGING,
    bodyBytesMax: NOTIFICATION_PACKAGE_BYTES_MAX,
    id: 'receiveTaxNotification',
    path: '/v1/tcr/notifications',
    problems: [
      'blob-damaged',
      'channel-unknown',
      'deadline-exceeded',
      'engine-queue-full',
      'multipart-malformed',
      'notification-invalid',
      'package-signature-invalid',
      'package-undecryptable',
      'package-unreadable',
      'state-altered',
    ],
    summary: 'Receive an answer of an authority: it is opened, checked, and applied',
    description:
      'A package as IDES has it is taken only under the signature of who answers; a CRS status ' +
      'message is XML, and its entry says who brought it. One that comes twice is answered ' +
      'as the first time.',
    upload: {
      mediaType: 'multipart/form-data',
      receive: (context) =>
        slots.hold(context.tenantId, async () => {
          const { request } = context;
          const { file } = await readUploadForm<Buffer>(
            { bytes: request.bodyStream(), contentType: request.header('content-type') },
            { check: () => [], fields: [], fileField: 'file', take: gathered },
          );
          return { bodyDigest: sha256Hex(file), value: file };
        }),
      schema: NotificationForm,
    },
    responses: { 202: { description: 'What it has changed', schema: NotificationResult } },
    async handle(context) {
      const ports = options.ports();
      const { idempotency, reply } = kept<StoredNotification>(ports, context, {
        present: presentStored,
        status: 202,
      });
      const ask = {
        ...(await askOf(options, context)),
        by: readingBy(context),
        bytes: context.body as Buffer,
      };
      return reply(await receiveAnswer(ports, ask, idempotency.idempotency));
    },
  };
}
