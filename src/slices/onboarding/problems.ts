/** Problems of onboarding. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'contact-unknown': {
    status: 422,
    title: 'No address on file',
    meaning: 'The case has no mail address to which the link could be sent.',
    remedy: 'Add `subject.email` to the case, or hand the link over yourself.',
  },
  'return-url-refused': {
    status: 422,
    title: 'Return address refused',
    meaning: 'The tenant lets customers return to other addresses alone.',
    remedy: 'Add its origin to the setting `onboarding.return_origins`.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
