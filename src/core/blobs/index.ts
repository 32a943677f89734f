/**
 * Files named by their content: the store's port, the removal of files that no record names, and
 * the keys under which personal data lies in them.
 */
export { type DataKey, DataKeys, type StoredDataKey } from './dataKeys.ts';
export * from './keyTree.ts';
export * from './namedBlobs.ts';
export * from './ports.ts';
export * from './sealedBlobs.ts';
export { ORPHAN_AGE_MS, type SweepPorts, type SweepResult, sweepBlobs } from './sweep.ts';
export { dataKeyTable } from './tables.ts';
