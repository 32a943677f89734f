/** Files of a report: attached, read and taken away. */
import { DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import {
  ATTACHMENT_BYTES_MAX,
  addAttachment,
  etagOf,
  type GivenFile,
  readAttachment,
  removeAttachment,
  requireEditable,
  requireKind,
  type StrReport,
  seeReport,
} from '#slices/str';
import { ifMatch } from '../../../api/etags.ts';
import { readUploadForm } from '../../../api/http/index.ts';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentChanged } from './presentation.ts';
import {
  answerChange,
  CHANGING,
  ONE_PATH,
  ONE_PROBLEMS,
  placeOf,
  READING,
  type StrRouteOptions,
  viewReport,
} from './routeOptions.ts';
import { AttachmentAdded, AttachmentForm } from './schemas.ts';

const FORM_BYTES_MAX = ATTACHMENT_BYTES_MAX + 64 * 1024;
const FILE_PATH = `${ONE_PATH}/attachments/{attachment_id}`;

export const attachmentOperations = (options: StrRouteOptions): Operation[] => [
  attach(options),
  get(options),
  remove(options),
];

const attach = (options: StrRouteOptions): Operation => {
  const { bodyBytesMax: _, ...attaching } = CHANGING;
  return {
    ...attaching,
    bodyBytesMax: FORM_BYTES_MAX,
    id: 'addStrAttachment',
    path: `${ONE_PATH}/attachments`,
    roles: roles.draft,
    problems: [
      ...ONE_PROBLEMS,
      'attachment-refused',
      'body-too-large',
      'role-insufficient',
      'str-content-invalid',
    ],
    summary: 'Attach a file; a validation that the report has is void after it',
    description: 'The kind is known by the first bytes, and the name has to say the same.',
    upload: {
      mediaType: 'multipart/form-data',
      receive: (context, { isAnswered }) =>
        options.slots.hold(context.tenantId, () => receive(options, context, isAnswered)),
      schema: AttachmentForm,
    },
    responses: { 201: { description: 'Its id', schema: AttachmentAdded } },
    async handle(context) {
      const ports = options.desk();
      const file = context.body as GivenFile;
      let attachmentId = '';
      const answer = kept(ports, context, {
        present: (report: StrReport) => ({
          ...presentChanged(report),
          attachment_id: attachmentId,
        }),
        status: 201,
      });
      const isExpected = ifMatch(context.request.header('if-match'));
      const { report } = await addAttachment(
        ports,
        {
          ...askedBy(context),
          ...placeOf(context),
          ...answer.idempotency,
          ...(isExpected !== undefined && { isExpected }),
        },
        file,
        (id) => {
          attachmentId = id;
        },
      );
      return { ...answer.reply(report), headers: [['etag', etagOf(report)]] };
    },
  };
};

/** Who may not attach anything is told so before the file is read. */
async function receive(
  { desk }: StrRouteOptions,
  context: OperationContext,
  isAnswered: boolean,
): Promise<{ readonly bodyDigest: string; readonly value: GivenFile }> {
  const { request } = context;
  if (!isAnswered) {
    requireEditable(await seeReport(desk(), { ...placeOf(context), principal: context.principal }));
  }
  const form = await readUploadForm(
    { bytes: request.bodyStream(), contentType: request.header('content-type') },
    { check: () => [], fields: [], fileField: 'file', take: takeAll },
  );
  const { file: bytes, fileName = '' } = form;
  const value = { bytes, fileName };
  if (!isAnswered) requireKind(value);
  return { bodyDigest: sha256Hex(JSON.stringify([fileName, sha256Hex(bytes)])), value };
}

async function takeAll(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > ATTACHMENT_BYTES_MAX) {
      const detail = `file: expected at most ${ATTACHMENT_BYTES_MAX} bytes`;
      throw new DomainError('body-too-large', { detail });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const get = (options: StrRouteOptions): Operation => ({
  ...READING,
  id: 'getStrAttachment',
  path: FILE_PATH,
  problems: [...ONE_PROBLEMS, 'not-found'],
  summary: 'A file of a report; that it was read is an entry',
  responses: { 200: { description: 'The file', files: ['application/octet-stream'] } },
  async handle(context) {
    const ports = options.desk();
    const seen = await viewReport(ports, context, 'attachment');
    const id = context.params.attachment_id ?? '';
    const { attachment, bytes } = await readAttachment(ports, seen, id);
    return {
      body: bytes,
      headers: [
        ['content-type', attachment.media_type],
        ['content-disposition', `attachment; filename="${attachment.attachment_id}"`],
        ['etag', `"${attachment.sha256}"`],
      ],
      status: 200,
    };
  },
});

const remove = (options: StrRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: 0,
  id: 'removeStrAttachment',
  idempotency: 'none',
  method: 'DELETE',
  path: FILE_PATH,
  roles: roles.draft,
  problems: [...ONE_PROBLEMS, 'not-found', 'role-insufficient'],
  summary: 'Take a file away; a validation that the report has is void after it',
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) =>
        removeAttachment(ports, { ...ask, attachmentId: context.params.attachment_id ?? '' }),
    }),
});
