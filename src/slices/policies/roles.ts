/** Who may see policies, and who changes and signs them. */
import type { RolePair, RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  read: ['mlro', 'compliance_officer', 'compliance_director', 'dsi_admin', 'auditor', 'admin'],
  change: ['compliance_officer', 'compliance_director', 'dsi_admin'],
  /** Those who sign, and who checks them. */
  simulate: ['compliance_officer', 'compliance_director', 'dsi_admin', 'auditor'],
} as const satisfies RoleSets;

/** A policy is signed by one of compliance and one of DSI. */
export const POLICY_ROLE_PAIR: RolePair = {
  first: ['compliance_officer', 'compliance_director'],
  second: ['dsi_admin'],
};
