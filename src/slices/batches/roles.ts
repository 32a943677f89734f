/** Roles that may order batches, read them, and decide their hits. */
import type { RoleSets } from '#core/identity';
import { auditRoles } from '#slices/audit';
import { screeningRoles } from '#slices/screening';

/** The sets of roles that this slice's operations name. */
export const roles = {
  order: screeningRoles.screen,
  /** Roles that may screen, and the auditor. */
  read: [...screeningRoles.screen, 'auditor'],
  /** Roles that work with customers and answer for it decide whether a hit is the customer. */
  decideHits: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
  readEvidence: auditRoles.evidence,
} as const satisfies RoleSets;
