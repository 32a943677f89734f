/**
 * What a subject has asked for that stops processing, and what is put right about them, over HTTP
 * (interface.md 2.15, 4.5).
 */
import type { Static } from 'typebox';
import { DomainError } from '#core/kernel';
import {
  decideRectification,
  type Rectified,
  type RectifyAsk,
  rectify,
  requireReason,
  waitingChanges,
} from '#slices/customers';
import { changeFlags, type SubjectFlag, shownFlag } from '#slices/privacy';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext, OperationReply } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { actorOf } from './actorOf.ts';
import { requireShape } from './correctedShape.ts';
import { etagOf, presentChange, presentFlags, presentRectified } from './presentation.ts';
import { BODY_BYTES_MAX, COMMON, expectedBy, type PrivacyRouteOptions } from './routeOptions.ts';
import {
  ChangeDecisionBody,
  ChangesResult,
  RectifiedResult,
  SubjectPatchBody,
  SubjectPatchResult,
  SubjectResult,
} from './schemas.ts';

const PATH = '/v1/privacy/subject/{external_ref}';

export const subjectRoutes = (options: PrivacyRouteOptions): Operation[] => [
  get(options),
  change(options),
  listChanges(options),
  decideChange(options),
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
    const flag = await shownFlag(options.ports, { subjectRef, tenantId });
    const headers = [['etag', etagOf(flag?.version ?? 0)] as const];
    return { body: presentFlags(subjectRef, flag), headers, status: 200 };
  },
});

const change = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  body: SubjectPatchBody,
  bodyBytesMax: BODY_BYTES_MAX,
  conditions: 'version',
  description:
    '`flags`: legal duties go on: screening, monitoring, reports, audit. Interests and consents ' +
    'stop (docs/privacy.md has every purpose). An absent flag stays as it is. `changes`: contact ' +
    'data is corrected at once, in every case of the customer; who they are waits for another ' +
    'registered person, and the case in force is then checked anew.',
  example: { changes: { email: 'amira@example.org' }, reason: 'Letter of 12 January' },
  id: 'changeSubject',
  idempotency: 'required',
  method: 'PATCH',
  path: PATH,
  problems: [
    'body-invalid',
    'person-required',
    'privacy-request-invalid',
    'reason-required',
    'state-altered',
    'state-conflict',
    'subject-erased',
    'subject-invalid',
    'subject-unknown',
  ],
  responses: { 200: { description: 'The subject as it became', schema: SubjectPatchResult } },
  roles: roles.ask,
  scope: 'privacy:write',
  summary: 'Restrict or oppose the processing of a subject, or put right what is wrong of them',
  async handle(context) {
    const { ports } = options;
    const body = context.body as PatchBody;
    const { changes, flags, reason } = body;
    if (flags === undefined && changes === undefined) throw nothingAsked();
    if (changes !== undefined) requireReason({ reason });
    const by = await actorOf(options, context);
    const subjectRef = context.params.external_ref ?? '';
    const before = await shownFlag(ports, { subjectRef, tenantId: by.tenantId });
    requireVersion(context, before);
    let rectified = NOTHING;
    if (changes !== undefined) {
      const answer = kept(ports, context, {
        present: (of: Rectified) => ({
          ...presentFlags(subjectRef, before),
          ...presentRectified(of),
        }),
        status: 200,
      });
      const keep = flags === undefined ? answer.idempotency.idempotency : undefined;
      const asked = { ...correctionIn(body), changes };
      const done = await rectify(options.cases(), askOf(by, subjectRef), asked, keep);
      if (flags === undefined) return withVersion(answer.reply(done), before);
      rectified = presentRectified(done);
    }
    // Repeated after a crash in between, what was corrected is so already.
    const answer = kept(ports, context, {
      present: (flag: SubjectFlag) => ({ ...presentFlags(subjectRef, flag), ...rectified }),
      status: 200,
    });
    const ask = { by, reason, subjectRef, ...flagsIn(body), ...expectedBy(context) };
    const flag = await changeFlags(ports, ask, answer.idempotency.idempotency);
    return withVersion(answer.reply(flag), flag);
  },
});

type PatchBody = Static<typeof SubjectPatchBody>;

const correctionIn = ({ evidence_document_id: evidenceDocumentId, reason }: PatchBody) => ({
  reason,
  requireShape,
  ...(evidenceDocumentId !== undefined && { evidenceDocumentId }),
});

function flagsIn({ flags = {} }: PatchBody) {
  const { opposed, processing_restricted: processingRestricted } = flags;
  return {
    ...(opposed !== undefined && { opposed }),
    ...(processingRestricted !== undefined && { processingRestricted }),
  };
}

const withVersion = (reply: OperationReply, flag: SubjectFlag | undefined): OperationReply => ({
  ...reply,
  headers: [['etag', etagOf(flag?.version ?? 0)]],
});

const NOTHING = presentRectified({ applied: [], waiting: [] });

function nothingAsked(): DomainError {
  const detail = 'expected `changes`, `flags` or both';
  const violations = [{ code: 'missing', detail, pointer: '/changes' }];
  return new DomainError('body-invalid', { detail, violations });
}

/** Throws `precondition-failed` where the caller means another version of the flags. */
function requireVersion(context: OperationContext, flag: SubjectFlag | undefined): void {
  if (expectedBy(context)?.isExpected(flag?.version ?? 0) !== false) return;
  throw new DomainError('precondition-failed');
}

const askOf = (
  { actor, ip, tenantId }: Awaited<ReturnType<typeof actorOf>>,
  externalRef: string,
): RectifyAsk => ({ actor, externalRef, tenantId, ...(ip !== undefined && { ip }) });

const listChanges = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: 0,
  id: 'listSubjectChanges',
  idempotency: 'none',
  method: 'GET',
  path: `${PATH}/changes`,
  problems: ['state-altered', 'subject-erased', 'subject-unknown'],
  responses: { 200: { description: 'Corrections, the oldest first', schema: ChangesResult } },
  roles: roles.decideChange,
  scope: 'privacy:read',
  summary: 'Corrections of a subject that wait for a second person',
  async handle({ params, tenantId }) {
    const externalRef = params.external_ref ?? '';
    const found = await waitingChanges(options.cases(), { externalRef, tenantId });
    const data = found.map((one) => ({
      ...presentChange(one),
      former: one.former,
      reason: one.reason,
      value: one.value,
    }));
    return { body: { data }, status: 200 };
  },
});

const decideChange = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  body: ChangeDecisionBody,
  bodyBytesMax: BODY_BYTES_MAX,
  description:
    'Who asked for it may take it back by declining. An approved one is in every case at once; a ' +
    'decided case is looked at again, and what was decided stays in force meanwhile.',
  example: { comment: 'Seen on the new passport', decision: 'approve' },
  id: 'decideSubjectChange',
  idempotency: 'required',
  method: 'POST',
  path: `${PATH}/changes/{change_id}`,
  problems: [
    'case-open-exists',
    'case-unknown',
    'dual-control-same-person',
    'person-required',
    'reason-required',
    'state-altered',
    'state-conflict',
    'subject-erased',
    'subject-invalid',
    'subject-unknown',
  ],
  responses: { 200: { description: 'What has become of it', schema: RectifiedResult } },
  roles: roles.decideChange,
  scope: 'privacy:write',
  summary: 'Approve, or decline, a correction of who a subject is',
  async handle(context) {
    const { comment = '', decision } = context.body as Static<typeof ChangeDecisionBody>;
    const isApproved = decision === 'approve';
    if (!isApproved) requireReason({ reason: comment });
    const { change_id: changeId = '', external_ref: externalRef = '' } = context.params;
    const answer = kept(options.ports, context, { present: presentRectified, status: 200 });
    const by = await actorOf(options, context);
    const done = await decideRectification(
      options.cases(),
      askOf(by, externalRef),
      { changeId, comment, isApproved },
      answer.idempotency.idempotency,
    );
    return answer.reply(done);
  },
});
