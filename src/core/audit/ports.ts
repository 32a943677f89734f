/**
 * The evidence: records of one hash chain per tenant (decisions 3.1), and what the chain needs from
 * storage. src/storage/<technology>/auditStore.ts implements AuditStore.
 */
import type { AnyChange, BusEvent, ChainId, EventId, ScreeningId } from '#core/kernel';
import type { CanonicalText } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';

/** JSON as it goes into the chain. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/**
 * What a slice hands in. `members` are hashed; `open` is personal: it is stored beside the event,
 * bound by `<name>_commitment` = SHA-256(salt ‖ JCS(open)), and can be erased.
 */
export interface EventDraft {
  readonly eventId: EventId;
  readonly type: 'screening' | 'entry';
  readonly occurredAt: EpochMs;
  /** Set on type `screening`: the id that the evidence is looked up by. */
  readonly screeningId?: ScreeningId;
  /** For lists and filters; also inside `members`. */
  readonly action?: string;
  readonly decision?: string;
  readonly members: Readonly<Record<string, Json | CanonicalText>>;
  /** `query_normalized` of a screening, `details` of an entry. */
  readonly open: JsonObject;
}

/** An idempotency record, written with the effect that it stands for. */
export interface IdempotencyRecord {
  readonly scope: string;
  readonly fingerprint: string;
  readonly createdAt: EpochMs;
  /** Of a screening: the body is rebuilt from the event. Else the stored body, byte for byte. */
  readonly answer:
    | {
        readonly kind: 'event';
        readonly status: number;
        readonly seq: number;
        readonly tookMs: number;
      }
    | {
        readonly kind: 'body';
        readonly status: number;
        readonly contentType: string;
        readonly body: string;
      };
}

/** One atomic step: state changes, evidence, outgoing events and the idempotency record. */
export interface Commit {
  readonly events: readonly EventDraft[];
  readonly bus: readonly BusEvent[];
  readonly changes: readonly AnyChange[];
  /**
   * Called once the events are sealed: only then is the `seq` known that an answer of kind `event`
   * names.
   */
  idempotency?(sealed: readonly SealedEvent[]): IdempotencyRecord | undefined;
}

/** An event with its place in the chain. `body` is JCS without open members: what is stored. */
export interface SealedEvent {
  readonly seq: number;
  readonly eventId: EventId;
  readonly type: 'screening' | 'entry';
  readonly occurredAt: EpochMs;
  readonly screeningId?: ScreeningId;
  readonly action?: string;
  readonly decision?: string;
  /** 64 hex characters. */
  readonly hash: string;
  /** JCS of the event with hash and signature, without the open members. */
  readonly body: string;
  /** JCS of the open members, e.g. {"query_normalized":…,"query_salt":…}; absent once erased. */
  readonly open?: string;
}

export interface ChainHead {
  /** 0 before the first event. */
  readonly seq: number;
  /** 64 hex characters; 64 zeros before the first event. */
  readonly hash: string;
}

export interface HeadLease {
  readonly chainId: ChainId;
  readonly head: ChainHead;
  /** Grows with each take: a write under an older fence is refused. */
  readonly fence: number;
}

export interface EventGroup {
  readonly events: readonly SealedEvent[];
  readonly bus: readonly BusEvent[];
  readonly changes: readonly AnyChange[];
  readonly idempotency: readonly IdempotencyRecord[];
}

export type AppendResult =
  /** Durable. `headWanted`: another process waits for the head, so let it go. */
  | { readonly kind: 'appended'; readonly headWanted: boolean }
  /** The lease was lost: nothing written. */
  | { readonly kind: 'fenced' }
  /** Nothing written: these records' scopes are taken. */
  | { readonly kind: 'idempotency-taken'; readonly scopes: readonly string[] }
  /** Nothing written: a change's `versionExpected` did not hold. */
  | { readonly kind: 'stale'; readonly changeIndex: number };

export interface Checkpoint {
  readonly tenant_id: string;
  readonly seq: number;
  readonly hash: string;
  /** RFC 3339 UTC, milliseconds. */
  readonly at: string;
  readonly key_id: string;
  /** base64 Ed25519 over "audit-checkpoint-v1\0" ‖ JCS(checkpoint without signature). */
  readonly signature: string;
}

export interface AuditStore {
  /**
   * Takes the head for `holder`, or answers undefined while another live holder has it (and notes
   * that it is wanted). A holder's own lease is renewed. Ends by itself after `ttlMs`.
   */
  takeHead(ask: {
    chainId: ChainId;
    holder: string;
    ttlMs: number;
  }): Promise<HeadLease | undefined>;
  releaseHead(lease: HeadLease): Promise<void>;
  /**
   * Writes the whole group durably, or nothing. The group's first seq must be head.seq + 1; unique
   * (chain, seq) stands behind the fence. Renews the lease by `ttlMs`, or ends it with `release`.
   */
  appendGroup(
    lease: HeadLease,
    group: EventGroup,
    options: { ttlMs: number; release: boolean },
  ): Promise<AppendResult>;
  head(chainId: ChainId): Promise<ChainHead>;
  /** Ascending from `fromSeq`, at most `limit` (1..1000). */
  readEvents(page: { chainId: ChainId; fromSeq: number; limit: number }): Promise<SealedEvent[]>;
  findBySeq(chainId: ChainId, seq: number): Promise<SealedEvent | undefined>;
  findByScreening(chainId: ChainId, screeningId: ScreeningId): Promise<SealedEvent | undefined>;
  /** Removes the open members for good; false if there were none. The chain still verifies. */
  eraseOpen(chainId: ChainId, seq: number): Promise<boolean>;
  findIdempotency(scope: string, notBefore: EpochMs): Promise<IdempotencyRecord | undefined>;
  /** Records created before this instant are gone afterwards. */
  purgeIdempotency(createdBefore: EpochMs): Promise<number>;
  saveCheckpoint(checkpoint: Checkpoint): Promise<void>;
  latestCheckpoint(chainId: ChainId): Promise<Checkpoint | undefined>;
  /** Chains that have events, by id; or those alone that went past their latest checkpoint. */
  listChains(
    which: 'all' | 'past-checkpoint',
  ): Promise<{ chainId: ChainId; head: ChainHead; checkpointSeq: number }[]>;
}
