/** The head of a chain before its first event. */
import type { ChainHead } from '#core/audit';

export const HASH_ZERO = '0'.repeat(64);
export const HEAD_EMPTY: ChainHead = { seq: 0, hash: HASH_ZERO };
