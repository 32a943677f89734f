/** The audit trail: hash chain, signatures, checkpoints, export and offline verification. */
export * from './auditLog.ts';
export * from './chain.ts';
export {
  type ChainWriterLimits,
  type ChainWriterTools,
  type Committed,
  IdempotencyTaken,
} from './chainWriter.ts';
export * from './ports.ts';
