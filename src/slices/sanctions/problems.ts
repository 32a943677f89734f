/** Problems of sanctions. */
import type { CodesOf, ProblemRows } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'export-disabled': {
    status: 403,
    title: 'Export disabled',
    meaning: 'The policy in force allows no export of evidence (`audit_export_enabled`).',
    remedy: 'Read it over the API, or have a policy published that allows it.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
