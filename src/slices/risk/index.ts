/**
 * Risk: policies that say how much care a client needs, and evaluations by them. Read in this
 * order: words, facts, policyContent, compilePolicy, checkContent, checkFacts → tables, signedRisk,
 * inForce, policyRecord, draftPolicy, listPolicies → clientFacts, evaluation, evaluateClient,
 * caseRisk, clientNews, replayEvaluation, distribution → segments, tally, figures,
 * readEvaluations, leftOut, signedProgress, countShadow, shadow, changeStage, outcomes, backtest,
 * riskReports, approvePolicy, publishPolicy, contentChanges, approveAsked → eraseClient.
 */
export * from './approveAsked.ts';
export * from './approvePolicy.ts';
export * from './backtest.ts';
export * from './backtestReport.ts';
export * from './caseRisk.ts';
export * from './changeStage.ts';
export * from './checkContent.ts';
export * from './checkFacts.ts';
export * from './clientFacts.ts';
export * from './clientNews.ts';
export * from './clientQuarters.ts';
export * from './compilePolicy.ts';
export * from './contentChanges.ts';
export * from './countShadow.ts';
export * from './distribution.ts';
export * from './draftPolicy.ts';
export * from './eraseClient.ts';
export * from './evaluateClient.ts';
export * from './evaluation.ts';
export * from './facts.ts';
export * from './figures.ts';
export * from './inForce.ts';
export * from './leftOut.ts';
export * from './limits.ts';
export * from './listPolicies.ts';
export * from './manualLevel.ts';
export * from './outcomes.ts';
export * from './overrideClient.ts';
export * from './policyContent.ts';
export * from './policyRecord.ts';
export * from './ports.ts';
export * from './publishPolicy.ts';
export * from './readEvaluations.ts';
export * from './remindApprovers.ts';
export * from './replayEvaluation.ts';
export * from './riskReports.ts';
export * from './segments.ts';
export * from './settings.ts';
export * from './shadow.ts';
export * from './signedRisk.ts';
export * from './submitPolicy.ts';
export * from './tables.ts';
export * from './tally.ts';
export * from './words.ts';
