/** Resolution: which entries of several lists are one. */
export * from './carryResolution.ts';
export * from './ports.ts';
export * from './resolution.ts';
export * from './resolutionStore.ts';
export * from './resolveInForce.ts';
export * from './resolveLists.ts';
export * from './separateEntries.ts';
export * from './signedResolutions.ts';
export * from './tables.ts';
