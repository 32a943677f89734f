/**
 * Policies: all that a tenant decides of its screenings, in versions that two persons sign (S5 to
 * S11). Read in this order: content, rules → tables, policyRecord, signedPolicies → draftPolicy,
 * signPolicy, publication → inForce, firstPolicy.
 */
export * from './asks.ts';
export * from './content.ts';
export * from './draftPolicy.ts';
export * from './firstPolicy.ts';
export * from './formerFlags.ts';
export * from './inForce.ts';
export * from './lapseSignatures.ts';
export * from './limits.ts';
export * from './policyHistory.ts';
export * from './policyRecord.ts';
export * from './ports.ts';
export * from './processPolicies.ts';
export * from './publication.ts';
export * from './publishApproved.ts';
export { POLICY_ROLE_PAIR } from './roles.ts';
export * from './rules.ts';
export * from './settingsChange.ts';
export * from './signedPolicies.ts';
export * from './signPolicy.ts';
export * from './simulate.ts';
export * from './tables.ts';
