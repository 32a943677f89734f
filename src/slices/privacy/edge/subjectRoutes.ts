/** What a subject has asked for that stops processing, over HTTP (interface.md 2.15, 4.5). */
import type { Static } from 'typebox';
import { changeFlags, type SubjectFlag } from '#slices/privacy';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { actorOf } from './actorOf.ts';
import { etagOf, presentFlags } from './presentation.ts';
import { BODY_BYTES_MAX, COMMON, expectedBy, type PrivacyRouteOptions } from './routeOptions.ts';
import { FlagsBody, SubjectResult } from './schemas.ts';

const PATH = '/v1/privacy/subject/{external_ref}';

export const subjectRoutes = (options: PrivacyRouteOptions): Operation[] => [
  get(options),
  change(options),
];

const get = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: 0,
  description:
    '`external_ref` is your own id of the subject. One who has asked for nothing has no flags.',
  id: 'getSubjectFlags',
  idempotency: 'none',
  method: 'GET',
  path: PATH,
  problems: ['state-altered'],
  responses: { 200: { description: 'The flags', schema: SubjectResult } },
  roles: roles.read,
  scope: 'privacy:read',
  summary: 'What a subject has restricted or opposed',
  async handle({ params, tenantId }) {
    const subjectRef = params.external_ref ?? '';
    const flag = await options.ports.signed.flagOf({ subjectRef, tenantId });
    const headers = [['etag', etagOf(flag?.version ?? 0)] as const];
    return { body: presentFlags(subjectRef, flag), headers, status: 200 };
  },
});

const change = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  body: FlagsBody,
  bodyBytesMax: BODY_BYTES_MAX,
  conditions: 'version',
  description:
    'Legal duties go on: screening, monitoring, reports, audit. Interests and consents stop ' +
    '(docs/privacy.md has every purpose). An absent flag stays as it is.',
  example: { flags: { processing_restricted: true }, reason: 'Letter of 12 January' },
  id: 'changeSubject',
  idempotency: 'required',
  method: 'PATCH',
  path: PATH,
  problems: ['privacy-request-invalid', 'state-altered'],
  responses: { 200: { description: 'The flags as they became', schema: SubjectResult } },
  roles: roles.ask,
  scope: 'privacy:write',
  summary: 'Restrict or oppose the processing of a subject, or end that',
  async handle(context) {
    const { identity, ports } = options;
    const { flags, reason } = context.body as Static<typeof FlagsBody>;
    const subjectRef = context.params.external_ref ?? '';
    const answer = kept(ports, context, {
      present: (flag: SubjectFlag) => presentFlags(subjectRef, flag),
      status: 200,
    });
    const { opposed, processing_restricted: processingRestricted } = flags;
    const ask = {
      by: await actorOf({ identity }, context),
      reason,
      subjectRef,
      ...(opposed !== undefined && { opposed }),
      ...(processingRestricted !== undefined && { processingRestricted }),
      ...expectedBy(context),
    };
    const flag = await changeFlags(ports, ask, answer.idempotency.idempotency);
    return { ...answer.reply(flag), headers: [['etag', etagOf(flag.version)] as const] };
  },
});
