/** The store's failures as the caller sees them: identity fails closed, and says when to retry. */
import { DomainError } from '#core/kernel';

const RETRY_AFTER_S = 1;

/** The store's answer. Every error other than a DomainError becomes `store-unavailable`. */
export async function fromStore<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    throw new DomainError('store-unavailable', { retryAfterS: RETRY_AFTER_S, cause });
  }
}
