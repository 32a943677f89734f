/**
 * What the stores can do differently, by name. Callers read these and never ask which database it
 * is; whatever is not listed here behaves the same on every adapter (test/storage/contract).
 */

/** `auto` probes and takes what is there, `require` refuses to start without, `off` never uses. */
export type TransactionMode = 'auto' | 'require' | 'off';

export interface StorageCapabilities {
  /**
   * A group's effects become visible in one instant. Without it the group's record is the commit
   * point and its effects are rolled forward by whoever takes the chain's head next.
   */
  readonly supportsMultiDocumentTransactions: boolean;
  /** Gateways on several hosts may share this store; else all processes are on one host. */
  readonly supportsManyHosts: boolean;
}
