/** Problems of lists and of their stored files. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Rows of this slice; src/app/sliceRows.ts joins them with those of all parts. */
export const problems = {
  'list-unknown': {
    status: 400,
    title: 'Unknown list',
    meaning: 'There is no list of that code.',
    remedy: 'Use the codes of the API description, or source ids.',
    exit: 'notFound',
  },
  'list-unavailable': {
    status: 422,
    title: 'List not loaded',
    meaning: 'The list is known and no version of it is in force.',
    remedy: 'Import the list first, or leave it out.',
  },
  'list-damaged': {
    status: 422,
    title: 'Damaged list file',
    meaning: 'The file is not whole; nothing was changed.',
    remedy: 'Fetch the file again and compare its digest.',
  },
  'list-altered': {
    status: 409,
    isTampering: true,
    title: 'Altered list',
    meaning:
      'The record of a list names an index or a version that the last signed entry of the list ' +
      'does not name; it was not loaded.',
    remedy:
      'The operator runs `doctor`, finds who wrote past the service, and imports the list again.',
  },
  'link-expired': {
    status: 403,
    title: 'Link expired',
    meaning: 'The link was good once; its five minutes have passed.',
    remedy: 'Ask for a new link.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
