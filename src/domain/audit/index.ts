/** The audit trail: hash chain, signatures, checkpoints, export and offline verification. */
export * from './ports.ts';
