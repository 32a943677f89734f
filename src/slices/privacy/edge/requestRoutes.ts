/** Requests over HTTP: taken in, and seen (interface.md 4.5). */

import type { EpochMs } from '#platform/clock';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import { readRequests, receiveRequest, shownRequest } from '#slices/privacy';
import { instantOf } from '../../../api/instants.ts';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { actorOf } from './actorOf.ts';
import { presentReceived, presentRequest, requestEtag } from './presentation.ts';
import { BODY_BYTES_MAX, COMMON, type PrivacyRouteOptions } from './routeOptions.ts';
import {
  RequestBody,
  RequestReceived,
  RequestResult,
  RequestsPage,
  RequestsQuery,
} from './schemas.ts';

const PATH = '/v1/privacy/dsar';
const READING = {
  ...COMMON,
  bodyBytesMax: 0,
  idempotency: 'none',
  method: 'GET',
  roles: roles.read,
  scope: 'privacy:read',
} as const;

export const requestRoutes = (options: PrivacyRouteOptions): Operation[] => [
  receive(options),
  list(options),
  get(options),
];

const receive = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: BODY_BYTES_MAX,
  body: RequestBody,
  description:
    'A request about a subject of whom nothing is held is taken in, too: that is then the ' +
    'answer. It is due thirty days after the person asked.',
  example: {
    action: 'export',
    identity: { method: 'in_person' },
    requester: { relation: 'self' },
    subject: { external_ref: 'C-1042' },
  },
  id: 'requestPersonalData',
  idempotency: 'required',
  method: 'POST',
  path: PATH,
  problems: ['privacy-request-invalid'],
  responses: { 202: { description: 'Received', schema: RequestReceived } },
  roles: roles.ask,
  scope: 'privacy:write',
  summary: 'Ask for the data of a person, or its erasure',
  async handle(context) {
    const { identity, ports } = options;
    const body = context.body as RequestBody;
    const { case_id: caseId, external_ref: subjectRef, subject_id: subjectId } = body.subject;
    const answer = kept(ports, context, { present: presentReceived, status: 202 });
    const { contact, relation } = body.requester;
    const { evidence, method } = body.identity;
    const request = await receiveRequest(
      ports,
      {
        action: body.action,
        by: await actorOf({ identity }, context),
        identity: { method, ...(evidence !== undefined && { evidence }) },
        locale: body.locale ?? 'fr',
        requester: { relation, ...(contact !== undefined && { contact }) },
        subject: {
          ...(caseId !== undefined && { caseId }),
          ...(subjectId !== undefined && { subjectId }),
          ...(subjectRef !== undefined && { subjectRef }),
        },
        ...(body.note !== undefined && { note: body.note }),
        ...(body.requested_at !== undefined && {
          requestedAt: instantOf(body.requested_at, '/requested_at'),
        }),
      },
      answer.idempotency.idempotency,
    );
    return answer.reply(request);
  },
});

const list = (options: PrivacyRouteOptions): Operation => ({
  ...READING,
  id: 'listPrivacyRequests',
  path: PATH,
  problems: ['state-altered'],
  query: RequestsQuery,
  responses: { 200: { description: 'A page of requests', schema: RequestsPage } },
  summary: 'Requests about personal data, latest first',
  async handle({ query, tenantId }) {
    const { cursors, ports } = options;
    const asked = query as Readonly<Record<string, never>>;
    const { cursor, limit = PAGE_LIMIT_DEFAULT, status } = asked;
    const filters = status === undefined ? {} : { status };
    const scope = { filters, list: 'listPrivacyRequests', tenantId };
    const position = cursor === undefined ? undefined : cursors.decode(scope, cursor);
    const now = ports.clock.now();
    const { next, requests } = await readRequests(ports, {
      ...filters,
      limit,
      tenantId,
      ...(position !== undefined && {
        after: { receivedAt: Number(position.key) as EpochMs, requestId: position.id },
      }),
    });
    const behind = next && cursors.encode(scope, { id: next.requestId, key: next.receivedAt });
    const shown = await Promise.all(requests.map((one) => shownRequest(ports, one)));
    const data = shown.map((request) => presentRequest(request, now));
    return { body: { data, next_cursor: behind ?? null }, status: 200 };
  },
});

const get = (options: PrivacyRouteOptions): Operation => ({
  ...READING,
  id: 'getPrivacyRequest',
  path: `${PATH}/{request_id}`,
  problems: ['privacy-request-unknown', 'state-altered'],
  responses: { 200: { description: 'The request', schema: RequestResult } },
  summary: 'One request about personal data',
  async handle({ params, tenantId }) {
    const { ports } = options;
    const requestId = params.request_id ?? '';
    const found = await ports.signed.requireRequest({ requestId, tenantId });
    const request = await shownRequest(ports, found);
    const headers = [['etag', requestEtag(request)] as const];
    return { body: presentRequest(request, ports.clock.now()), headers, status: 200 };
  },
});
