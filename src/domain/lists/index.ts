/**
 * Lists: what a version is, how a file becomes the one in force, and when. Read in this order:
 *
 *   ports, entity, bundle, changes, versions        a source, a version of its list, what it holds
 *   reader, importList → gatherList, writeVersion or writeDelta (mergeList), writeIndex, endImport
 *                                                   one file into force
 *   runs → runLease, runHold, runTakeOver, executeRun
 *                                                   the life of a run, over any number of workers
 *   quartz, cronDays, schedule → scheduler, schedulePlan
 *                                                   when lists are fetched
 *   sourceCatalogue, sourceFields → sourceChanges, scheduleAudit
 *                                                   what may be changed, and who signed it
 *   retention, rebuildIndexes, snapshotLinks        what goes, is mended, is given out
 */
export * from './bundle.ts';
export * from './changes.ts';
export * from './changesBetween.ts';
export * from './countries.ts';
export { type DeltaBundle, type DeltaHeader, readDeltaBundle } from './deltaBundle.ts';
export * from './entity.ts';
export { canonicalLine, parseEntityLine } from './entityLine.ts';
export * from './executeRun.ts';
export * from './importList.ts';
export * from './importPorts.ts';
export * from './indexEntity.ts';
export * from './listEntry.ts';
export * from './listFetch.ts';
export * from './plausible.ts';
export * from './ports.ts';
export { CRON_CHARS_MAX, CronError } from './quartz.ts';
export * from './rca.ts';
export * from './reader.ts';
export * from './rebuildIndexes.ts';
export * from './retention.ts';
export * from './runHold.ts';
export * from './runLease.ts';
export * from './runLog.ts';
export * from './runs.ts';
export * from './runTakeOver.ts';
export * from './schedule.ts';
export * from './scheduleAudit.ts';
export * from './schedulePlan.ts';
export * from './scheduler.ts';
export * from './snapshotLinks.ts';
export * from './sourceCatalogue.ts';
export * from './sourceChanges.ts';
export * from './sourceFields.ts';
export * from './trustedKeys.ts';
export * from './versionEntities.ts';
export { linesInForce } from './versionInForce.ts';
export * from './versions.ts';
export { putWholeBundle } from './wholeBundle.ts';
