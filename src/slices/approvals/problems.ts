/** Problems of requests for a second signature. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'approval-unknown': {
    status: 404,
    title: 'Unknown request',
    meaning: 'There is no request of that id.',
    remedy: 'Use an id of `GET /v1/approvals`.',
    exit: 'notFound',
  },
  'approval-altered': {
    status: 409,
    isTampering: true,
    title: 'Request altered',
    meaning: 'The stored request is not the one that its author asked for; nothing was applied.',
    remedy: 'Tell the administrator: the store was written past the service. Ask anew.',
  },
  'comment-required': {
    status: 422,
    title: 'Comment required',
    meaning: 'A rejection says why.',
    remedy: 'Send `comment` with a reason in words.',
  },
  'person-required': {
    status: 403,
    title: 'Not a registered person',
    meaning: 'Only a person whom the administrator registered asks for a change or decides one.',
    remedy: 'Sign in with an account that is registered for a person; an API key is none.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
