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
  'accounts-invalid': {
    status: 422,
    title: 'Accounts invalid',
    meaning: 'None of the accounts of the body can be taken.',
    remedy: SEE_ERRORS,
  },
  'giin-invalid': {
    status: 422,
    title: 'GIIN invalid',
    meaning: 'It does not have the form of a Global Intermediary Identification Number.',
    remedy: 'Use the number as the IRS lists it, such as 98Q96B.00000.LE.250.',
  },
  'import-running': {
    status: 409,
    title: 'An import is running',
    meaning: 'A file of accounts of this institution and period has not ended.',
    remedy: 'Wait until `GET /v1/tcr/accounts/import/{import_id}` says that it has.',
  },
  'import-unknown': {
    status: 404,
    title: 'Unknown import',
    meaning: 'The tenant has no import of that id.',
    remedy: 'Use the id that `POST /v1/tcr/accounts/import` gave.',
    exit: 'notFound',
  },
  'period-invalid': {
    status: 422,
    title: 'Period invalid',
    meaning: 'Reports are made for years from 2014 on that are over.',
    remedy: SEE_ERRORS,
  },
  'reporting-fi-invalid': {
    status: 422,
    title: 'Institution invalid',
    meaning: 'What is said of the institution cannot go into a report.',
    remedy: SEE_ERRORS,
  },
  'reporting-fi-unknown': {
    status: 422,
    title: 'Unknown institution',
    meaning: 'The tenant has stated no institution of that GIIN.',
    remedy: 'State it by `PUT /v1/tcr/reporting-fis/{giin}`.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
