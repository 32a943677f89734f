/** Problems of tax reporting. */
import { type CodesOf, type ProblemRows, SEE_ERRORS } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'classification-unknown': {
    status: 404,
    title: 'Unknown classification',
    meaning: 'The tenant has no classification of that id.',
    remedy: 'Use an id of `GET /v1/tcr/classifications`.',
    exit: 'notFound',
  },
  'classification-invalid': {
    status: 422,
    title: 'Classification invalid',
    meaning: 'What is said of the holder cannot be: a GIIN, a country, a day or an indicium.',
    remedy: SEE_ERRORS,
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
