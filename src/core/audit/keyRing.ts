/**
 * The public keys of the evidence, with the range of seq in which each one was in use, as `keys
 * public` writes them. A stolen old key must not sign new events, and an event of ten years ago
 * must still find its key. So a key is retired by an end to its range, never by being dropped.
 *
 *   {"keys":[{…, "held":{"default":{from, until},"<tenant id>":{from, until}}}]}
 *
 * `held` counts per chain, since every tenant counts its own seq. `default` is for chains without
 * an entry: those that had no event when the key came or went. Both ends are included; `until` null
 * is open. A key without `held` (a plain JWK set) was always in use.
 */
import type { ChainId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  KeyError,
  type PublicJwk,
  type PublicKey,
  publicJwk,
  publicKeyFromX,
} from '#platform/crypto';

/**
 * Range of seq that a key may sign, both ends included. `until` null is open; `until` below `from`
 * is empty.
 */
export interface HeldRange {
  readonly from: number;
  readonly until: number | null;
}

/** An Ed25519 JWK with its ranges by chain id, and `default` for chains without a range. */
export interface AuditKey extends PublicJwk {
  readonly held: Readonly<Record<string, HeldRange>>;
  /** When it was retired, RFC 3339 UTC; absent for one in use, or retired by a former release. */
  readonly retired_at?: string;
}

/** The key ring, as its file and its publication have it. */
export interface KeyRing {
  readonly keys: readonly AuditKey[];
}

const ALWAYS: HeldRange = { from: 1, until: null };
const NEVER: HeldRange = { from: 1, until: 0 };

/** A ring of one key, in use from seq 1 of every chain. */
export function newKeyRing(key: PublicKey): KeyRing {
  return { keys: [{ ...publicJwk(key), held: { default: ALWAYS } }] };
}

/**
 * Lets `next` take over. `heads` are all chains that have events, read while no process writes.
 * Every key in use ends at the head, and `next` begins after it. Throws KeyError where `next` was
 * in the ring before.
 */
export function rotateKeyRing(
  ring: KeyRing,
  next: PublicKey,
  heads: readonly { chainId: ChainId; seq: number }[],
  at?: EpochMs,
): KeyRing {
  if (ring.keys.some((key) => key.kid === next.keyId)) {
    throw new KeyError('key ring: a key that was there before cannot come again');
  }
  const busy = heads.filter((head) => head.seq > 0);
  const begun = busy.map((head) => [head.chainId, { from: head.seq + 1, until: null }] as const);
  const held: Record<string, HeldRange> = { ...Object.fromEntries(begun), default: ALWAYS };
  return { keys: [...ring.keys.map((key) => retire(key, busy, at)), { ...publicJwk(next), held }] };
}

function retire(
  key: AuditKey,
  heads: readonly { chainId: ChainId; seq: number }[],
  at: EpochMs | undefined,
): AuditKey {
  if (key.held.default?.until !== null) return key;
  const ended = heads.map(({ chainId, seq }) => {
    const { from } = key.held[chainId] ?? ALWAYS;
    return [chainId, { from, until: seq }] as const;
  });
  const held = { ...key.held, ...Object.fromEntries(ended), default: NEVER };
  return { ...key, held, ...(at !== undefined && { retired_at: toTimestamp(at) }) };
}

/** The ring as one tenant may see it, without any other tenant's id. */
export function keyRingOf(ring: KeyRing, chainId: ChainId): KeyRing {
  return {
    keys: ring.keys.map((key) => {
      const own = key.held[chainId];
      return {
        ...key,
        held: { default: key.held.default ?? ALWAYS, ...(own && { [chainId]: own }) },
      };
    }),
  };
}

/** The keys of one chain, ready to verify with. */
export interface ChainKeys {
  /** The key, if it was in use at event `seq`; otherwise the reason. */
  forEvent(keyId: string, seq: number): PublicKey | KeyProblem;
  /**
   * The key, if it may attest a head of `seq`. A newer key may attest an older head, but a retired
   * key may not attest a later one.
   */
  forCheckpoint(keyId: string, seq: number): PublicKey | KeyProblem;
  /**
   * The key, if it may sign a document that speaks of the chain up to `seq`, and of a time. A
   * retired key may not speak of what it did not live to see, nor without a place in the chain.
   */
  forDocument(keyId: string, of: DocumentPlace): PublicKey | KeyProblem;
}

/** What a signed document says of when it was made. */
export interface DocumentPlace {
  /** Undefined: a document of a former release, which does not say. */
  readonly seq: number | undefined;
  /** RFC 3339 UTC with milliseconds; undefined where it does not say. */
  readonly at: string | undefined;
}

/** Why a key does not count: not in the ring, or in it but not in use at that seq. */
export type KeyProblem = 'key-unknown' | 'key-not-held';

/**
 * Reads a ring or a plain JWK set for one chain. Throws KeyError where the document or one of its
 * keys has the wrong form.
 */
export function chainKeys(document: unknown, chainId: string): ChainKeys {
  const keys = new Map<string, { key: PublicKey; held: HeldRange; retiredAt: unknown }>();
  for (const jwk of jwksOf(document)) {
    const key = keyFromX(jwk.x);
    // The id is bound to the key, so a key cannot be published under the id of another one.
    if (jwk.kid !== key.keyId)
      throw new KeyError(`keys: kid ${jwk.kid} is not the key's thumbprint`);
    if (keys.has(key.keyId)) throw new KeyError(`keys: ${key.keyId} stands twice`);
    keys.set(key.keyId, { key, held: rangeOf(jwk, chainId), retiredAt: jwk.retiredAt });
  }
  const find = (keyId: string, isHeld: (held: HeldRange) => boolean): PublicKey | KeyProblem => {
    const known = keys.get(keyId);
    if (!known) return 'key-unknown';
    return isHeld(known.held) ? known.key : 'key-not-held';
  };
  const isOpenAt = (held: HeldRange, seq: number) => held.until === null || seq <= held.until;
  return {
    forEvent: (keyId, seq) => find(keyId, (held) => held.from <= seq && isOpenAt(held, seq)),
    forCheckpoint: (keyId, seq) => find(keyId, (held) => isOpenAt(held, seq)),
    forDocument: (keyId, { at, seq }) => {
      const isEarly = isBefore(at, keys.get(keyId)?.retiredAt);
      return find(keyId, (held) =>
        seq === undefined ? held.until === null : isOpenAt(held, seq) && isEarly,
      );
    },
  };
}

/** Keys that a process remembers; a full memory is cleared. */
const KNOWN_KEYS_MAX = 256;
const knownKeys = new Map<string, PublicKey>();

/** To find that a key is a point of the prime-order group takes longer than a verification. */
function keyFromX(x: string): PublicKey {
  const known = knownKeys.get(x);
  if (known !== undefined) return known;
  const key = publicKeyFromX(x);
  if (knownKeys.size >= KNOWN_KEYS_MAX) knownKeys.clear();
  knownKeys.set(x, key);
  return key;
}

/** Timestamps have one form, so they compare as text. */
const isBefore = (at: string | undefined, retiredAt: unknown): boolean =>
  typeof retiredAt !== 'string' || (at !== undefined && at <= retiredAt);

interface AnyJwk {
  readonly retiredAt: unknown;
  readonly x: string;
  readonly kid: string;
  readonly held?: unknown;
}

function jwksOf(document: unknown): AnyJwk[] {
  const keys = isRecord(document) ? document.keys : undefined;
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new KeyError('keys: expected {"keys":[…]}');
  }
  return keys.map((jwk: unknown, index) => {
    const isEd25519 = isRecord(jwk) && jwk.kty === 'OKP' && jwk.crv === 'Ed25519';
    if (!isEd25519 || typeof jwk.x !== 'string' || typeof jwk.kid !== 'string') {
      throw new KeyError(`keys: entry ${index} is not an Ed25519 JWK with x and kid`);
    }
    return { x: jwk.x, kid: jwk.kid, held: jwk.held, retiredAt: jwk.retired_at };
  });
}

function rangeOf(jwk: AnyJwk, chainId: string): HeldRange {
  if (jwk.held === undefined) return ALWAYS;
  const held = isRecord(jwk.held) ? jwk.held : {};
  const range = Object.hasOwn(held, chainId) ? held[chainId] : held.default;
  if (isRecord(range)) {
    const { from, until } = range;
    const isUntil = until === null || (Number.isSafeInteger(until) && Number(until) >= 0);
    if (Number.isSafeInteger(from) && Number(from) >= 1 && isUntil) {
      return { from: Number(from), until: until === null ? null : Number(until) };
    }
  }
  throw new KeyError(`keys: ${jwk.kid} has no readable range for this chain`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
