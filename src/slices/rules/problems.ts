/** Problems of rules. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'rule-unknown': {
    status: 404,
    title: 'Unknown rule',
    meaning: 'The tenant has no rule of that id and version.',
    remedy: 'Use an id and a version of `GET /v1/aml/rules`.',
    exit: 'notFound',
  },
  'rule-invalid': {
    status: 422,
    title: 'Rule invalid',
    meaning: 'The document is no rule of the language tm-rule v1, or is beyond a bound of it.',
    remedy: 'Correct what `errors` names: each has a pointer, a code and what was expected.',
  },
  'rule-immutable': {
    status: 409,
    title: 'Rule immutable',
    meaning: 'A version that was published, archived or discarded is never changed.',
    remedy: 'Draft the next version: `POST /v1/aml/rules`.',
  },
  'rule-untested': {
    status: 409,
    title: 'Rule untested',
    meaning: 'A version is signed after it was backtested, or was in shadow.',
    remedy: 'Ask for a backtest, or put it in shadow, and sign then.',
  },
  'suppression-unknown': {
    status: 404,
    title: 'Unknown suppression',
    meaning: 'The tenant has no suppression of that id.',
    remedy: 'Use an id of `GET /v1/aml/suppressions`.',
    exit: 'notFound',
  },
  'suppression-invalid': {
    status: 422,
    title: 'Suppression invalid',
    meaning: 'It is too long, has no reason, or is of a rule or alert that there is not.',
    remedy: 'Correct what `errors` names.',
  },
  'backtest-unknown': {
    status: 404,
    title: 'Unknown backtest',
    meaning: 'The tenant has no backtest of that id.',
    remedy: 'Use the id that the backtest answered with.',
    exit: 'notFound',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
