/** Roles that may screen, and that may see the lists in force. */
import type { RoleSets } from '#core/identity';
import { auditRoles } from '#slices/audit';

/** The sets of roles that this slice's operations name. */
export const roles = {
  /** Roles that work with customers or integrate a system; an auditor only reads. */
  screen: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'admin',
    'developer',
  ],
  /** Who says who the tenant's customers are: not a first-level agent, who screens them. */
  monitor: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director', 'developer'],
  readEvidence: auditRoles.evidence,
  /** Roles that screen, and those that read the evidence: both judge who is meant. */
  readEntities: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
    'admin',
    'developer',
  ],
  /** The lists in force are no secret inside a tenant. */
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
