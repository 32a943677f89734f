/** Problems of risk; those of policies are shared with the slice of sanctions policies. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'risk-client-unknown': {
    status: 404,
    title: 'Unknown client',
    meaning: 'The tenant has no case of that client, or nobody has evaluated them yet.',
    remedy: 'Open a case first: `POST /v1/kyc/cases`; then `POST /v1/risk/evaluations`.',
    exit: 'notFound',
  },
  'evaluation-unknown': {
    status: 404,
    title: 'Unknown evaluation',
    meaning: 'The tenant has no evaluation of that id.',
    remedy: 'Use an id of `GET /v1/risk/clients/{client_id}/evaluations`.',
    exit: 'notFound',
  },
  'evaluation-unreplayable': {
    status: 409,
    title: 'Evaluation cannot be made again',
    meaning: 'Its facts were erased, or this release has not its version of the formula.',
    remedy: 'None for erased facts; else use the release that made it.',
  },
  'report-missing': {
    status: 422,
    title: 'Report missing',
    meaning: 'A report upon which a risk policy would be approved is not there, or is not ready.',
    remedy: 'Run the backtest, and wait until `shadow-metrics` says `ready`.',
  },
  'report-stale': {
    status: 422,
    title: 'Report of another content',
    meaning: 'The policy was edited since the report was made.',
    remedy: 'Run the backtest again, and activate the shadow again.',
  },
  'override-forbidden': {
    status: 422,
    title: 'Level forbidden',
    meaning: 'The level is lower than what an override of the policy that fired forces.',
    remedy: 'Give no lower level than `detail` names, or correct the facts and evaluate again.',
  },
  'facts-invalid': {
    status: 422,
    title: 'Facts invalid',
    meaning: 'A fact is none of the catalogue, has a wrong value, or is not for callers to give.',
    remedy: 'Correct what `errors` names; config/risk/facts.json has the catalogue.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
