/** Cases over HTTP: opened, listed, read, changed; and what customers agree to. */
import type { Role } from '#core/identity';
import { DomainError } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  CASE_BYTES_MAX,
  type CasePatch,
  type CaseRecord,
  type CreateCase,
  createCase,
  etagOf,
  type GivenConsent,
  listCases,
  patchCase,
  readContent,
  recordConsent,
  viewCase,
} from '#slices/customers';
import { instantOf } from '../../../api/instants.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { actorOf } from './parts.ts';
import { presentRow } from './presentation.ts';
import {
  answerChange,
  type CaseRouteOptions,
  CHANGE_PROBLEMS,
  changing,
  ONE_PATH,
  ONE_PROBLEMS,
  PATH,
  placeOf,
  READING,
  wholeOf,
} from './routeOptions.ts';
import {
  CaseResult,
  CasesPage,
  CasesQuery,
  ConsentBody,
  ConsentResult,
  CreateBody,
  PatchBody,
} from './schemas.ts';
import { requireShape } from './subjectSchemas.ts';

export const caseOperations = (options: CaseRouteOptions): Operation[] => [
  create(options),
  list(options),
  get(options),
  patch(options),
  consent(options),
];

const create = (options: CaseRouteOptions): Operation => {
  const { conditions: _, ...creating } = changing(options);
  return {
    ...creating,
    bodyBytesMax: CASE_BYTES_MAX,
    id: 'createCase',
    path: PATH,
    problems: [
      'blob-damaged',
      'case-open-exists',
      'state-altered',
      'state-conflict',
      'subject-erased',
      'subject-invalid',
      'workflow-unknown',
    ],
    summary: 'Open a case of identity verification',
    description:
      'Of one `external_ref` one case at a time is undecided. `missing` says what the workflow ' +
      'still waits for; once it is empty the checks are made.',
    body: CreateBody,
    example: {
      external_ref: 'client-000123',
      locale: 'fr-TN',
      subject: {
        dob: '1990-05-17',
        expected_turnover: { amount: '30000.00', currency: 'TND' },
        full_name: 'Amira Ben Salah',
        nationality: 'TN',
      },
      subject_type: 'individual',
      workflow_code: 'individual_standard',
    },
    responses: { 201: { description: 'The case', schema: CaseResult } },
    handle: (context) =>
      answerChange(options, context, {
        change: (ports, ask) => createCase(ports, ask, context.body as CreateCase),
        headers: ({ caseId }) => [['location', `${PATH}/${caseId}`]],
        status: 201,
      }),
  };
};

const list = (options: CaseRouteOptions): Operation => ({
  ...READING,
  id: 'listCases',
  path: PATH,
  problems: ['state-altered'],
  summary: 'Cases of the tenant, latest first; nothing of the persons',
  query: CasesQuery,
  responses: { 200: { description: 'A page of cases', schema: CasesPage } },
  async handle({ query, tenantId }) {
    const {
      cursor,
      limit = PAGE_LIMIT_DEFAULT,
      ...filters
    } = query as Readonly<Record<string, string>> & {
      readonly cursor?: string;
      readonly limit?: number;
    };
    const scope = { filters, list: 'listCases', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const { assignee, external_ref: externalRef, risk_tier, status, workflow_code } = filters;
    const { cases, next } = await listCases(options.ports(), {
      filter: {
        ...(assignee !== undefined && { assignee }),
        ...(externalRef !== undefined && { externalRef }),
        ...(risk_tier !== undefined && { riskTier: risk_tier as 'low' }),
        ...(status !== undefined && { status: status as 'open' }),
        ...(workflow_code !== undefined && { workflowCode: workflow_code }),
      },
      limit,
      tenantId,
      ...(position !== undefined && { before: position.id }),
    });
    const behind =
      next === undefined ? null : options.cursors.encode(scope, { id: next, key: next });
    return { body: { data: cases.map(presentRow), next_cursor: behind }, status: 200 };
  },
});

const get = (options: CaseRouteOptions): Operation => ({
  ...READING,
  id: 'getCase',
  path: ONE_PATH,
  problems: ONE_PROBLEMS,
  summary: 'A case; that a person read it is an entry, at most one an hour',
  description: 'For administrators the record has no `subject`.',
  responses: { 200: { description: 'The case', schema: CaseResult } },
  async handle(context) {
    const ports = options.ports();
    const { ip } = context;
    const record = await viewCase(ports, {
      ...placeOf(context),
      ...(await actorOf(ports, context.principal)),
      ...(ip !== '' && { ip }),
    });
    const present = await wholeOf(ports, context);
    const content = record.erasedAt === undefined ? await readContent(ports, record) : undefined;
    const empty = { provenance: {}, reasons: {}, subject: {} };
    return {
      body: present({ content: content ?? empty, record, sealed: [] }),
      headers: [['etag', etagOf(record)]],
      status: 200,
    };
  },
});

const patch = (options: CaseRouteOptions): Operation => ({
  ...changing(options),
  bodyBytesMax: CASE_BYTES_MAX,
  id: 'patchCase',
  method: 'PATCH',
  path: ONE_PATH,
  problems: [...CHANGE_PROBLEMS, 'subject-invalid'],
  summary: 'Change what a case knows, by a merge patch (RFC 7396)',
  description: 'An `assignee` is given by those who may assign cases, to a registered person.',
  body: PatchBody,
  example: { subject: { occupation: 'Architect', phone: null } },
  responses: { 200: { description: 'The case', schema: CaseResult } },
  async handle(context) {
    requireAssigner(context);
    return answerChange(options, context, {
      change: (ports, ask) =>
        patchCase(ports, ask, context.body as CasePatch, {
          requireShape,
          source: context.principal.kind === 'user' ? 'agent' : 'api',
        }),
    });
  },
});

/** Throws `role-insufficient` where somebody else is given the case by one who assigns none. */
function requireAssigner({ body, principal }: OperationContext): void {
  if ((body as CasePatch).assignee === undefined) return;
  const allowed: readonly Role[] = roles.assign;
  if (!principal.roles.some((role) => allowed.includes(role))) {
    throw new DomainError('role-insufficient');
  }
}

const consent = (options: CaseRouteOptions): Operation => ({
  ...changing(options),
  id: 'recordConsent',
  session: 'live',
  path: `${ONE_PATH}/consent`,
  problems: [...CHANGE_PROBLEMS, 'consent-text-unknown'],
  summary: 'Write down what a customer has agreed to, or has withdrawn',
  body: ConsentBody,
  example: {
    given: true,
    locale: 'fr-TN',
    method: 'checkbox',
    purpose: 'identity_verification',
    text_version: '2026-01',
  },
  responses: { 201: { description: 'The consent', schema: ConsentResult } },
  handle: (context) =>
    answerChange(options, context, {
      change: async (ports, ask): Promise<CaseRecord> =>
        (await recordConsent(ports, ask, givenIn(context))).record,
      present: ({ record, sealed: [event] }) => {
        const last = record.consents.at(-1);
        return {
          audit: { event_id: event?.eventId, hash: event?.hash, seq: event?.seq },
          case_id: record.caseId,
          consent_id: last?.consentId,
          given: last?.given,
          purpose: last?.purpose,
          recorded_at: new Date(last?.recordedAt ?? 0).toISOString(),
        };
      },
      status: 201,
    }),
});

function givenIn({ body }: Pick<OperationContext, 'body'>): GivenConsent {
  const given = body as Readonly<Record<string, string>> & { readonly given: boolean };
  const { expires_at, given_at, text_sha256 } = given;
  return {
    given: given.given,
    locale: given.locale ?? '',
    method: given.method as GivenConsent['method'],
    purpose: given.purpose as GivenConsent['purpose'],
    textVersion: given.text_version ?? '',
    ...(expires_at !== undefined && { expiresAt: instantOf(expires_at, '/expires_at') }),
    ...(given_at !== undefined && { givenAt: instantOf(given_at, '/given_at') }),
    ...(text_sha256 !== undefined && { textSha256: text_sha256 }),
  };
}
