/** Problems of registries. */
import { type CodesOf, type ProblemRows, SEE_ERRORS } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'identifier-invalid': {
    status: 422,
    title: 'Identifier invalid',
    meaning: 'The text is no identifier of a company of that country.',
    remedy: SEE_ERRORS,
  },
  'registry-not-configured': {
    status: 422,
    title: 'Registry not configured',
    meaning: 'Nothing answers for the registry of that country here.',
    remedy: 'Import an extract (`registry import`), or name the registry in `REGISTRIES_FILE`.',
  },
  'registry-unavailable': {
    status: 503,
    title: 'Registry unavailable',
    meaning: 'The registry did not answer, or said what could not be read.',
    remedy: 'Try again later, or take an older answer by `max_age_hours`.',
    exit: 'unavailable',
  },
  'registry-file-invalid': {
    status: 422,
    title: 'Registry file invalid',
    meaning:
      'The file is no extract of a registry: a line is not a company, or there are too many.',
    remedy: 'Give NDJSON or CSV whose lines have `identifier` and `legal_name`.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
