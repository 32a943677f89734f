/** Problems of events that were set aside. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'event-unknown': {
    status: 404,
    title: 'Unknown event',
    meaning: 'No event of that id is set aside for that subscriber.',
    remedy: 'Use a subscriber and an id of `event list`.',
    exit: 'notFound',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
