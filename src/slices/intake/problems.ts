/** Problems of a file of customers. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Rows of this slice; src/app/sliceRows.ts joins them with those of all parts. */
export const problems = {
  'upload-damaged': {
    status: 400,
    title: 'Damaged upload',
    meaning: 'The file is no whole gzip or plain text; nothing was kept of it.',
    remedy: 'Send the file again as UTF-8 text or as one gzip of it.',
  },
  'csv-invalid': {
    status: 400,
    title: 'Invalid CSV',
    meaning: 'Header, separator or encoding is not what is expected; nothing was kept of it.',
    remedy: 'Write UTF-8 with commas and the header that `detail` expects.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
