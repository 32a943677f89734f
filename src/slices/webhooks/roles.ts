/** Who registers endpoints, changes them, and reads what was delivered. */
import type { Role, RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  /** Registration, tests and replays. */
  develop: ['admin', 'developer'],
  /** Configuration and secrets. */
  administer: ['admin'],
  /** Endpoints, deliveries and figures. */
  read: ['admin', 'developer', 'auditor', 'compliance_officer'],
  /** Who opens an endpoint for confidential events. */
  open: ['compliance_officer', 'mlro'],
} as const satisfies RoleSets;

/** For whom deliveries of confidential events exist (decision 8.5). */
export const CONFIDENTIAL_ROLES: readonly Role[] = ['admin', 'auditor', 'compliance_officer'];
