/**
 * The evidence: records of one hash chain per tenant (decisions 3.1), and what the chain needs from
 * storage. src/storage/<technology>/auditStore.ts implements AuditStore.
 */
import type { BusEvent, ChainId, EventId, ScreeningId, TableChange } from '#core/kernel';
import type { CanonicalText } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';

/** A JSON value as it goes into the chain. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };
/** A JSON object as it goes into the chain. */
export type JsonObject = { readonly [key: string]: Json };

/**
 * An event as a slice hands it in. `members` are hashed. `open` is personal: it is stored beside
 * the event, bound by `<name>_commitment` = SHA-256(salt ‖ JCS(open)), and can be erased.
 */
export interface EventDraft {
  readonly eventId: EventId;
  readonly type: 'screening' | 'entry';
  readonly occurredAt: EpochMs;
  /** Set on type `screening`: the id by which the evidence is found. */
  readonly screeningId?: ScreeningId;
  /** For lists and filters; also inside `members`. */
  readonly action?: string;
  readonly decision?: string;
  readonly members: Readonly<Record<string, Json | CanonicalText>>;
  /** `query_normalized` of a screening, `details` of an entry. */
  readonly open: JsonObject;
}

/** An idempotency record, written together with the effect that it stands for. */
export interface IdempotencyRecord {
  readonly scope: string;
  readonly fingerprint: string;
  readonly createdAt: EpochMs;
  /**
   * For a screening the body is rebuilt from the event. Otherwise it is the stored body, byte for
   * byte. `tag`: the installation's, once it is to be stored (answerTags.ts).
   */
  readonly answer:
    | {
        readonly kind: 'event';
        readonly status: number;
        readonly seq: number;
        readonly tookMs: number;
        readonly tag?: string;
      }
    | {
        readonly kind: 'body';
        readonly status: number;
        readonly contentType: string;
        readonly body: string;
        readonly tag?: string;
      };
}

/** One atomic step: state changes, evidence, outgoing events and the idempotency record. */
export interface Commit {
  readonly events: readonly EventDraft[];
  readonly bus: readonly BusEvent[];
  readonly changes: readonly TableChange[];
  /**
   * Called once the events are sealed: only then is the `seq` known that an answer of kind `event`
   * names.
   */
  idempotency?(sealed: readonly SealedEvent[]): IdempotencyRecord | undefined;
}

/** An event with its place in the chain, as it is stored. */
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

/** Place and hash of a chain's last event. */
export interface ChainHead {
  /** 0 before the first event. */
  readonly seq: number;
  /** 64 hex characters; 64 zeros before the first event. */
  readonly hash: string;
}

/** The right to write behind a head, for a short time. The fence makes a lost lease harmless. */
export interface HeadLease {
  readonly chainId: ChainId;
  readonly head: ChainHead;
  /** Grows with each take: a write under an older fence is refused. */
  readonly fence: number;
  /** Another process had the head, or was offered it, and fell silent. */
  readonly isTakenOver?: true;
}

/** The head of a chain that a process has, or was offered. */
export interface HeldHead {
  readonly chainId: ChainId;
  readonly holder: string;
  /** Processes that stand in line for it. */
  readonly waiting: number;
  /** Changes with whatever the holder does. */
  readonly pulse: string;
}

/** Sealed events of one chain, in order, with all that must become durable with them. */
export interface EventGroup {
  readonly events: readonly SealedEvent[];
  readonly bus: readonly BusEvent[];
  readonly changes: readonly TableChange[];
  readonly idempotency: readonly IdempotencyRecord[];
  /** Its one event stands behind a gap that it names (gap.ts); no other group may leave one. */
  readonly isResumption?: boolean;
}

/** How a group ended: written as a whole, or not at all and why. */
export type AppendResult =
  /** Durable. `headWanted`: another process waits for the head, so release it. */
  | { readonly kind: 'appended'; readonly headWanted: boolean }
  /** The lease was lost; nothing was written. */
  | { readonly kind: 'fenced' }
  /** Nothing was written: records with these scopes exist. */
  | { readonly kind: 'idempotency-taken'; readonly scopes: readonly string[] }
  /** Nothing was written: the `versionExpected` of this change (from 0) did not hold. */
  | { readonly kind: 'stale'; readonly changeIndex: number };

/** A signed statement of a chain's head, as exported (docs/audit-format.md). */
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

/** Which events of a chain are looked for by an index, in which order. Members are ANDed. */
export interface EventSearch {
  readonly chainId: ChainId;
  /** Any of these; `screening` means screenings, which have no action. Absent: all. */
  readonly actions?: readonly string[];
  /** Who did it: `actor` of an entry, `requested_by` of a screening. */
  readonly actor?: string;
  /** What an entry is about, or the id of a screening. */
  readonly target?: string;
  /** Inclusive, both. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly order: 'asc' | 'desc';
  /** 1 to 1000. */
  readonly limit: number;
}

/** What the chain needs from storage. The events of one chain are read in order of seq. */
export interface AuditStore {
  /**
   * Takes the head for `holder`. Undefined while another has it: then the asker stands in line, of
   * which the first is handed the head when it is released. A holder's own lease is renewed. Who
   * has stood still for `ttlMs`, by the asking process's monotonic clock and since it first asked,
   * has lost the head; who was handed it and does not take it, sooner. With `isPassing` the asker
   * joins no line.
   */
  takeHead(ask: {
    chainId: ChainId;
    holder: string;
    ttlMs: number;
    isPassing?: true;
  }): Promise<HeadLease | undefined>;
  releaseHead(lease: HeadLease): Promise<void>;
  /**
   * Writes the whole group durably, or nothing. The group's first seq must be head.seq + 1, or
   * later where it is a resumption and the head is still the lease's; the unique key (chain, seq)
   * backs the fence. Renews the lease by `ttlMs`, or ends it with `release`.
   */
  appendGroup(
    lease: HeadLease,
    group: EventGroup,
    options: { ttlMs: number; release: boolean },
  ): Promise<AppendResult>;
  head(chainId: ChainId): Promise<ChainHead>;
  /**
   * Events from `fromSeq`, ascending, at most `limit` (1..1000); with `action` those entries alone.
   */
  readEvents(page: {
    chainId: ChainId;
    fromSeq: number;
    limit: number;
    action?: string;
  }): Promise<SealedEvent[]>;
  /**
   * The last entry about each of these targets, in their order; undefined where there is none. On
   * MongoDB entries that a release before this question wrote are not found by it.
   */
  lastEntries(ask: {
    chainId: ChainId;
    targets: readonly string[];
  }): Promise<(SealedEvent | undefined)[]>;
  /**
   * In the order of seq, every match up to the last event answered; fewer than `limit` mean that no
   * more follow. Others may be among them, so the caller looks at each: one index is chosen for the
   * whole ask, and groups that a former release wrote have none.
   */
  searchEvents(search: EventSearch): Promise<SealedEvent[]>;
  findBySeq(chainId: ChainId, seq: number): Promise<SealedEvent | undefined>;
  findByEventId(chainId: ChainId, eventId: EventId): Promise<SealedEvent | undefined>;
  findByScreening(chainId: ChainId, screeningId: ScreeningId): Promise<SealedEvent | undefined>;
  /** The same of many (1..100) in one call: those that are there, by the screening's id. */
  findByScreenings(
    chainId: ChainId,
    screeningIds: readonly ScreeningId[],
  ): Promise<ReadonlyMap<ScreeningId, SealedEvent>>;
  /** Removes the open members for good; false if there were none. The chain still verifies. */
  eraseOpen(chainId: ChainId, seq: number): Promise<boolean>;
  findIdempotency(scope: string, notBefore: EpochMs): Promise<IdempotencyRecord | undefined>;
  /** Deletes the records created before this instant; returns how many. */
  purgeIdempotency(createdBefore: EpochMs): Promise<number>;
  saveCheckpoint(checkpoint: Checkpoint): Promise<void>;
  latestCheckpoint(chainId: ChainId): Promise<Checkpoint | undefined>;
  /**
   * Chains that have events, ordered by id; `past-checkpoint` lists only those with events after
   * their latest checkpoint.
   */
  listChains(
    which: 'all' | 'past-checkpoint',
  ): Promise<{ chainId: ChainId; head: ChainHead; checkpointSeq: number }[]>;
}
