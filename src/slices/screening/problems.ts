/** Problems of a screening: nothing to compare, a list left out, no room or time. */
import { type CodesOf, type ProblemRows, WAIT } from '#core/kernel';

/** Rows of this slice; src/app/sliceRows.ts joins them with those of all parts. */
export const problems = {
  'name-empty': {
    status: 422,
    title: 'Nothing to compare',
    meaning: 'The name has no letter or digit left after normalisation.',
    remedy: 'Send a name with letters.',
  },
  'list-disabled-by-policy': {
    status: 422,
    title: 'List disabled by policy',
    meaning: 'The policy of the tenant leaves a list out that the request names.',
    remedy: 'Leave the list out, or turn it on by a new policy.',
  },
  'engine-queue-full': {
    status: 503,
    title: 'Queue full',
    meaning: 'More work is waiting than can be done in time; nothing was done.',
    remedy: WAIT,
    retryAfterS: 1,
  },
  'deadline-exceeded': {
    status: 503,
    title: 'Not done in time',
    meaning: 'The work was not finished in time.',
    remedy: 'Repeat the request with the same Idempotency-Key.',
    retryAfterS: 1,
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
