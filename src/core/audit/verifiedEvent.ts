/**
 * One stored event as proof of what it says, without the chain around it: its hash, its open
 * members and its signature are verified. Code that acts on an entry reads it through this, so that
 * nothing is done by a record that was written past the service.
 */
import { AssertionError } from 'node:assert/strict';
import type { ChainId } from '#core/kernel';
import { eventText, signatureMessage } from './chain.ts';
import { chainKeys, type KeyRing } from './keyRing.ts';
import type { SealedEvent } from './ports.ts';
import { checkEvent, EventRefused, type JsonRecord, wordEvent } from './verifyEvent.ts';

/**
 * The members of an event of this chain, open ones included while they are kept. Undefined where it
 * is not what a key of the ring signed for this chain.
 */
export function verifiedEvent(
  event: SealedEvent,
  { chainId, keyRing }: { readonly chainId: ChainId; readonly keyRing: KeyRing },
): JsonRecord | undefined {
  try {
    const worded = wordEvent(JSON.parse(eventText(event)));
    const { hash, keyId, seq, signature } = checkEvent(worded, chainId);
    const key = chainKeys(keyRing, chainId).forEvent(keyId, seq);
    const isSigned = typeof key !== 'string' && key.verify(signatureMessage(hash), signature);
    return isSigned ? worded.event : undefined;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** A body without its commitment is an assertion of `eventText`. */
const isRefusal = (error: unknown): boolean =>
  error instanceof EventRefused || error instanceof SyntaxError || error instanceof AssertionError;
