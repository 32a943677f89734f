/** Stages of a risk policy over HTTP: shadow, submission, approvals, and their end. */
import { DomainError } from '#core/kernel';
import {
  activatePublished,
  activateShadow,
  approveRiskPolicy,
  deactivateShadow,
  type GivenApproval,
  REJECTION_CHARS_MIN,
  type RiskPolicy,
  readRiskReport,
  rejectRiskPolicy,
  requirePolicy,
  type SubmitPolicy,
  shadowMetrics,
  submitPolicy,
  withdrawPolicy,
} from '#slices/risk';
import { SIGNING_PROBLEMS } from '../../../api/givenSignatures.ts';
import { instantOf } from '../../../api/instants.ts';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { askerOf } from './parts.ts';
import { RiskPolicySchema } from './policySchemas.ts';
import { presentPolicy } from './presentation.ts';
import {
  answerPolicy,
  CHANGE_PROBLEMS,
  COMMON,
  POLICY_PATH,
  placeOf,
  READING,
  type RiskRouteOptions,
} from './routeOptions.ts';
import { ApproveBody, CommentBody, ShadowMetricsSchema, SubmitBody } from './stageSchemas.ts';

const BODY_BYTES_MAX = 64 * 1024;

export const stageOperations = (options: RiskRouteOptions): Operation[] => [
  activate(options),
  deactivate(options),
  metrics(options),
  shadowReport(options),
  submit(options),
  approve(options),
  reject(options),
  withdraw(options),
  publish(options),
];

const CHANGING = {
  ...COMMON,
  bodyBytesMax: 0,
  conditions: 'version',
  idempotency: 'required',
  method: 'POST',
  responses: { 200: { description: 'The policy', schema: RiskPolicySchema } },
  roles: roles.draft,
  scope: 'risk:write',
} as const;
const PROBLEMS = [...CHANGE_PROBLEMS, 'policy-unknown'] as const;

const activate = (options: RiskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'activateRiskShadow',
  path: `${POLICY_PATH}/shadow-activate`,
  problems: [...PROBLEMS, 'policy-invalid'],
  summary: 'Try a draft beside the policy in force; nothing decides by it',
  handle: (context) =>
    answerPolicy(options, context, {
      change: (ports, ask) => activateShadow(ports, { ...ask, ...placeOf(context) }),
      status: 200,
    }),
});

const deactivate = (options: RiskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'deactivateRiskShadow',
  path: `${POLICY_PATH}/shadow-deactivate`,
  problems: [...PROBLEMS, 'blob-damaged', 'evidence-altered'],
  summary: 'Take a policy out of the shadow; its report is kept',
  handle: (context) =>
    answerPolicy(options, context, {
      change: (ports, ask) => deactivateShadow(ports, { ...ask, ...placeOf(context) }),
      status: 200,
    }),
});

const metrics = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'getRiskShadowMetrics',
  path: `${POLICY_PATH}/shadow-metrics`,
  problems: [
    'blob-damaged',
    'evidence-altered',
    'policy-unknown',
    'state-altered',
    'state-conflict',
  ],
  summary: 'What a policy in shadow would have made of the evaluations since',
  responses: { 200: { description: 'The metrics', schema: ShadowMetricsSchema } },
  async handle(context) {
    const ports = options.ports();
    const policy = await requirePolicy(ports, placeOf(context));
    return { body: await shadowMetrics(ports, policy), status: 200 };
  },
});

const shadowReport = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'getRiskShadowReport',
  path: `${POLICY_PATH}/shadow-reports/{shadow_report_id}`,
  problems: ['blob-damaged', 'not-found', 'policy-unknown', 'state-altered'],
  summary: 'The report of a shadow, as it was kept and is signed with the policy',
  responses: { 200: { description: 'The metrics of then', schema: ShadowMetricsSchema } },
  async handle(context) {
    const ports = options.ports();
    const { shadowReport: kept } = await requirePolicy(ports, placeOf(context));
    if (kept === undefined || kept.reportId !== context.params.shadow_report_id) {
      throw new DomainError('not-found');
    }
    return { body: await readRiskReport(ports, kept.sha256), status: 200 };
  },
});

const submit = (options: RiskRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: BODY_BYTES_MAX,
  id: 'submitRiskPolicy',
  path: `${POLICY_PATH}/submit-for-approval`,
  problems: [
    ...PROBLEMS,
    'blob-damaged',
    'evidence-altered',
    'policy-invalid',
    'report-missing',
    'report-stale',
  ],
  summary: 'Ask for two approvals, upon a backtest and a shadow of this very content',
  body: SubmitBody,
  example: {
    backtestReportId: '019a0b2c-7d4e-7000-8000-000000000000',
    justification: 'Countries of high risk weigh more since the decision of the board in June',
    shadowReportId: '019a0b2c-7d4f-7000-8000-000000000000',
  },
  handle: (context) => {
    const given = context.body as SubmitPolicy;
    if (given.effective_at !== undefined) instantOf(given.effective_at, '/effective_at');
    return answerPolicy(options, context, {
      change: (ports, ask) => submitPolicy(ports, { ...ask, ...placeOf(context) }, given),
      status: 200,
    });
  },
});

const approve = (options: RiskRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: BODY_BYTES_MAX,
  id: 'approveRiskPolicy',
  path: `${POLICY_PATH}/approve`,
  problems: [...PROBLEMS, ...SIGNING_PROBLEMS, 'comment-required'],
  roles: roles.approve,
  summary: 'Approve a policy by signature; the second approval publishes it',
  description:
    'Signed is `dual-control-v1`, a zero byte and the canonical JSON of resource, field, ' +
    'new_value, timestamp, author and approver, as `signing` of the policy has them.',
  body: ApproveBody,
  example: {
    comment: 'Both reports looked at; the movers are those that we wanted',
    signature: 'A'.repeat(86).concat('=='),
    timestamp: '2026-01-31T06:00:00.000Z',
  },
  handle: (context) => {
    const given = context.body as GivenApproval;
    if (given.comment.trim() === '') throw new DomainError('comment-required');
    return answerPolicy(options, context, {
      change: (ports, ask) => approveRiskPolicy(ports, { ...ask, ...placeOf(context) }, given),
      status: 200,
    });
  },
});

const reject = (options: RiskRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: BODY_BYTES_MAX,
  id: 'rejectRiskPolicy',
  path: `${POLICY_PATH}/reject`,
  problems: [...PROBLEMS, 'comment-too-short', 'dual-control-same-person'],
  roles: roles.approve,
  summary: 'Reject a policy that waits for approval; its author may edit it again',
  body: CommentBody,
  example: { comment: 'The weight of the channel is too low for what we sell online. '.repeat(2) },
  handle: (context) => {
    const { comment } = context.body as { readonly comment: string };
    if (comment.trim().length < REJECTION_CHARS_MIN) {
      const detail = `comment: expected at least ${REJECTION_CHARS_MIN} characters`;
      throw new DomainError('comment-too-short', { detail });
    }
    return answerPolicy(options, context, {
      change: (ports, ask) => rejectRiskPolicy(ports, { ...ask, ...placeOf(context) }, comment),
      status: 200,
    });
  },
});

const withdraw = (options: RiskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'withdrawRiskPolicy',
  path: `${POLICY_PATH}/withdraw`,
  problems: PROBLEMS,
  summary: 'Take a policy back that waits for approval: by who wrote or submitted it',
  handle: (context) =>
    answerPolicy(options, context, {
      change: (ports, ask) => withdrawPolicy(ports, { ...ask, ...placeOf(context) }),
      status: 200,
    }),
});

const publish = (options: RiskRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: 0,
  id: 'publishRiskPolicy',
  idempotency: 'required',
  method: 'POST',
  path: `${POLICY_PATH}/publish`,
  problems: ['policy-unknown', 'state-altered', 'state-conflict'],
  responses: { 200: { description: 'The policy', schema: RiskPolicySchema } },
  roles: roles.publish,
  scope: 'risk:write',
  summary: 'Put a published policy whose day has come into force, where no worker has',
  description: 'The second approval publishes by itself; whatever else this finds is a conflict.',
  async handle(context) {
    const ports = options.ports();
    const { actor } = await askerOf(ports, context);
    const { idempotency, reply } = kept<RiskPolicy>(ports, context, {
      present: presentPolicy,
      status: 200,
    });
    const of = { ...placeOf(context), ...idempotency, actor };
    return reply(await activatePublished(ports, of));
  },
});
