/**
 * Files named by their content: the store's port, and the removal of files that no record names.
 */
export * from './namedBlobs.ts';
export * from './ports.ts';
export { ORPHAN_AGE_MS, type SweepPorts, type SweepResult, sweepBlobs } from './sweep.ts';
