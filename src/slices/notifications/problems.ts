/** Problems of notifications. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'notification-unknown': {
    status: 404,
    title: 'Unknown notification',
    meaning: 'There is no notification of that id, or it is kept no longer: 90 days.',
    remedy: 'Use an id of `GET /v1/notifications`, or of `notification active`.',
    exit: 'notFound',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
