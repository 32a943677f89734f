/** Problems of policies. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'policy-unknown': {
    status: 404,
    title: 'Unknown policy',
    meaning: 'The tenant has no such policy.',
    remedy: 'Use one of `GET /v1/sanctions/policies`, or of `GET /v1/risk/policies`.',
    exit: 'notFound',
  },
  'policy-invalid': {
    status: 422,
    title: 'Policy invalid',
    meaning: 'The policy breaks a rule between its members, or names what there is not.',
    remedy: 'Correct what `errors` names: each has a pointer, a code and what was expected.',
  },
  'policy-immutable': {
    status: 409,
    title: 'Policy immutable',
    meaning: 'A policy that was published, archived or discarded is never changed.',
    remedy:
      'Make a draft of it: `POST /v1/sanctions/policies/{version}/draft`; a risk policy by ' +
      '`POST /v1/risk/policies` with `based_on`.',
  },
  'cadence-not-yours': {
    status: 422,
    title: 'Cadence of others',
    meaning: 'The tenant does not look after the lists of this installation.',
    remedy: 'Leave `cadence_override` out, or ask the administrator for `lists.operator`.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
