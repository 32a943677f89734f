/**
 * Re-screening: customers whom a tenant has watched are compared with each version of the lists.
 * Read in this order: tables, ports → registerSubjects → planRuns → runRescreening, sightings,
 * chunkLeaves → delistings, prove.
 */
export * from './chunkLeaves.ts';
export * from './delistings.ts';
export * from './limits.ts';
export * from './planRuns.ts';
export * from './ports.ts';
export * from './prove.ts';
export * from './registerSubjects.ts';
export * from './runRescreening.ts';
export * from './sightings.ts';
export * from './tables.ts';
