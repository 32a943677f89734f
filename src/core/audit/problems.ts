/** Problems of the evidence. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Rows of core/audit; src/app/sliceRows.ts joins them with those of the slices. */
export const problems = {
  'audit-chain-broken': {
    status: 423,
    title: 'Evidence chain broken',
    meaning: 'The tenant’s evidence does not verify, and changes are locked.',
    remedy: 'Call your compliance officer; `audit verify` names the event.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
