/**
 * Risk: policies that say how much care a client needs, and evaluations by them. Read in this
 * order: words, facts, policyContent, compilePolicy, checkContent, checkFacts → tables, signedRisk,
 * inForce, policyRecord, draftPolicy, listPolicies → clientFacts, evaluation, evaluateClient,
 * replayEvaluation, distribution.
 */
export * from './checkContent.ts';
export * from './checkFacts.ts';
export * from './clientFacts.ts';
export * from './compilePolicy.ts';
export * from './distribution.ts';
export * from './draftPolicy.ts';
export * from './evaluateClient.ts';
export * from './evaluation.ts';
export * from './facts.ts';
export * from './inForce.ts';
export * from './limits.ts';
export * from './listPolicies.ts';
export * from './policyContent.ts';
export * from './policyRecord.ts';
export * from './ports.ts';
export * from './replayEvaluation.ts';
export * from './settings.ts';
export * from './signedRisk.ts';
export * from './tables.ts';
export * from './words.ts';
