/** What people decide about requests, over HTTP (customers.md 5.1). */
import type { Static } from 'typebox';
import { approve as approveAny, extendRequest, noteIdentity, refuseRequest } from '#slices/privacy';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { BODY_BYTES_MAX, COMMON, type PrivacyRouteOptions, step } from './routeOptions.ts';
import { ExtendBody, IdentityBody, RefuseBody, RequestResult } from './schemas.ts';

const ONE = '/v1/privacy/dsar/{request_id}';
const DECIDING = {
  ...COMMON,
  bodyBytesMax: BODY_BYTES_MAX,
  conditions: 'version',
  idempotency: 'required',
  method: 'POST',
  responses: { 200: { description: 'The request as it became', schema: RequestResult } },
  roles: roles.decide,
  scope: 'privacy:write',
} as const;
const PROBLEMS = [
  'privacy-request-invalid',
  'privacy-request-state',
  'privacy-request-unknown',
  'state-altered',
] as const;

export const decisionRoutes = (options: PrivacyRouteOptions): Operation[] => [
  identity(options),
  approve(options),
  extend(options),
  refuse(options),
];

const identity = (options: PrivacyRouteOptions): Operation => ({
  ...DECIDING,
  body: IdentityBody,
  description: 'Until it is proven nothing is done for the request, and its deadline runs on.',
  example: { verified: true },
  id: 'checkRequesterIdentity',
  path: `${ONE}/identity`,
  problems: [...PROBLEMS, 'person-required'],
  summary: 'Say whether the requester has proved who he is',
  handle(context) {
    const { method, verified } = context.body as Static<typeof IdentityBody>;
    return step(options, context, (ask, idempotency) =>
      noteIdentity(
        options.ports,
        { ...ask, isProven: verified, ...(method !== undefined && { method }) },
        idempotency,
      ),
    );
  },
});

const approve = (options: PrivacyRouteOptions): Operation => ({
  ...DECIDING,
  bodyBytesMax: 0,
  description:
    'The archive may be given to the person from then on, for thirty days. An erasure is ' +
    'approved by another registered person than who took it in, by the `plan` of the request, ' +
    'and is carried out by a worker. A request for correction is answered by it, once no ' +
    'correction of the subject waits.',
  id: 'approvePrivacyRequest',
  path: `${ONE}/approve`,
  problems: [...PROBLEMS, 'person-required', 'privacy-plan-stale', 'privacy-same-person'],
  summary: 'Approve what is given to the person, or the erasure',
  async handle(context) {
    const answer = await step(options, context, (ask, idempotency) =>
      approveAny(options.ports, ask, idempotency),
    );
    options.wake('privacy', context.params.request_id ?? '');
    return answer;
  },
});

const extend = (options: PrivacyRouteOptions): Operation => ({
  ...DECIDING,
  body: ExtendBody,
  description: 'By two calendar months, once, and before the deadline.',
  example: {
    reason: 'Four archives of paper files have to be read and redacted for other persons.',
  },
  id: 'extendPrivacyRequest',
  path: `${ONE}/extend`,
  problems: PROBLEMS,
  summary: 'Extend the deadline of a complex request',
  handle(context) {
    const { reason } = context.body as Static<typeof ExtendBody>;
    return step(options, context, (ask, idempotency) =>
      extendRequest(options.ports, { ...ask, reason }, idempotency),
    );
  },
});

const refuse = (options: PrivacyRouteOptions): Operation => ({
  ...DECIDING,
  body: RefuseBody,
  example: { ground: 'identity_unproven', text: 'No proof of identity came in.' },
  id: 'refusePrivacyRequest',
  path: `${ONE}/refuse`,
  problems: PROBLEMS,
  summary: 'Refuse a request, on a ground of the law',
  handle(context) {
    const { ground, text } = context.body as Static<typeof RefuseBody>;
    return step(options, context, (ask, idempotency) =>
      refuseRequest(options.ports, { ...ask, ground, text }, idempotency),
    );
  },
});
