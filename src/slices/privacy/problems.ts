/** Problems of requests about personal data. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'privacy-request-unknown': {
    status: 404,
    title: 'Unknown privacy request',
    meaning: 'There is no request of that id.',
    remedy: 'Use an id of `GET /v1/privacy/dsar`.',
    exit: 'notFound',
  },
  'privacy-request-invalid': {
    status: 422,
    title: 'Privacy request refused',
    meaning: 'The request cannot be taken, or changed, as asked: `errors` names the member.',
    remedy: 'Correct the member.',
  },
  'privacy-request-state': {
    status: 409,
    title: 'Not in this state of the request',
    meaning: 'The request is in a state in which this cannot be done; `detail` names it.',
    remedy: 'Read the request, and do what its state asks for.',
  },
  'privacy-same-person': {
    status: 403,
    title: 'Another person must approve',
    meaning:
      'Who took an erasure in does not approve it, whatever account they use; where a key took ' +
      'it in, who proved the identity does not.',
    remedy: 'Let another registered person approve or refuse it.',
  },
  'privacy-plan-stale': {
    status: 409,
    title: 'Plan of the erasure too old',
    meaning: 'The plan is older than a day; a worker makes it anew.',
    remedy: 'Read the request again, and approve the new plan.',
  },
  'privacy-erasure-incomplete': {
    status: 500,
    title: 'Erasure incomplete',
    meaning: 'Something is left that was to be erased; the work is tried again.',
    remedy: 'If it stays so, tell the maintainers: `detail` names the store.',
  },
  'privacy-hold-state': {
    status: 409,
    title: 'Not in this state of the hold',
    meaning: 'There is no hold of this subject, or it is in another state; `detail` names it.',
    remedy: 'Read the hold, and do what its state asks for.',
  },
  'privacy-vault-unknown': {
    status: 404,
    title: 'Unknown pseudonym',
    meaning: 'Nobody stands behind this pseudonym, or not any more.',
    remedy: 'Use a pseudonym of `GET /v1/privacy/dsar/{request_id}`.',
    exit: 'notFound',
  },
  'privacy-archive-gone': {
    status: 410,
    title: 'Archive or passphrase gone',
    meaning: 'The archive was removed, or its passphrase was told already: it is told once.',
    remedy: 'Take in a new request.',
  },
  'privacy-link-expired': {
    status: 403,
    title: 'Link expired',
    meaning: 'The link is over, or was made for somebody else.',
    remedy: 'Ask for a new one with `POST /v1/privacy/dsar/{request_id}/download`.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
