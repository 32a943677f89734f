/** Files by their content: the store's port, and what may go. */
export * from './ports.ts';
export { ORPHAN_AGE_MS, removeOldSpools, sweepBlobs } from './sweep.ts';
