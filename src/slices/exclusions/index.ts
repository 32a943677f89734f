/**
 * Exclusions: a subject was decided not to be a listed party (decision 2.12). Read in this order:
 * tables, exclusion, entityDigest → addExclusion, decideExclusion → endExclusions →
 * signedExclusions, exclusionSets, exclusionsInForce → readExclusions.
 */
export * from './addExclusion.ts';
export * from './checkedVersions.ts';
export * from './decideExclusion.ts';
export * from './endExclusions.ts';
export * from './endedAsSigned.ts';
export * from './entityDigest.ts';
export * from './eraseExclusions.ts';
export * from './exclusion.ts';
export * from './exclusionParts.ts';
export * from './exclusionSets.ts';
export * from './exclusionsInForce.ts';
export * from './limits.ts';
export * from './ports.ts';
export * from './readExclusions.ts';
export * from './signedExclusions.ts';
export * from './tables.ts';
