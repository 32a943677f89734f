/** Problems of events that were set aside, and of their subscribers. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'set-aside-unknown': {
    status: 404,
    title: 'Unknown event',
    meaning: 'No event of that id is set aside for that subscriber.',
    remedy: 'Use a subscriber and an id of `event list`.',
    exit: 'notFound',
  },
  'subscriber-unknown': {
    status: 404,
    title: 'Unknown subscriber',
    meaning: 'No subscriber of that name is registered.',
    remedy: 'Use a name that `doctor` shows.',
    exit: 'notFound',
  },
  'subscriber-in-use': {
    status: 409,
    title: 'Subscriber in use',
    meaning: 'A worker works for that subscriber, or every release has it.',
    remedy: 'Remove only a subscriber that no running release declares.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
