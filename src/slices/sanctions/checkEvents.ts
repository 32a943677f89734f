/**
 * Events that are shown, checked one by one: hash, signature, open members under their commitment,
 * and the link to the event before. It parses and hashes tens of kilobytes an event, so a gateway
 * does it in a thread (eventThread of asks.ts). What was verified once is known by the digest of
 * its very text, and verified no more.
 */
import {
  areCopiesWhole,
  chainKeys,
  checkEvent,
  type EventCopies,
  EventRefused,
  eventText,
  type KeyRing,
  type SealedEvent,
  signatureMessage,
  wordEvent,
} from '#core/audit';
import type { ChainId } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { type ScreeningSummary, summaryOf } from './screeningSummary.ts';

/** An event as it is stored, with the stored hash of the one before it. */
export interface EventToCheck
  extends Pick<SealedEvent, 'body' | 'hash' | 'open' | 'seq' | 'type'>,
    Omit<EventCopies, 'seq' | 'type'> {
  /** Undefined: the event before it is not there. */
  readonly hashBefore: string | undefined;
}

/** What is to be checked; plain, so that it can be handed to a thread. */
export interface EventTask {
  readonly chainId: ChainId;
  readonly events: readonly EventToCheck[];
  /** The answer says what each screening is about. */
  readonly isShown?: boolean;
}

/** Why an event is not what was signed, or not where it was put. */
export const FAULT_REASONS = [
  'event-missing',
  'event-malformed',
  'hash-mismatch',
  'commitment-mismatch',
  'open-members-missing',
  'signature-invalid',
  'seq-mismatch',
  'copies-mismatch',
  'link-broken',
] as const;
/** One of FAULT_REASONS. */
export type FaultReason = (typeof FAULT_REASONS)[number];

/** A fault, with the hashes that should be equal where it is about them. */
export interface EventFault {
  readonly reason: FaultReason;
  readonly expected?: string;
  readonly found?: string;
}

/** What came of one event. */
export interface CheckedEvent {
  readonly fault?: EventFault;
  /** Absent: it was not asked for, the event is no screening, or there is a fault. */
  readonly summary?: ScreeningSummary;
}

/** In the order of the events. */
export type EventChecker = (task: EventTask) => readonly CheckedEvent[];

/** Hash before the first event. */
const GENESIS = '0'.repeat(64);
/** Events whose check is remembered; a full memory is cleared. */
const KNOWN_MAX = 20_000;

/** One for a thread, or for a command. */
export function eventChecker(keyRing: KeyRing): EventChecker {
  const known = new Map<string, CheckedEvent>();
  return ({ chainId, events, isShown = false }) => {
    const keys = chainKeys(keyRing, chainId);
    return events.map((event) => {
      const { action, body, eventId, hash, hashBefore, occurredAt, open, seq, type } = event;
      const copies = [action, eventId, occurredAt, event.screeningId];
      const parts = [chainId, isShown, type, seq, hash, hashBefore, body, open, ...copies];
      const name = sha256Hex(JSON.stringify(parts));
      const checked = known.get(name) ?? check(event, { chainId, isShown, keys });
      if (checked.fault !== undefined) return checked;
      if (known.size >= KNOWN_MAX) known.clear();
      known.set(name, checked);
      return checked;
    });
  };
}

interface CheckOf {
  readonly chainId: ChainId;
  readonly isShown: boolean;
  readonly keys: ReturnType<typeof chainKeys>;
}

function check(stored: EventToCheck, { chainId, isShown, keys }: CheckOf): CheckedEvent {
  try {
    const worded = wordEvent(JSON.parse(eventText(stored)));
    const checked = checkEvent(worded, chainId);
    const key = keys.forEvent(checked.keyId, checked.seq);
    const isSigned =
      typeof key !== 'string' && key.verify(signatureMessage(checked.hash), checked.signature);
    if (!isSigned) return { fault: { reason: 'signature-invalid' } };
    if (checked.seq !== stored.seq) return { fault: { reason: 'seq-mismatch' } };
    // By such a copy it is not found, or found in the place of another one.
    if (!areCopiesWhole(stored, worded.event)) return { fault: { reason: 'copies-mismatch' } };
    const fault = linkFault(stored, checked);
    if (fault !== undefined) return { fault };
    return isShown && worded.event.type === 'screening' ? { summary: summaryOf(worded.event) } : {};
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    return { fault: { reason } };
  }
}

function linkFault(
  { hash, hashBefore, seq }: EventToCheck,
  checked: Pick<ReturnType<typeof checkEvent>, 'gap' | 'hash' | 'previousHash'>,
): EventFault | undefined {
  if (hash !== checked.hash) {
    return { expected: checked.hash, found: hash, reason: 'hash-mismatch' };
  }
  // It says itself that those before it are lost; the check of an export compares what it names.
  if (checked.gap !== undefined) return undefined;
  const before = seq === 1 ? GENESIS : hashBefore;
  if (before === checked.previousHash) return undefined;
  return {
    expected: checked.previousHash,
    reason: 'link-broken',
    ...(before !== undefined && { found: before }),
  };
}

/** A body without its commitment is an assertion of `eventText`. */
function refusalOf(error: unknown): FaultReason | undefined {
  if (error instanceof EventRefused) return error.reason;
  const isForm =
    error instanceof SyntaxError || (error as Error | undefined)?.name === 'AssertionError';
  return isForm ? 'event-malformed' : undefined;
}
