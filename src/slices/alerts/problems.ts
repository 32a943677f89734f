/** Problems of alerts. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'alert-unknown': {
    status: 404,
    title: 'Unknown alert',
    meaning: 'There is no alert of that id.',
    remedy: 'Use an id of `GET /v1/aml/alerts`.',
    exit: 'notFound',
  },
  'alert-altered': {
    status: 409,
    isTampering: true,
    title: 'Alert altered',
    meaning: 'The stored alert is not what its last entry in the audit trail made it.',
    remedy: 'Tell the administrator: the store was written past the service.',
  },
  'comment-too-short': {
    status: 422,
    title: 'Comment too short',
    meaning: 'Whoever closes something as no match says why, in a sentence.',
    remedy: 'Send a longer `comment`; `detail` says how long.',
  },
  'not-assignee': {
    status: 403,
    title: 'Not the assignee',
    meaning: 'Only who an alert is assigned to takes this step.',
    remedy: 'Assign the alert to yourself, or ask a supervisor to.',
  },
  'second-person-required': {
    status: 403,
    title: 'Another person must confirm',
    meaning: 'Who proposed an outcome does not confirm it, whatever account they use.',
    remedy: 'Let another registered person of a supervising role confirm or refuse it.',
  },
  'streams-exhausted': {
    status: 429,
    title: 'Too many streams',
    meaning: 'The caller, or the gateway, has as many open streams as it may.',
    remedy: 'Close a stream, or share one among the readers.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
