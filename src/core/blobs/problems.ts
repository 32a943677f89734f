/** Problems of stored files. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Rows of core/blobs; src/app/sliceRows.ts joins them with those of the slices. */
export const problems = {
  'blob-damaged': {
    status: 500,
    title: 'Damaged stored file',
    meaning: 'A file that the service keeps is gone or is not what was written; nothing was done.',
    remedy: 'Report the request id; the operator restores the file from a backup.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
