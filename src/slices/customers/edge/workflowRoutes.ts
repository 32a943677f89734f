/** Workflows over HTTP: read by who works on cases, written by administrators. */
import { Type } from 'typebox';
import { inWords } from '#core/kernel';
import {
  CHECK_TYPES,
  CONSENT_PURPOSES,
  DOCUMENT_KINDS,
  listWorkflows,
  putWorkflow,
  RISK_TIERS,
  SUBJECT_TYPES,
  type Workflow,
  type WorkflowContent,
} from '#slices/customers';
import shipped from '../../../../config/kyc-workflows.json' with { type: 'json' };
import { ifMatch } from '../../../api/etags.ts';
import { kept } from '../../../api/keptAnswer.ts';
import { Nullable, NullableTime } from '../../../api/nullable.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { actorOf } from './parts.ts';
import { presentWorkflow } from './presentation.ts';
import { type CaseRouteOptions, READING } from './routeOptions.ts';
import { oneOf, STRICT, Words, WorkflowCode } from './schemas.ts';

const BYTES_MAX = 256 * 1024;
const DAYS_MAX = 365;
const MONTHS_MAX = 120;
const LIST_MAX = 50;
const Months = Type.Integer({ maximum: MONTHS_MAX, minimum: 1 });
const MailText = Type.Object({ subject: Words(200), text: Words(4_000) }, STRICT);
const Word = Type.String({
  maxLength: 64,
  ...inWords(
    'a word of lower-case letters, digits, dots and underscores',
    '^[a-z][a-z0-9_.]{0,63}$',
  ),
});

const CONTENT = {
  subject_types: Type.Array(oneOf(SUBJECT_TYPES), { maxItems: 2, minItems: 1 }),
  form_code: Type.Optional(WorkflowCode),
  required_fields: Type.Array(Word, { maxItems: LIST_MAX }),
  required_consents: Type.Array(oneOf(CONSENT_PURPOSES), { maxItems: LIST_MAX }),
  required_documents: Type.Array(Type.Array(oneOf(DOCUMENT_KINDS), { maxItems: 12, minItems: 1 }), {
    description: 'Of each list one is enough',
    maxItems: 12,
  }),
  checks: Type.Array(oneOf(CHECK_TYPES), { maxItems: 16, minItems: 1 }),
  lists: Type.Array(Words(32), { description: 'Empty: all lists', maxItems: LIST_MAX }),
  auto_approve: Type.Object({ enabled: Type.Boolean(), max_tier: oneOf(RISK_TIERS) }, STRICT),
  auto_reject: Type.Object(
    {
      enabled: Type.Boolean(),
      reasons: Type.Array(Word, { maxItems: LIST_MAX }),
      legal_basis: Type.Optional(Words(500)),
    },
    STRICT,
  ),
  four_eyes_tiers: Type.Array(oneOf(RISK_TIERS), { maxItems: 4 }),
  expires_after_days: Type.Integer({ maximum: DAYS_MAX, minimum: 1 }),
  rounds_max: Type.Integer({ maximum: 10, minimum: 0 }),
  min_age: Type.Integer({ maximum: 100, minimum: 0 }),
  review_every_months: Type.Object(
    { low: Months, standard: Months, high: Months, very_high: Months },
    STRICT,
  ),
  biometric_provider: Type.Optional(Words(128)),
  email_templates: Type.Record(
    Type.String({
      maxLength: 64,
      ...inWords('a name of lower-case letters', '^[a-z][a-z0-9_]{0,63}$'),
    }),
    Type.Object({ ar: MailText, en: MailText, fr: MailText }, STRICT),
  ),
};
const WorkflowBody = Type.Object(CONTENT, STRICT);
const WorkflowResult = Type.Object({
  ...CONTENT,
  author: Nullable('string'),
  code: Type.String(),
  created_at: NullableTime,
  version: Type.Integer(),
});

export const workflowOperations = (options: CaseRouteOptions): Operation[] => [
  list(options),
  put(options),
];

const list = (options: CaseRouteOptions): Operation => ({
  ...READING,
  id: 'listWorkflows',
  path: '/v1/kyc/workflows',
  problems: ['state-altered'],
  summary: 'The workflows of the tenant, the newest version of each',
  responses: {
    200: {
      description: 'All of them',
      schema: Type.Object({ data: Type.Array(WorkflowResult), next_cursor: Type.Null() }),
    },
  },
  async handle({ tenantId }) {
    const all = await listWorkflows(options.ports(), tenantId);
    return { body: { data: all.map(presentWorkflow), next_cursor: null }, status: 200 };
  },
});

const put = (options: CaseRouteOptions): Operation => ({
  bodyBytesMax: BYTES_MAX,
  conditions: 'version',
  id: 'putWorkflow',
  idempotency: 'none',
  limits: 'general',
  method: 'PUT',
  path: '/v1/kyc/workflows/{code}',
  problems: ['state-altered', 'state-conflict', 'workflow-invalid', 'workflow-unknown'],
  roles: roles.workflows,
  scope: 'cases:write',
  tag: 'KYC',
  summary: 'Make a new version of a workflow; cases under way keep theirs',
  body: WorkflowBody,
  example: shipped.individual_standard,
  responses: { 200: { description: 'The new version', schema: WorkflowResult } },
  async handle(context) {
    const ports = options.ports();
    const { ip, params, tenantId } = context;
    const { actor } = await actorOf(ports, context.principal);
    const answer = kept(ports, context, { present: presentWorkflow, status: 200 });
    const isExpected = ifMatch(context.request.header('if-match'));
    const workflow: Workflow = await putWorkflow(ports, {
      ...answer.idempotency,
      actor,
      code: params.code ?? '',
      content: context.body as WorkflowContent,
      tenantId,
      ...(ip !== '' && { ip }),
      ...(isExpected !== undefined && { isExpected }),
    });
    return { ...answer.reply(workflow), headers: [['etag', `"${workflow.version}"`]] };
  },
});
