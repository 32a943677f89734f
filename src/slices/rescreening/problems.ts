/** Problems of re-screening. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'monitored-unknown': {
    status: 404,
    title: 'Unknown customer',
    meaning: 'No customer of that reference is watched.',
    remedy: 'Add it by `POST /v1/sanctions/monitored-subjects`.',
    exit: 'notFound',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
