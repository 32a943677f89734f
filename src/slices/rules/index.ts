/**
 * Rules over transactions. Read in this order: ruleLanguage, checkRule → exactNumbers, spans,
 * entry, series, edges → values, conditions, aggregates, compileRule → ruleEngine, ruleAlert,
 * explainAlert → defaultPack, tables, ruleRecord, changeRule, publishRule, signedRules → ruleSet,
 * readEntries, evaluateLog, evaluated, planAlerts, suppressions, signedPosition → readResults,
 * dryRun, backtest, signedBacktests, shadowFigures, replay.
 */
export * from './backtest.ts';
export * from './changeRule.ts';
export { checkRule } from './checkRule.ts';
export * from './defaultPack.ts';
export * from './digests.ts';
export * from './dryRun.ts';
export * from './eraseWindows.ts';
export * from './evaluated.ts';
export * from './evaluateLog.ts';
export { lapseRules } from './lapseRules.ts';
export * from './limits.ts';
export type { RuleDeskPorts, RuleReadPorts, RuleWritePorts } from './ports.ts';
export * from './publishApproved.ts';
export * from './publishRule.ts';
export * from './readResults.ts';
export * from './replay.ts';
export * from './ruleAlert.ts';
export * from './ruleLanguage.ts';
export * from './ruleRecord.ts';
export { type RuleSet, ruleSetOf } from './ruleSet.ts';
export * from './shadowFigures.ts';
export * from './signedBacktests.ts';
export * from './signedPosition.ts';
export * from './signedResults.ts';
export * from './signedRules.ts';
export { subjectKeysOf } from './subjectKeys.ts';
export * from './suppressions.ts';
export * from './tables.ts';
