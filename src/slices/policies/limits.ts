/** Limits of policies. */
import type { LimitRow } from '#core/kernel';

/** Shortest justification for a sanctions list that is screened no more. */
export const SWITCHED_OFF_CHARS_MIN = 100;
/** Longest justification, and longest comment of a signature. */
export const JUSTIFICATION_CHARS_MAX = 4_000;
/** Screenings of one simulation. */
export const SIMULATED_SCREENINGS_MAX = 10_000;
/** Those that it shows. */
export const SIMULATED_EXAMPLES_MAX = 20;
/** How long a simulation goes on; it answers what it has found by then. */
export const SIMULATION_MS_MAX = 20_000;
/** How long a lone signature waits for the second one. */
export const SIGNED_MS = 7 * 24 * 3_600_000;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-invalid', max: JUSTIFICATION_CHARS_MAX, what: 'Characters of a justification' },
  { beyond: 'body-invalid', max: SIMULATED_SCREENINGS_MAX, what: 'Screenings of a simulation' },
];
