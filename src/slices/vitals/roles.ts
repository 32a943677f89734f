/** Who sees the state of the installation. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  read: [
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'dsi_admin',
    'auditor',
    'admin',
  ],
} as const satisfies RoleSets;
