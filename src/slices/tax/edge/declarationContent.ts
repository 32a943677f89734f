/** What a declaration consists of over HTTP: its findings, its records in error, and its XML. */
import { entry } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  declarationTarget,
  findDeclaration,
  openMessage,
  readFindings,
  recordErrorsOf,
} from '#slices/tax';
import { blobReply } from '../../../api/blobReply.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { askOf, readingBy } from './asker.ts';
import {
  FindingsResult,
  type RecordsGiven,
  RecordsQuery,
  RecordsResult,
  XmlQuery,
} from './declarationSchemas.ts';
import type { DeclarationRouteOptions } from './declarations.ts';
import { presentRecordError } from './presentation.ts';

const PATH = '/v1/tcr/declarations/{declaration_id}';
const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  scope: 'tcr:read',
  tag: 'TCR',
} as const;

export const declarationContentOperations = (options: DeclarationRouteOptions): Operation[] => [
  findings(options),
  records(options),
  xml(options),
];

const placeOf = ({ params, tenantId }: OperationContext) => ({
  declarationId: params.declaration_id ?? '',
  tenantId,
});

const findings = (options: DeclarationRouteOptions): Operation => ({
  ...READING,
  id: 'getDeclarationFindings',
  path: `${PATH}/findings`,
  problems: ['blob-damaged', 'declaration-unknown', 'state-altered'],
  summary: 'What its generation has found, by account and pointer',
  responses: { 200: { description: 'The findings', schema: FindingsResult } },
  async handle(context) {
    const ports = options.ports();
    const declaration = await findDeclaration(ports, placeOf(context));
    const found = await readFindings(ports, declaration);
    const data = found.map(({ accountRef = null, ...one }) => ({
      account_ref: accountRef,
      ...one,
    }));
    const { errorsCount, warningsCount } = declaration;
    const body = { data, errors_count: errorsCount, warnings_count: warningsCount };
    return { body, status: 200 };
  },
});

const records = (options: DeclarationRouteOptions): Operation => ({
  ...READING,
  id: 'getDeclarationRecords',
  path: `${PATH}/records`,
  roles: roles.readXml,
  problems: [
    'blob-damaged',
    'deadline-exceeded',
    'declaration-unknown',
    'engine-queue-full',
    'state-altered',
  ],
  summary: 'Records that the authority has found wrong, with the fields that it names',
  query: RecordsQuery,
  responses: { 200: { description: 'A page of the records', schema: RecordsResult } },
  async handle(context) {
    const { tenantId } = context;
    const { cursor, limit = PAGE_LIMIT_DEFAULT } = context.query as RecordsGiven;
    const place = placeOf(context);
    const scope = { filters: { of: place.declarationId }, list: 'getDeclarationRecords', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const page = await pageOfErrors(options, context, {
      from: Number(position?.id ?? 0),
      limit,
      messageNo: Number(position?.key ?? 1),
    });
    const { next } = page;
    const behind =
      next === undefined
        ? null
        : options.cursors.encode(scope, { id: String(next.from), key: String(next.messageNo) });
    return { body: { data: page.data, next_cursor: behind }, status: 200 };
  },
});

/** A place among the records in error of a declaration. */
interface ErrorPlace {
  readonly messageNo: number;
  readonly from: number;
}

/** One message at a time: each is read out of its own answer. */
async function pageOfErrors(
  options: DeclarationRouteOptions,
  context: OperationContext,
  { from, limit, messageNo }: ErrorPlace & { readonly limit: number },
): Promise<{ readonly data: readonly object[]; readonly next?: ErrorPlace }> {
  const ports = options.ports();
  const declaration = await findDeclaration(ports, placeOf(context));
  const left = declaration.messages.filter(
    (one) => one.messageNo >= messageNo && (one.filing?.recordErrors ?? 0) > 0,
  );
  const [message, another] = left;
  if (message === undefined) return { data: [] };
  const first = message.messageNo === messageNo ? from : 0;
  const wanted = { by: readingBy(context), from: first, limit };
  const { errors, total } = await recordErrorsOf(ports, declaration, message.filing, wanted);
  const data = errors.map((error) => ({
    message_no: message.messageNo,
    message_ref_id: message.messageRefId,
    ...presentRecordError(error),
  }));
  const end = first + errors.length;
  if (end < total) return { data, next: { from: end, messageNo: message.messageNo } };
  return another === undefined
    ? { data }
    : { data, next: { from: 0, messageNo: another.messageNo } };
}

const xml = (options: DeclarationRouteOptions): Operation => ({
  ...READING,
  id: 'getDeclarationXml',
  path: `${PATH}/xml`,
  roles: roles.readXml,
  conditions: 'file',
  problems: ['blob-damaged', 'declaration-unknown', 'not-found', 'state-altered', 'xml-not-ready'],
  summary: 'The XML of a message; that it was read is an entry',
  query: XmlQuery,
  responses: {
    200: { description: 'The file', files: ['application/xml'] },
    206: { description: 'The bytes of the file that Range asked for', files: ['application/xml'] },
    304: { description: 'The file is the one that If-None-Match names' },
  },
  async handle(context) {
    const ports = options.ports();
    const declaration = await findDeclaration(ports, placeOf(context));
    const { message: no = '1' } = context.query as { readonly message?: string };
    if (declaration.messages.length === 0) throw new DomainError('xml-not-ready');
    const message = declaration.messages.find(({ messageNo }) => messageNo === Number(no));
    if (message === undefined) throw new DomainError('not-found', { detail: 'no such message' });
    const { actor, ip } = await askOf(options, context);
    const read = entry(ports, {
      action: 'tcr.declaration.xml_read',
      actor,
      members: { message_no: message.messageNo, xml_sha256: message.sha256 },
      target: declarationTarget(declaration),
      ...(ip !== undefined && { ip }),
    });
    await ports.commit(chainOf(context.tenantId), { bus: [], changes: [], events: [read] });
    const served = {
      open: () => openMessage(ports, declaration, message),
      size: async () => message.bytes,
    };
    return blobReply(served, context.request, {
      address: message.sha256,
      contentType: 'application/xml',
      fileName: `${declaration.reference}-${message.messageNo}.xml`,
    });
  },
});
