/**
 * Privacy: requests of persons about their data, and what they have asked for that stops
 * processing. Read in this order: tables, deadlines → receiveRequest, decideRequest, reminders →
 * exportRequest, archive → erasurePlan, approveErasure, carryOutErasure, endErasure,
 * identityVault → legalHold, stopErasures, subjectFlags.
 */
export * from './answeredErasure.ts';
export * from './approveErasure.ts';
export * from './archiveKey.ts';
export * from './carryOutErasure.ts';
export * from './carryOutNow.ts';
export * from './deadlines.ts';
export * from './decideRequest.ts';
export * from './eraseOwn.ts';
export * from './erasePorts.ts';
export * from './erasurePlan.ts';
export * from './erasureTables.ts';
export * from './exportRequest.ts';
export * from './holdTable.ts';
export * from './identityVault.ts';
export * from './legalHold.ts';
export * from './limits.ts';
export * from './ports.ts';
export * from './privacyParts.ts';
export * from './readRequests.ts';
export * from './receiveRequest.ts';
export * from './reminders.ts';
export * from './repeatErasure.ts';
export type { KeptRequest } from './requestStep.ts';
export { settings as privacySettings } from './settings.ts';
export * from './signedPrivacy.ts';
export * from './stopErasures.ts';
export * from './subjectFlags.ts';
export * from './tables.ts';
