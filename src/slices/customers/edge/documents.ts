/** Documents over HTTP (interface.md 4.1): uploaded, shown and given out. */
import { DomainError, type Violation } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import {
  addDocument,
  DOCUMENT_KINDS,
  type DocumentAsk,
  type DocumentKind,
  type DocumentRecord,
  type DocumentViewPorts,
  downloadDocument,
  type GivenDocument,
  requireCase,
  requireDigest,
  requireRoom,
  saidFaults,
  type UploaderSays,
  viewDocument,
  ZONE_CHARS_MAX,
} from '#slices/customers';
import { DOCUMENT_BYTES_MAX, inspectMedia } from '#slices/recognition';
import { readUploadForm } from '../../../api/http/index.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentDocument, presentUpload } from './documentPresentation.ts';
import { DocumentForm, DocumentResult, DocumentStored } from './documentSchemas.ts';
import { actorOf } from './parts.ts';
import {
  answerChange,
  type CaseRouteOptions,
  CHANGE_PROBLEMS,
  changing,
  ONE_PATH,
  ONE_PROBLEMS,
  placeOf,
  READING,
} from './routeOptions.ts';

/** What the operations of documents are made of. */
export interface DocumentRouteOptions extends CaseRouteOptions {
  readonly documents: () => DocumentViewPorts;
}

/** A form has some bytes beside its file. */
const FORM_BYTES_MAX = DOCUMENT_BYTES_MAX + 64 * 1024;
const DOCUMENTS = `${ONE_PATH}/documents`;
const ONE_DOCUMENT = `${DOCUMENTS}/{document_id}`;
const FIELDS = ['kind', 'mrz', 'issuing_country', 'expires_on', 'sha256'] as const;
const DIGEST = /^[0-9a-f]{64}$/;

export const documentOperations = (options: DocumentRouteOptions): Operation[] => [
  upload(options),
  get(options),
  content(options),
];

const upload = (options: DocumentRouteOptions): Operation => {
  const { bodyBytesMax: _, ...storing } = changing(options);
  return {
    ...storing,
    bodyBytesMax: FORM_BYTES_MAX,
    id: 'uploadDocument',
    limits: 'documents',
    session: 'live',
    path: DOCUMENTS,
    problems: [...CHANGE_PROBLEMS, 'body-too-large', 'document-invalid', 'documents-full'],
    summary: 'Store a document of a case; it is scanned and read by a worker',
    description:
      'JPEG, PNG or PDF, known by the first bytes. A newer document of a kind stands for the ' +
      'older. `mrz`, `issuing_country` and `expires_on` are hints: no check passes by them.',
    upload: {
      mediaType: 'multipart/form-data',
      receive: (context, { isAnswered }) =>
        options.slots.hold(context.tenantId, () => receive(options, context, isAnswered)),
      schema: DocumentForm,
    },
    responses: { 201: { description: 'The document', schema: DocumentStored } },
    handle(context) {
      let stored: DocumentRecord | undefined;
      return answerChange(options, context, {
        change: async (ports, ask) => {
          const given = context.body as GivenDocument;
          const { record } = await addDocument(ports, ask, given, (document) => {
            stored = document;
          });
          return record;
        },
        headers: () => [['location', `${pathOf(context)}/${stored?.documentId ?? ''}`]],
        present: () => {
          if (stored !== undefined) return presentUpload(stored);
          throw new DomainError('internal', { detail: 'no document was stored' });
        },
        status: 201,
      });
    },
  };
};

const pathOf = ({ params }: OperationContext): string =>
  DOCUMENTS.replace('{case_id}', params.case_id ?? '');

/** Who may not upload anything is told so before the file is read. */
async function receive(
  { ports }: DocumentRouteOptions,
  context: OperationContext,
  isAnswered: boolean,
): Promise<{ readonly bodyDigest: string; readonly value: GivenDocument | undefined }> {
  const { request } = context;
  if (!isAnswered) requireRoom(await requireCase(ports(), placeOf(context)));
  const today = new Date(ports().clock.now()).toISOString().slice(0, 10);
  const { fields, file } = await readUploadForm(
    { bytes: request.bodyStream(), contentType: request.header('content-type') },
    { check: (given) => faultsOf(given, today), fields: FIELDS, fileField: 'file', take: takeAll },
  );
  const texts = FIELDS.map((name) => fields.get(name) ?? '');
  const bodyDigest = sha256Hex(JSON.stringify([...texts, sha256Hex(file)]));
  if (isAnswered) return { bodyDigest, value: undefined };
  requireDigest(file, given(fields, 'sha256'));
  const media = await inspectMedia(file);
  const kind = fields.get('kind') as DocumentKind;
  return { bodyDigest, value: { bytes: file, kind, media, said: saidIn(fields) } };
}

type Field = (typeof FIELDS)[number];

/** An empty part of a form is one that was left out. */
const given = (fields: ReadonlyMap<string, string>, name: Field): string | undefined =>
  fields.get(name) || undefined;

function saidIn(fields: ReadonlyMap<string, string>): UploaderSays {
  const names = ['expires_on', 'issuing_country', 'mrz'] as const;
  const members = names.map((name) => [name, given(fields, name)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function faultsOf(fields: ReadonlyMap<string, string>, today: string): readonly Violation[] {
  const kind = given(fields, 'kind');
  const said = saidIn(fields);
  const sha256 = given(fields, 'sha256');
  const violations: Violation[] = [];
  const refuse = (name: string, code: string, detail: string) =>
    violations.push({ code, detail: `${name}: ${detail}`, pointer: `/${name}` });
  if (!DOCUMENT_KINDS.some((one) => one === kind)) {
    const code = kind === undefined ? 'missing' : 'format';
    refuse('kind', code, `expected one of ${DOCUMENT_KINDS.join(', ')}`);
  }
  if (sha256 !== undefined && !DIGEST.test(sha256)) {
    refuse('sha256', 'format', 'expected a digest of 64 hex digits');
  }
  if ((said.mrz?.length ?? 0) > ZONE_CHARS_MAX) {
    refuse('mrz', 'too-long', `expected at most ${ZONE_CHARS_MAX} characters`);
    return violations;
  }
  for (const [name, detail] of saidFaults(said, today)) refuse(name, 'format', detail);
  return violations;
}

async function takeAll(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > DOCUMENT_BYTES_MAX) {
      const detail = `file: expected at most ${DOCUMENT_BYTES_MAX} bytes`;
      throw new DomainError('body-too-large', { detail });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const get = (options: DocumentRouteOptions): Operation => ({
  ...READING,
  id: 'getDocument',
  path: ONE_DOCUMENT,
  problems: ONE_PROBLEMS,
  roles: roles.documents,
  summary: 'A document and what was read in it; that a person looked is an entry',
  responses: { 200: { description: 'The document', schema: DocumentResult } },
  async handle(context) {
    const ports = options.documents();
    const by = await actorOf(ports, context.principal);
    const seen = await viewDocument(ports, { ...askOf(context), ...by });
    return { body: presentDocument(seen), status: 200 };
  },
});

const content = (options: DocumentRouteOptions): Operation => ({
  ...READING,
  id: 'getDocumentContent',
  path: `${ONE_DOCUMENT}/content`,
  problems: [...ONE_PROBLEMS, 'document-withheld', 'state-conflict'],
  roles: roles.documents,
  summary: 'The bytes of a document, as an attachment; each time is an entry',
  responses: { 200: { description: 'The file', files: ['application/octet-stream'] } },
  async handle(context) {
    const ports = options.documents();
    const { actor } = await actorOf(ports, context.principal);
    const { bytes, document } = await downloadDocument(ports, { ...askOf(context), actor });
    return {
      body: bytes,
      headers: [
        ['content-type', document.mediaType],
        ['content-disposition', `attachment; filename="${document.documentId}"`],
        ['content-security-policy', "default-src 'none'; sandbox"],
        ['cache-control', 'no-store'],
        ['etag', `"${document.sha256}"`],
      ],
      status: 200,
    };
  },
});

const askOf = (context: OperationContext): Omit<DocumentAsk, 'actor'> => ({
  ...placeOf(context),
  documentId: context.params.document_id ?? '',
  ...(context.ip !== '' && { ip: context.ip }),
});
