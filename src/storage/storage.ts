/** What the composition root gets: the ports that the slices declared, and those of an owner. */
import type { AuditStore, HeldHead } from '#core/audit';
import type { Tables } from '#core/kernel';
import type { Outbox } from '#core/reactions';
import type { EpochMs } from '#platform/clock';
import type { StorageCapabilities } from './capabilities.ts';

export interface Storage {
  readonly technology: 'sqlite' | 'mongo';
  readonly capabilities: StorageCapabilities;
  readonly audit: AuditStore;
  readonly outbox: Outbox;
  /** Declared tables, as they were named when the storage was opened. */
  readonly tables: Tables;
  /** Ordered by chain; those that nobody has are not among them. */
  heldHeads(): Promise<readonly HeldHead[]>;
  /** By the store's own clock; undefined where it has none but this host's. */
  time(): Promise<EpochMs | undefined>;
  /** Rejects with `store-unavailable` while reads or writes could not be served. */
  ping(): Promise<void>;
  /** Waits for running calls; later calls are refused. */
  close(): Promise<void>;
}
