/** Lists: normalised entities, versions, signed bundles, publication. */
export * from './bundle.ts';
export * from './countries.ts';
export * from './entity.ts';
export * from './importList.ts';
export * from './indexEntity.ts';
export * from './plausible.ts';
export * from './ports.ts';
export type { ListCounts } from './prepareList.ts';
export { CRON_CHARS_MAX, CronError } from './quartz.ts';
export * from './rca.ts';
export * from './reader.ts';
export * from './runLease.ts';
export * from './runLog.ts';
export * from './runs.ts';
export * from './runTakeOver.ts';
export * from './schedule.ts';
export * from './sourceCatalogue.ts';
export * from './versions.ts';
