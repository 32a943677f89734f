/** Roles that may read the evidence. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  /** Roles that answer for the evidence or check it. */
  evidence: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director', 'auditor', 'admin'],
  /** Roles that see what entries keep apart as personal. */
  openEvidence: ['compliance_officer', 'compliance_director', 'auditor'],
} as const satisfies RoleSets;
