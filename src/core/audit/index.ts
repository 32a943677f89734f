/** The audit trail: hash chain, signatures, checkpoints, export and offline verification. */
export * from './auditLog.ts';
export * from './auditTrail.ts';
export * from './chain.ts';
export type { ChainWriterLimits, ChainWriterTools } from './chainWriter.ts';
export { parseCheckpoint, signCheckpoint } from './checkpoint.ts';
export * from './checkpointFile.ts';
export * from './committed.ts';
export * from './entry.ts';
export * from './eraseEvidence.ts';
export * from './exportAudit.ts';
export * from './keyRing.ts';
export * from './keyRingFile.ts';
export * from './overwrite.ts';
export * from './ports.ts';
export * from './runCheckpoints.ts';
export { checkEvent, EventRefused, wordEvent } from './verifyEvent.ts';
export { type VerifyOptions, type VerifyReport, verifyExport } from './verifyExport.ts';
export type { BadReason, FirstBad } from './verifyReport.ts';
