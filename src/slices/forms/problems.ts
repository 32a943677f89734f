/** Problems of forms. */
import { type CodesOf, type ProblemRows, SEE_ERRORS } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'form-unknown': {
    status: 404,
    title: 'Unknown form',
    meaning: 'There is no such form or version, or no version of it is active.',
    remedy: 'Use an id of `GET /v1/forms` or `GET /v1/forms/{id}/versions`.',
    exit: 'notFound',
  },
  'form-code-taken': {
    status: 409,
    title: 'Code taken',
    meaning: 'The tenant has a form of this code.',
    remedy: 'Make a new version of that form, or choose another code.',
  },
  'form-immutable': {
    status: 409,
    title: 'Version immutable',
    meaning: 'The version is active or archived: it is never changed.',
    remedy: 'Make a new version, which begins as a copy of the active one.',
  },
  'form-invalid': {
    status: 422,
    title: 'Form invalid',
    meaning: 'The definition is none that can be filled in.',
    remedy: SEE_ERRORS,
  },
  'sdk-too-old': {
    status: 426,
    title: 'SDK too old',
    meaning: 'The tenant takes newer versions of the SDK alone.',
    remedy: 'Update the app: the `Upgrade` header names the least version.',
  },
  'submission-unknown': {
    status: 404,
    title: 'Unknown submission',
    meaning: 'There is no such submission of this form.',
    remedy: 'Use an id of `GET /v1/forms/{form_id}/submissions`.',
    exit: 'notFound',
  },
  'submission-invalid': {
    status: 422,
    title: 'Submission invalid',
    meaning: 'Values are missing, or are none that the form takes.',
    remedy: SEE_ERRORS,
  },
  'form-version-archived': {
    status: 409,
    title: 'Version archived',
    meaning: 'The form has another active version than the one that was filled in.',
    remedy: 'Fetch the active version, and fill that in.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
