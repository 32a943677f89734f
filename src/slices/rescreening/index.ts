/**
 * Re-screening: customers whom a tenant has watched are compared with each version of the lists.
 * Read in this order: tables, ports → registerSubjects → planRuns → runRescreening, sightings,
 * chunkLeaves → delistings, prove.
 */
export * from './checkRegister.ts';
export * from './chunkLeaves.ts';
export * from './commitChunk.ts';
export * from './delistings.ts';
export * from './endRun.ts';
export * from './enrolBatch.ts';
export * from './eraseMonitored.ts';
export * from './lateness.ts';
export * from './limits.ts';
export * from './nextCustomers.ts';
export * from './planRuns.ts';
export * from './ports.ts';
export * from './prove.ts';
export * from './registerSubjects.ts';
export * from './rescreeningFigures.ts';
export * from './rescreeningState.ts';
export * from './runRescreening.ts';
export * from './sightings.ts';
export * from './signedEntries.ts';
export * from './signedRegister.ts';
export * from './signedRuns.ts';
export * from './tables.ts';
export * from './toldFindings.ts';
export * from './watchScreened.ts';
