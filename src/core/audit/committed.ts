/** How a commit ends: durable, or already executed before. */
import { DomainError } from '#core/kernel';
import type { IdempotencyRecord, SealedEvent } from './ports.ts';

/** Durable, in the order of the commit's drafts. */
export interface Committed {
  readonly events: readonly SealedEvent[];
  readonly idempotency?: IdempotencyRecord;
}

/** `state-conflict`, and which change of the commit it was: the first one that did not hold. */
export class StaleChange extends DomainError {
  readonly changeIndex: number;

  constructor(changeIndex: number) {
    super('state-conflict');
    this.changeIndex = changeIndex;
  }
}

/**
 * Not an error of the caller's: this request was already executed, answer with the stored record.
 */
export class IdempotencyTaken extends Error {
  override readonly name = 'IdempotencyTaken';
  readonly scope: string;

  constructor(scope: string) {
    super('idempotency record exists');
    this.scope = scope;
  }
}
