/** How a commit ends: durable, stale, or already executed before. */
import { DomainError } from '#core/kernel';
import type { IdempotencyRecord, SealedEvent } from './ports.ts';

/** What a commit wrote, durable; events in the order of the commit's drafts. */
export interface Committed {
  readonly events: readonly SealedEvent[];
  readonly idempotency?: IdempotencyRecord;
}

/**
 * `state-conflict`: a change's `versionExpected` did not hold. `changeIndex` is the first such
 * change of the commit, counted from 0.
 */
export class StaleChange extends DomainError {
  readonly changeIndex: number;

  constructor(changeIndex: number) {
    super('state-conflict');
    this.changeIndex = changeIndex;
  }
}

/**
 * This request was already executed: answer with the stored record of `scope`. Not an error of the
 * caller.
 */
export class IdempotencyTaken extends Error {
  override readonly name = 'IdempotencyTaken';
  readonly scope: string;

  constructor(scope: string) {
    super('idempotency record exists');
    this.scope = scope;
  }
}
