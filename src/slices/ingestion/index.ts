/**
 * Ingestion: how a publisher's file becomes the list in force, and when. Read in this order:
 *
 *   reader, importList → gatherList, writeVersion or writeDelta (mergeList), writeIndex, endImport
 *                                                   one file into force
 *   runs → runLease, runProgress, executeRun, waitingRuns, runTakeOver
 *                                                   the life of a run, over any number of workers
 *   quartz, cronDays, schedule → scheduler, schedulePlan
 *                                                   when lists are fetched
 *   sourceCatalogue, sourceFields → sourceChanges, scheduleAudit
 *                                                   what may be changed, and who signed it
 *   rebuildIndexes                                  which indexes are repaired
 */
export * from './asks.ts';
export * from './cadences.ts';
export * from './executeRun.ts';
export { failureReason } from './importEvidence.ts';
export * from './importList.ts';
export * from './importPorts.ts';
export * from './listFetch.ts';
export * from './ports.ts';
export { CRON_CHARS_MAX, CronError } from './quartz.ts';
export * from './rca.ts';
export * from './reader.ts';
export * from './rebuildIndexes.ts';
export * from './releaseChecks.ts';
export * from './runLease.ts';
export * from './runLog.ts';
export * from './runProgress.ts';
export * from './runStore.ts';
export * from './runs.ts';
export * from './runTakeOver.ts';
export * from './schedule.ts';
export * from './scheduleAudit.ts';
export * from './scheduleAuditStore.ts';
export * from './schedulePlan.ts';
export * from './scheduler.ts';
export { operatesLists, settings as listSettings } from './settings.ts';
export * from './shrinkApproval.ts';
export * from './signedSources.ts';
export * from './sourceApproval.ts';
export * from './sourceCatalogue.ts';
export * from './sourceChanges.ts';
export * from './sourceFields.ts';
export * from './tables.ts';
export * from './usedApprovals.ts';
export * from './waitingRuns.ts';
