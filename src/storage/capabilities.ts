/**
 * The differences between the stores, by name. Callers read these and never ask which database it
 * is; everything else behaves the same on every adapter (test/storage/contract).
 */

/** `auto` probes and uses what exists, `require` refuses to start without, `off` never uses it. */
export type TransactionMode = 'auto' | 'require' | 'off';

export interface StorageCapabilities {
  /**
   * A group's effects become visible in one instant. Without it the group's record is the commit
   * point, and the next process that takes the chain's head rolls its effects forward.
   */
  readonly supportsMultiDocumentTransactions: boolean;
  /** Gateways on several hosts may share this store; else all processes are on one host. */
  readonly supportsManyHosts: boolean;
}
