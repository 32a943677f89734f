/** Who registers endpoints, changes them, and reads what was delivered. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  /** Registration, tests and replays. */
  develop: ['admin', 'developer'],
  /** Configuration and secrets. */
  administer: ['admin'],
  /** Endpoints, deliveries and figures. */
  read: ['admin', 'developer', 'auditor'],
} as const satisfies RoleSets;
