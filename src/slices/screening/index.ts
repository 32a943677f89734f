/** Screening: a query against the lists in force, its verdict and its evidence. */
export * from './asks.ts';
export type { CandidateRecord } from './candidateText.ts';
export * from './eraseScreenings.ts';
export * from './exclusions.ts';
export * from './explainHits.ts';
export * from './hitExplanation.ts';
export { type AnswerCaller, type FoundHits, factsOfHits } from './hitFacts.ts';
export { EXPLAINED_PER_TOKEN } from './limits.ts';
export * from './listedEntity.ts';
export * from './lists.ts';
export * from './listsInForce.ts';
export { type IndexLoading, loadIndex } from './loadIndex.ts';
export * from './lookUp.ts';
export {
  type Hit,
  hitsOf,
  type MergedEntry,
  type MergedPositions,
  mergedPositions,
  sourceOf,
} from './mergeHits.ts';
export * from './ports.ts';
export * from './queryDates.ts';
export { queryTokens } from './queryTokens.ts';
export * from './registerRows.ts';
export { requireMonitor } from './requireMonitor.ts';
export { RERANKERS } from './rerankers.ts';
export { earliestAnswered, isPastRetention } from './retention.ts';
export { roles as screeningRoles } from './roles.ts';
export * from './screen.ts';
export * from './screeningCache.ts';
export * from './screeningFigures.ts';
export * from './screeningParts.ts';
export * from './screeningRecord.ts';
export * from './screeningUsage.ts';
export {
  besideExcluded,
  completedEvent,
  type QueryPorts,
  type ScreenedQuery,
  screeningDraft,
  screenQuery,
} from './screenQuery.ts';
export { policyOfBatches, settings as screeningSettings } from './settings.ts';
export * from './signedScreening.ts';
export * from './tables.ts';
export * from './verdict.ts';
