/** Who may screen, and who may see against what. */
import type { RoleSets } from '#core/identity';
import { auditRoles } from '#slices/audit';

/** The sets of roles that this slice's operations name. */
export const roles = {
  /** Those who work with customers or integrate a system; an auditor only reads. */
  screen: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'admin',
    'developer',
  ],
  readEvidence: auditRoles.evidence,
  /** Which lists are in force is no secret inside a tenant. */
  readLists: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'dsi_admin',
    'auditor',
    'admin',
    'developer',
  ],
} as const satisfies RoleSets;
