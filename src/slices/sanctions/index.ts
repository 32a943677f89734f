/**
 * The register of screenings and what is done with it. Read in this order: screeningPages →
 * screeningSummary, checkEvents, checkShown → listScreenings; fillRegister; chainBreaks →
 * walkChains; replayScreening → replays; screeningTally → countScreenings → screeningKpis;
 * usage; reportDocument → makeReport, reportLinks.
 */
export * from './asks.ts';
export * from './chainBreaks.ts';
export * from './checkEvents.ts';
export * from './checkShown.ts';
export * from './countScreenings.ts';
export { DIFFERENCES_MAX, differencesOf } from './differences.ts';
export * from './fillRegister.ts';
export * from './limits.ts';
export * from './listScreenings.ts';
export * from './makeReport.ts';
export { seqOfMissing } from './missingEvent.ts';
export * from './ports.ts';
export * from './replayScreening.ts';
export * from './replays.ts';
export * from './reportDocument.ts';
export * from './reportLinks.ts';
export * from './screeningKpis.ts';
export * from './screeningPages.ts';
export * from './screeningSummary.ts';
export * from './screeningTally.ts';
export * from './tables.ts';
export * from './usage.ts';
export * from './walkChains.ts';
