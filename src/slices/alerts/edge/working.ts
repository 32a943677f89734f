/** An alert on its way to an outcome: assigned, looked at, handed up, annotated, changed. */
import {
  type Alert,
  type AlertAsk,
  type AlertSubject,
  assignAlert,
  editAlert,
  escalateAlert,
  findAlert,
  noteAlert,
  releaseAlert,
  reviewAlert,
  subjectOf,
} from '#slices/alerts';
import { ifMatch } from '../../../api/etags.ts';
import { instantOf } from '../../../api/instants.ts';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext, OperationReply } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { AlertParts } from './parts.ts';
import { etagOf, presentAlert } from './presentation.ts';
import { READING_REFUSALS, readingCaller } from './readingCaller.ts';
import {
  AlertResult,
  type Assign,
  AssignBody,
  type Comment,
  CommentBody,
  type Edit,
  EditBody,
  type Note,
  NoteBody,
} from './schemas.ts';

const BODY_BYTES_MAX = 64 * 1024;

/** What all changes of an alert have in common. */
export const CHANGING = {
  bodyBytesMax: BODY_BYTES_MAX,
  conditions: 'version',
  idempotency: 'required',
  limits: 'general',
  method: 'POST',
  responses: { 200: { description: 'The alert as it became', schema: AlertResult } },
  roles: roles.work,
  scope: 'alerts:write',
  tag: 'AML',
} as const;

/** Problems that every change may give. */
export const CHANGE_PROBLEMS = [
  'alert-altered',
  'alert-unknown',
  'evidence-altered',
  'not-assignee',
  'not-found',
  'results-altered',
  'state-conflict',
  ...READING_REFUSALS,
] as const;

/**
 * Makes the change that a request asks for and answers with the alert. The subject is read before,
 * since the answer is kept with the effect.
 */
export async function answerChange(
  options: AlertParts,
  context: OperationContext,
  change: (ask: AlertAsk) => Promise<Alert>,
): Promise<OperationReply> {
  const place = { alertId: context.params.alert_id ?? '', tenantId: context.tenantId };
  const by = readingCaller(context.request);
  const subject: AlertSubject = await subjectOf(options, await findAlert(options, place), by);
  const now = options.clock.now();
  const answer = kept(options, context, {
    present: (alert: Alert) => presentAlert(alert, { now, subject }),
    status: 200,
  });
  const matches = ifMatch(context.request.header('if-match'));
  const alert = await change({
    ...askedBy(context),
    ...place,
    ...answer.idempotency,
    ...(matches !== undefined && { isExpected: (version) => matches(etagOf({ version })) }),
  });
  return { ...answer.reply(alert), headers: [['etag', etagOf(alert)]] };
}

export const workingOperations = (options: AlertParts): Operation[] => [
  assign(options),
  review(options),
  escalate(options),
  note(options),
  edit(options),
];

const assign = (options: AlertParts): Operation => ({
  ...CHANGING,
  id: 'assignAlert',
  path: '/v1/aml/alerts/{alert_id}/assign',
  problems: [...CHANGE_PROBLEMS, 'role-insufficient'],
  summary: 'Take an alert, give it to somebody, or free it',
  description: 'Everybody who works on alerts takes a free one; supervisors give it to others.',
  body: AssignBody,
  example: {},
  handle: (context) =>
    answerChange(options, context, (ask) => {
      const { assignee } = context.body as Assign;
      if (assignee === null) return releaseAlert(options, ask);
      return assignAlert(options, { ...ask, ...(assignee !== undefined && { to: assignee }) });
    }),
});

const review = (options: AlertParts): Operation => ({
  ...CHANGING,
  id: 'reviewAlert',
  path: '/v1/aml/alerts/{alert_id}/review',
  problems: CHANGE_PROBLEMS,
  summary: 'Begin to look at an alert that is assigned to the caller',
  bodyBytesMax: 0,
  handle: (context) => answerChange(options, context, (ask) => reviewAlert(options, ask)),
});

const escalate = (options: AlertParts): Operation => ({
  ...CHANGING,
  id: 'escalateAlert',
  path: '/v1/aml/alerts/{alert_id}/escalate',
  problems: CHANGE_PROBLEMS,
  summary: 'Hand an alert up; a supervisor takes it',
  body: CommentBody,
  example: { comment: 'Same date of birth, and the same town' },
  handle: (context) =>
    answerChange(options, context, (ask) =>
      escalateAlert(options, { ...ask, comment: (context.body as Comment).comment }),
    ),
});

const note = (options: AlertParts): Operation => ({
  ...CHANGING,
  id: 'noteAlert',
  path: '/v1/aml/alerts/{alert_id}/notes',
  problems: CHANGE_PROBLEMS,
  summary: 'Write a note beside an alert',
  body: NoteBody,
  example: { text: 'The customer sent a passport; the place of birth differs' },
  handle: (context) =>
    answerChange(options, context, (ask) =>
      noteAlert(options, { ...ask, text: (context.body as Note).text }),
    ),
});

const edit = (options: AlertParts): Operation => ({
  ...CHANGING,
  id: 'changeAlert',
  method: 'PATCH',
  path: '/v1/aml/alerts/{alert_id}',
  problems: [...CHANGE_PROBLEMS, 'role-insufficient'],
  summary: 'Change severity, due time or assignee of an alert',
  description:
    'Severity and due time by agent_l2 and above; who may assign it stands at `…/assign`.',
  body: EditBody,
  example: { severity: 'High' },
  handle: (context) =>
    answerChange(options, context, (ask) => {
      const { assignee, due_at, severity } = context.body as Edit;
      return editAlert(options, {
        ...ask,
        ...(assignee !== undefined && { assignee }),
        ...(due_at !== undefined && { dueAt: instantOf(due_at, '/due_at') }),
        ...(severity !== undefined && { severity }),
      });
    }),
});
