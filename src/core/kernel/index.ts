/** What every slice shares: ids, errors, the shape of events and of changes. */
export * from './errors.ts';
export * from './events.ts';
export * from './fullDisk.ts';
export * from './ids.ts';
