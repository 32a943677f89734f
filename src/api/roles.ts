/**
 * Who may do what, in sets that operations share (decisions 1.9). Deny by default: an operation
 * names one of these, and the API description publishes it as `x-roles`.
 */
import type { Role } from '#core/identity';

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

/** Batches, their hits and reports: whoever may screen, and who checks it. */
export const BATCH_READING_ROLES: readonly Role[] = [...SCREENING_ROLES, 'auditor'];

/** Whether a hit is the customer is decided by those who work with customers and answer for it. */
export const HIT_DECIDING_ROLES: readonly Role[] = [
  'agent_l1',
  'agent_l2',
  'mlro',
  'compliance_officer',
  'compliance_director',
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

/** Sources, runs and schedules: who answers for the lists, who runs them, who checks them. */
export const INGESTION_READING_ROLES: readonly Role[] = [
  'compliance_officer',
  'compliance_director',
  'dsi_admin',
  'auditor',
  'admin',
];

/** Either signer of a change of a source may be the one who sends it. */
export const SOURCE_CHANGING_ROLES: readonly Role[] = [
  'compliance_officer',
  'compliance_director',
  'dsi_admin',
  'auditor',
];

export const INGESTION_RUNNING_ROLES: readonly Role[] = ['dsi_admin'];

/** The schedule as a whole, and a refresh by force (interface.md 4.8, 4.9). */
export const ADMINISTRATION_ROLES: readonly Role[] = ['admin'];

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
