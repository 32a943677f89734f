/** Problems of data that may not be processed. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Rows of core/privacy; src/app/sliceRows.ts joins them with those of the slices. */
export const problems = {
  'processing-restricted': {
    status: 409,
    title: 'Processing restricted',
    meaning: 'The data of this subject may not be processed for this purpose.',
    remedy: 'Ask the data protection officer whether the restriction can be lifted.',
  },
  'subject-held': {
    status: 409,
    title: 'Needed as a whole',
    meaning: 'Something is under way for which all that is held of this person is needed.',
    remedy: 'Erase it later; compliance knows what it is needed for.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
