/** Problems of documents that are looked into. */
import { type CodesOf, type ProblemRows, SEE_ERRORS } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'document-invalid': {
    status: 422,
    title: 'Document refused',
    meaning: 'The file is no JPEG, PNG or PDF that can be taken: `errors` say why.',
    remedy: SEE_ERRORS,
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
