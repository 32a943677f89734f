/** How an alert ends over HTTP: closed, confirmed by a second person, opened again. */
import { closeAlert, confirmAlert, reopenAlert } from '#slices/alerts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { AlertParts } from './parts.ts';
import {
  type Close,
  CloseBody,
  type Comment,
  CommentBody,
  type Confirm,
  ConfirmBody,
} from './schemas.ts';
import { answerChange, CHANGE_PROBLEMS, CHANGING } from './working.ts';

export const closingOperations = (options: AlertParts): Operation[] => [
  close(options),
  confirm(options),
  reopen(options),
];

const close = (options: AlertParts): Operation => ({
  ...CHANGING,
  id: 'closeAlert',
  path: '/v1/aml/alerts/{alert_id}/close',
  problems: [
    ...CHANGE_PROBLEMS,
    'comment-required',
    'comment-too-short',
    'person-required',
    'role-insufficient',
  ],
  summary: 'Close an alert, or propose how it is to be closed',
  description:
    'By its assignee. Where a second person has to agree (hits of sanctions lists by default, ' +
    'and every Critical alert that is a true positive), `proposal` waits for them.',
  body: CloseBody,
  example: {
    comment: 'Another date and another place of birth',
    reason_code: 'dob_differs',
    status: 'closed_false_positive',
  },
  handle: (context) =>
    answerChange(options, context, (ask) => {
      const { comment = '', reason_code, status } = context.body as Close;
      return closeAlert(options, {
        ...ask,
        comment,
        status,
        ...(reason_code !== undefined && { reasonCode: reason_code }),
      });
    }),
});

const confirm = (options: AlertParts): Operation => ({
  ...CHANGING,
  id: 'confirmAlert',
  path: '/v1/aml/alerts/{alert_id}/confirm',
  problems: [
    ...CHANGE_PROBLEMS,
    'comment-required',
    'person-required',
    'role-insufficient',
    'second-person-required',
  ],
  roles: roles.supervise,
  summary: 'Confirm or refuse the outcome that another person has proposed',
  body: ConfirmBody,
  example: { confirmed: true },
  handle: (context) =>
    answerChange(options, context, (ask) => {
      const { comment, confirmed } = context.body as Confirm;
      return confirmAlert(options, {
        ...ask,
        isConfirmed: confirmed,
        ...(comment !== undefined && { comment }),
      });
    }),
});

const reopen = (options: AlertParts): Operation => ({
  ...CHANGING,
  id: 'reopenAlert',
  path: '/v1/aml/alerts/{alert_id}/reopen',
  problems: [...CHANGE_PROBLEMS, 'role-insufficient'],
  roles: roles.reopen,
  summary: 'Look at a closed alert again',
  body: CommentBody,
  example: { comment: 'New documents came in' },
  handle: (context) =>
    answerChange(options, context, (ask) =>
      reopenAlert(options, { ...ask, comment: (context.body as Comment).comment }),
    ),
});
