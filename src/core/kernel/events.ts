/**
 * What leaves the system through the outbox to the bus (interface.md, 6.4; aml.batch.completed of
 * 6.2 is for webhooks). Ids and verdicts only: no bodies, no personal data (decisions 7.6).
 */
import type { Change as TableChange } from './table.ts';

export type BusTopic =
  | 'sanctions.screening.completed'
  | 'sanctions.batch.progress'
  | 'aml.batch.completed'
  | 'sanctions.list.reindexed'
  | 'sanctions.policy.updated'
  | 'service.sanctions.lists.updated'
  | 'service.sanctions.schedule.updated'
  | 'document.uploaded';

export interface BusEvent {
  readonly topic: BusTopic;
  /** The partition: the tenant's id, or the source's where interface.md says so. */
  readonly partition: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * One write of a slice's state, as plain data, so that it can cross to the storage thread and share
 * a transaction with its audit record. Each slice declares its own kinds; storage applies them.
 */
export interface Change {
  readonly kind: string;
}

/** Until every slice has declared its tables a commit may hold changes of both sorts. */
export type AnyChange = Change | (TableChange & { readonly kind?: never });
