/**
 * One stored event as proof of what it says, without the chain around it: its hash, its open
 * members and its signature are verified. Code that acts on an entry reads it through this, so that
 * nothing is done by a record that was written past the service.
 */
import { AssertionError } from 'node:assert/strict';
import type { ChainId } from '#core/kernel';
import type { PublicKey } from '#platform/crypto';
import { eventText, signatureMessage } from './chain.ts';
import { type ChainKeys, chainKeys, type KeyRing } from './keyRing.ts';
import type { SealedEvent } from './ports.ts';
import {
  checkEvent,
  checkStored,
  EventRefused,
  type JsonRecord,
  wordEvent,
} from './verifyEvent.ts';

/** By which keys, and of which chain. */
export interface VerifiedBy {
  readonly chainId: ChainId;
  readonly keyRing: KeyRing;
}

/**
 * The members of an event of this chain, open ones included while they are kept. Undefined where it
 * is not what a key of the ring signed for this chain, or does not stand where it says.
 */
export function verifiedEvent(event: SealedEvent, by: VerifiedBy): JsonRecord | undefined {
  const claim = claimOf(event, by, chainKeys(by.keyRing, by.chainId));
  return claim?.key.verify(claim.message, claim.signature) ? claim.members : undefined;
}

/** The same of many, in their order: signatures are verified on threads of libuv's pool. */
export function verifiedEvents(
  events: readonly SealedEvent[],
  by: VerifiedBy,
): Promise<readonly (JsonRecord | undefined)[]> {
  const keys = chainKeys(by.keyRing, by.chainId);
  return Promise.all(
    events.map(async (event) => {
      const claim = claimOf(event, by, keys);
      const isSigned = claim && (await claim.key.verifyAsync(claim.message, claim.signature));
      return isSigned ? claim.members : undefined;
    }),
  );
}

/** What an event says, and the signature that is to say so, too. */
interface Claim {
  readonly members: JsonRecord;
  readonly key: PublicKey;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** Undefined where its hash or its open members are not those of its text. */
function claimOf(event: SealedEvent, { chainId }: VerifiedBy, keys: ChainKeys): Claim | undefined {
  try {
    const checked = checkStored(event, chainId) ?? checkWorded(event, chainId);
    const { hash, keyId, members, seq, signature } = checked;
    const key = keys.forEvent(keyId, seq);
    if (typeof key === 'string' || !areCopiesSigned(event, members)) return undefined;
    return { key, members, message: signatureMessage(hash), signature };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function checkWorded(event: SealedEvent, chainId: ChainId) {
  const worded = wordEvent(JSON.parse(eventText(event)));
  return { ...checkEvent(worded, chainId), members: worded.event };
}

/** What the store has beside an event’s text, and finds it by. */
export type EventCopies = Partial<
  Pick<SealedEvent, 'action' | 'eventId' | 'occurredAt' | 'screeningId' | 'seq' | 'type'>
>;

/** Whether copies are what the event says itself; one that is absent says nothing. */
export function areCopiesSigned(copies: EventCopies, members: JsonRecord): boolean {
  const { action, eventId, occurredAt, screeningId, seq, type } = copies;
  const isSigned = (copy: unknown, member: unknown): boolean =>
    copy === undefined || copy === member;
  return (
    isSigned(seq, members.seq) &&
    isSigned(type, members.type) &&
    isSigned(eventId, members.event_id) &&
    isSigned(occurredAt, Date.parse(String(members.occurred_at))) &&
    isSigned(action, members.action) &&
    isSigned(screeningId, members.screening_id)
  );
}

/**
 * Whether an event of the store has every copy that it is found by, and none beside: one whose copy
 * was taken away is in no list of its action, and changes nothing else.
 */
export function areCopiesWhole(copies: EventCopies, members: JsonRecord): boolean {
  const { action, screening_id: screeningId, type } = members;
  return (
    areCopiesSigned(copies, members) &&
    copies.action === action &&
    copies.screeningId === (type === 'screening' ? screeningId : undefined)
  );
}

/** A body without its commitment is an assertion of `eventText`. */
const isRefusal = (error: unknown): boolean =>
  error instanceof EventRefused || error instanceof SyntaxError || error instanceof AssertionError;
