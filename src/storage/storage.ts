/** What the composition root gets: the ports that the slices declared, and what an owner needs. */
import type { BatchStore } from '#domain/aml';
import type { AuditStore, OutboxStore } from '#domain/audit';
import type { IdentityStore } from '#domain/identity';
import type { ListStore, RunStore } from '#domain/lists';
import type { ResolutionStore } from '#domain/resolution';
import type { StorageCapabilities } from './capabilities.ts';

export interface Storage {
  readonly technology: 'sqlite' | 'mongo';
  readonly capabilities: StorageCapabilities;
  readonly audit: AuditStore;
  readonly outbox: OutboxStore;
  readonly identity: IdentityStore;
  readonly lists: ListStore & ResolutionStore;
  readonly runs: RunStore;
  readonly batches: BatchStore;
  /** Rejects with `store-unavailable` while reads or writes could not be served. */
  ping(): Promise<void>;
  /** After what is under way has ended; calls made later are refused. */
  close(): Promise<void>;
}
