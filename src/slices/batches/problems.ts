/** Problems of batches. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'batch-base-missing': {
    status: 422,
    title: 'No batch to go on from',
    meaning: 'The mode screens what is new since an earlier batch, and there is no such batch.',
    remedy: 'Run a full batch of the same name first, or give `since` with the mode delta.',
  },
  'results-altered': {
    status: 409,
    isTampering: true,
    title: 'Altered results',
    meaning:
      'Stored results of the batch are not those that its signed entries name; nothing was ' +
      'answered.',
    remedy:
      'Report the request id; the operator finds who wrote past the service, and restores a ' +
      'backup.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
