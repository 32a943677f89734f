/** Problems of exclusions. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'exclusion-unknown': {
    status: 404,
    title: 'Unknown exclusion',
    meaning: 'There is no exclusion of that id.',
    remedy: 'Use an id of `GET /v1/sanctions/exclusions`.',
    exit: 'notFound',
  },
  'exclusion-invalid': {
    status: 422,
    title: 'Exclusion refused',
    meaning: 'The hit cannot be excluded as asked: `errors` names the member and what is wrong.',
    remedy: 'Correct the member; screen the subject again where the list has changed.',
  },
  'exclusion-altered': {
    status: 409,
    isTampering: true,
    title: 'Exclusion altered',
    meaning: 'The stored exclusion is not what its last entry in the audit trail made it.',
    remedy: 'Tell the administrator: the store was written past the service.',
  },
  'four-eyes-same-person': {
    status: 403,
    title: 'Another person must approve',
    meaning: 'Who proposed an exclusion does not approve it, whatever account they use.',
    remedy: 'Let another registered person approve or revoke it.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
