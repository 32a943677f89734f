/**
 * Who may do what, in sets that operations share (decisions 1.9). Deny by default: an operation
 * names one of these, and the API description publishes it as `x-roles`.
 */
import type { Role } from '#domain/identity';

/** Whoever works with customers or integrates a system may screen; an auditor only reads. */
export const SCREENING_ROLES: readonly Role[] = [
  'agent_l1',
  'agent_l2',
  'mlro',
  'compliance_officer',
  'compliance_director',
  'admin',
  'developer',
];

/** Evidence is for those who answer for it or check it. */
export const EVIDENCE_ROLES: readonly Role[] = [
  'agent_l2',
  'mlro',
  'compliance_officer',
  'compliance_director',
  'auditor',
  'admin',
];

/** Which lists are in force is no secret inside a tenant. */
export const LIST_READING_ROLES: readonly Role[] = [
  'agent_l1',
  'agent_l2',
  'mlro',
  'compliance_officer',
  'compliance_director',
  'dsi_admin',
  'auditor',
  'admin',
  'developer',
];
