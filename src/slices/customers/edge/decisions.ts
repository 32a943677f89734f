/** What people decide of cases over HTTP: decisions, the second person, and who works on a case. */
import { Type } from 'typebox';
import {
  assignCase,
  type CommittedCase,
  confirmDecision,
  DECISIONS,
  type DecideAsk,
  DOCUMENT_KINDS,
  type DocumentKind,
  decideCase,
  type GivenDecision,
  REASON_CHARS_MAX,
  worksOnCases,
} from '#slices/customers';
import { readable } from '../../../api/freeText.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import {
  answerChange,
  type CaseRouteOptions,
  CHANGE_PROBLEMS,
  changing,
  ONE_PATH,
  READING,
  wholeOf,
} from './routeOptions.ts';
import { CaseResult, CodeWord, oneOf, STRICT, Uuid, Words } from './schemas.ts';

const DOCUMENTS_ASKED_MAX = 12;
/** What is missing or too short is told as `reason-required`, with all that is. */
const Reason = Type.Optional(
  Type.String({
    description: 'In words, 10 characters or more; kept sealed, and never given out',
    maxLength: REASON_CHARS_MAX,
    ...readable,
  }),
);
const DecisionBody = Type.Object(
  {
    decision: oneOf(DECISIONS),
    reason_code: Type.Optional(CodeWord),
    reason: Reason,
    email_template: Type.Optional(Words(64, 'A name of the workflow’s `email_templates`')),
    documents: Type.Optional(
      Type.Array(oneOf(DOCUMENT_KINDS), {
        description: 'What the customer is asked for, with `request_documents`',
        maxItems: DOCUMENTS_ASKED_MAX,
      }),
    ),
  },
  STRICT,
);
const ConfirmBody = Type.Object({ confirm: Type.Boolean(), comment: Reason }, STRICT);
const AssignBody = Type.Object({ assignee: Words(256, 'The id of a registered person') }, STRICT);
const Pending = Type.Object({
  case_id: Uuid,
  decision_id: Uuid,
  pending_confirmation: Type.Literal(true),
});

export const decisionOperations = (options: CaseRouteOptions): Operation[] => [
  decide(options),
  confirm(options),
  assign(options),
  assignees(options),
];

const DECIDE_PROBLEMS = [
  ...CHANGE_PROBLEMS,
  'person-required',
  'reason-required',
  'risk-prohibited',
] as const;

const decide = (options: CaseRouteOptions): Operation => ({
  ...changing(options),
  id: 'decideCase',
  path: `${ONE_PATH}/decisions`,
  problems: [...DECIDE_PROBLEMS, 'case-open-exists', 'email-template-unknown'],
  roles: roles.decide,
  summary: 'Approve or reject a case, ask for documents, cancel or reopen it',
  description:
    'Who may depends on the tier: low and standard by every agent, high from agent_l2 on, ' +
    'very_high by mlro and compliance_officer. Where the workflow wants four eyes an approval ' +
    'waits for a second person, and the answer is 202.',
  body: DecisionBody,
  example: {
    decision: 'reject',
    email_template: 'rejected',
    reason: 'The document is a copy of another one',
    reason_code: 'document_forged',
  },
  responses: {
    200: { description: 'The case', schema: CaseResult },
    202: { description: 'It waits for a second person', schema: Pending },
  },
  async handle(context) {
    const { body } = context;
    const { decision, documents, email_template, reason, reason_code } = body as {
      readonly decision: GivenDecision['decision'];
      readonly documents?: readonly DocumentKind[];
      readonly email_template?: string;
      readonly reason?: string;
      readonly reason_code?: string;
    };
    const whole = await wholeOf(options.ports(), context);
    return answerChange(options, context, {
      change: (ports, ask) =>
        decideCase(ports, deciding(ask, context), {
          decision,
          reason: reason ?? '',
          reasonCode: reason_code ?? '',
          ...(documents && { documents }),
          ...(email_template !== undefined && { emailTemplate: email_template }),
        }),
      present: (committed) => pendingOf(committed) ?? whole(committed),
      status: ({ pending }) => (pending === undefined ? 200 : 202),
    });
  },
});

const pendingOf = ({ record: { caseId, pending } }: CommittedCase) =>
  pending && { case_id: caseId, decision_id: pending.decisionId, pending_confirmation: true };

const deciding = (
  ask: Omit<DecideAsk, 'roles'>,
  { principal }: Pick<OperationContext, 'principal'>,
): DecideAsk => ({ ...ask, roles: principal.roles });

const confirm = (options: CaseRouteOptions): Operation => ({
  ...changing(options),
  id: 'confirmCaseDecision',
  path: `${ONE_PATH}/decisions/{decision_id}/confirm`,
  problems: [...DECIDE_PROBLEMS, 'dual-control-same-person'],
  roles: roles.confirm,
  summary: 'Confirm or decline an approval that another person has proposed',
  description: 'Who proposed it may take it back by declining.',
  body: ConfirmBody,
  example: { confirm: true },
  responses: { 200: { description: 'The case', schema: CaseResult } },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) => {
        const { comment, confirm: isConfirmed } = context.body as {
          readonly comment?: string;
          readonly confirm: boolean;
        };
        return confirmDecision(ports, deciding(ask, context), {
          decisionId: context.params.decision_id ?? '',
          isConfirmed,
          ...(comment !== undefined && { comment }),
        });
      },
    }),
});

const assign = (options: CaseRouteOptions): Operation => ({
  ...changing(options),
  id: 'assignCase',
  path: `${ONE_PATH}/assign`,
  problems: CHANGE_PROBLEMS,
  roles: roles.assign,
  summary: 'Give a case to another person',
  body: AssignBody,
  example: { assignee: '019a0b2c-7d4e-7000-8000-000000000000' },
  responses: { 200: { description: 'The case', schema: CaseResult } },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) =>
        assignCase(ports, { ...ask, ...(context.body as { readonly assignee: string }) }),
    }),
});

const Assignees = Type.Object({
  data: Type.Array(Type.Object({ name: Type.String(), person_id: Uuid })),
  next_cursor: Type.Null(),
});

const assignees = (options: CaseRouteOptions): Operation => ({
  ...READING,
  id: 'listCaseAssignees',
  path: '/v1/kyc/assignees',
  roles: roles.assign,
  summary: 'Registered persons who work on cases: those that a case may be given to',
  responses: { 200: { description: 'All of them', schema: Assignees } },
  async handle({ tenantId }) {
    const persons = (await options.ports().listPersons(tenantId)).filter(worksOnCases);
    const data = persons.map(({ id, name }) => ({ name, person_id: id }));
    return { body: { data, next_cursor: null }, status: 200 };
  },
});
