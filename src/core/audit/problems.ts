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
  'audit-chain-behind': {
    status: 503,
    title: 'Evidence behind its checkpoints',
    meaning:
      'The store does not continue its checkpoints, as an old backup does not, or one of them ' +
      'is not what was signed; nothing is signed.',
    remedy: 'The operator asks `doctor`, which tells what to do.',
    exit: 'unavailable',
  },
  'evidence-altered': {
    status: 409,
    isTampering: true,
    title: 'Altered evidence',
    meaning: 'A stored event is not what was signed, or has lost what no erasure took.',
    remedy: 'Report the request id; `audit verify` of an export names every such event.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
