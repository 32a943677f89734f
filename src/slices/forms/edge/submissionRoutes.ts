/** Submissions over HTTP: taken for a case, listed, and read whole. */
import { DomainError } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type FormSubmission,
  listSubmissions,
  type SubmissionPorts,
  submitForm,
  viewSubmission,
} from '#slices/forms';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentSubmission } from './presentation.ts';
import { CHANGING, FORM, type FormRouteOptions, placeOf, READING } from './routeOptions.ts';
import { actorOf } from './submissionParts.ts';
import {
  SubmissionBody,
  type SubmissionGiven,
  SubmissionResult,
  SubmissionsPage,
  SubmissionsQuery,
  SubmissionWhole,
} from './submissionSchemas.ts';

/** What the operations of submissions are made of. */
export interface SubmissionRouteOptions extends Pick<FormRouteOptions, 'cursors'> {
  readonly submissions: () => SubmissionPorts;
}

const PATH = `${FORM}/submissions`;

export const submissionOperations = (options: SubmissionRouteOptions): Operation[] => [
  submit(options),
  list(options),
  get(options),
];

const submit = (options: SubmissionRouteOptions): Operation => ({
  ...CHANGING,
  id: 'submitForm',
  session: 'live',
  method: 'POST',
  path: PATH,
  idempotency: 'required',
  problems: [
    'blob-damaged',
    'case-unknown',
    'consent-text-unknown',
    'form-unknown',
    'form-version-archived',
    'state-altered',
    'state-conflict',
    'subject-erased',
    'subject-invalid',
    'submission-invalid',
    'workflow-unknown',
  ],
  roles: roles.submit,
  scope: 'cases:write',
  summary: 'Take what a customer has filled in, whole or as a draft',
  description:
    'The server evaluates the form itself. Values of hidden fields are left out and named in ' +
    '`ignored_fields`. A whole form fills its case: members of the subject, consents, documents. ' +
    'A case has one draft of a form, which the whole one ends.',
  body: SubmissionBody,
  example: {
    case_id: '019a0b2c-7d4e-7000-8000-000000000000',
    data: { first_name: 'Amira', nationality: 'TN', tax_id: '1282182W' },
    locale: 'fr-TN',
  },
  responses: { 201: { description: 'What was taken, without values', schema: SubmissionResult } },
  async handle(context) {
    const ports = options.submissions();
    const { complete = true, ...given } = context.body as SubmissionGiven;
    const { ip, principal, tenantId } = context;
    const { session } = principal;
    const caseId = caseIn(given.case_id, session?.caseId);
    const answer = kept<FormSubmission>(ports, context, {
      present: presentSubmission,
      status: 201,
    });
    const made = await submitForm(
      ports,
      {
        ...answer.idempotency,
        actor: await actorOf(ports, principal),
        channel: session?.channel ?? 'api',
        formId: placeOf(context).formId,
        tenantId,
        ...(ip !== '' && { ip }),
        ...(session !== undefined && { pinned: session.versionId, sessionId: principal.id }),
      },
      {
        caseId,
        complete,
        data: given.data,
        locale: given.locale,
        ...(given.version !== undefined && { version: given.version }),
      },
    );
    return answer.reply(made);
  },
});

/** A session has a case of its own; who else sends a form names one. */
function caseIn(given: string | undefined, own: string | undefined): string {
  if (own !== undefined && given !== undefined && given.toLowerCase() !== own) {
    throw new DomainError('session-scope');
  }
  const caseId = own ?? given;
  if (caseId !== undefined) return caseId;
  const detail = 'case_id: expected the case that the form is for';
  const violations = [{ code: 'missing', detail, pointer: '/case_id' }];
  throw new DomainError('body-invalid', { detail, violations });
}

const list = (options: SubmissionRouteOptions): Operation => ({
  ...READING,
  id: 'listSubmissions',
  path: PATH,
  problems: ['form-unknown', 'state-altered'],
  roles: roles.submissions,
  scope: 'cases:read',
  summary: 'Whole submissions of a form, latest first, without values',
  query: SubmissionsQuery,
  responses: { 200: { description: 'A page of submissions', schema: SubmissionsPage } },
  async handle(context) {
    const { tenantId } = context;
    const { formId } = placeOf(context);
    const { cursor, limit = PAGE_LIMIT_DEFAULT } = context.query as {
      cursor?: string;
      limit?: number;
    };
    const scope = { filters: { formId }, list: 'listSubmissions', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const { hasMore, submissions } = await listSubmissions(options.submissions(), {
      formId,
      limit,
      tenantId,
      ...(position !== undefined && {
        after: { receivedAt: Number(position.key), submissionId: position.id },
      }),
    });
    const last = hasMore ? submissions.at(-1) : undefined;
    const next =
      last && options.cursors.encode(scope, { id: last.submissionId, key: last.receivedAt });
    const data = submissions.map(presentSubmission);
    return { body: { data, next_cursor: next ?? null }, status: 200 };
  },
});

const get = (options: SubmissionRouteOptions): Operation => ({
  ...READING,
  id: 'getSubmission',
  path: `${PATH}/{submission_id}`,
  problems: [
    'blob-damaged',
    'case-unknown',
    'state-altered',
    'state-conflict',
    'subject-erased',
    'submission-unknown',
    'workflow-unknown',
  ],
  roles: roles.submissions,
  scope: 'cases:read',
  summary: 'A submission with its values; that somebody read it is an entry',
  responses: { 200: { description: 'The submission', schema: SubmissionWhole } },
  async handle(context) {
    const ports = options.submissions();
    const { ip, params, principal, tenantId } = context;
    const { record, values } = await viewSubmission(ports, {
      actor: await actorOf(ports, principal),
      formId: placeOf(context).formId,
      submissionId: params.submission_id ?? '',
      tenantId,
      ...(ip !== '' && { ip }),
    });
    return { body: { ...presentSubmission(record), data: values }, status: 200 };
  },
});
