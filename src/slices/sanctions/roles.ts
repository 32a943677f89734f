/** Who may list screenings, and acknowledge a break of the chain. */
import type { RolePair, RoleSets } from '#core/identity';
import { auditRoles } from '#slices/audit';

/** The sets of roles that this slice's operations name. */
export const roles = {
  figures: [
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'dsi_admin',
    'auditor',
    'admin',
  ],
  replay: ['agent_l2', 'mlro', 'auditor'],
  /** Roles that read the evidence see all; an agent sees what they asked for or work on. */
  /** Either side writes the acknowledgement that the other one signs. */
  acknowledge: ['compliance_officer', 'compliance_director', 'dsi_admin'],
  list: [...auditRoles.evidence, 'agent_l1'],
} as const satisfies RoleSets;

/** Who signs that a broken chain is acknowledged. */
export const BREAK_ROLE_PAIR: RolePair = {
  first: ['compliance_officer', 'compliance_director'],
  second: ['dsi_admin'],
};
