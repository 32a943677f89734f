/**
 * Every collection, its documents and its indexes. They are made at start and exist before the
 * first transaction, which could not make them. Documents of a slice are kept as JSON text beside
 * the fields that are looked up or compared: setting names hold dots, and numbers stay as they are.
 *
 * audit_group and audit_checkpoint are append-only, as declared tables are that say so: no update
 * or delete of them stands in this adapter, and config/mongo-roles.json grants none.
 */
import type { Binary, Collection, Db, IndexDescription } from 'mongodb';
import type { SealedEvent } from '#core/audit';
import type { LeaseState } from '../headLease.ts';
import type { StampId, TableDocument, TableEffects } from './tableDocuments.ts';

/** `rev` moves with each write of the lease; `seq`, `hash` and `group` with each group. */
export interface HeadDocument extends LeaseState {
  readonly _id: string;
  readonly rev: number;
  readonly seq: number;
  readonly hash: string;
  /** Number of the last group; groups count on when they hold no event. */
  readonly group: number;
  /** Time of the last group, never going back: the outbox is in its order. */
  readonly at: number;
  readonly checkpointSeq: number;
  /** In which the holder's transactions run (chainSessions). */
  readonly session?: Binary | null;
}

/**
 * `target`: what an entry is about, as its body says. `actor`: who did it, or had a name screened.
 * Both are absent in groups of former releases.
 */
export interface StoredEvent extends Omit<SealedEvent, 'open'> {
  readonly actor?: string;
  readonly target?: string;
}

export interface GroupDocument {
  readonly chain: string;
  readonly group: number;
  /** Absent when there are no events. */
  readonly firstSeq?: number;
  readonly lastSeq: number;
  readonly lastHash: string;
  readonly at: number;
  readonly events: readonly StoredEvent[];
  /** Its events say who did what; absent in groups of former releases. */
  readonly isNamed?: true;
  /** Without transactions: where the group's effects are, until they are applied. */
  readonly intent?: string;
  /** Without transactions: the place among all groups that change state. */
  readonly changeNo?: number;
}

/** Erased members leave an empty document: a late roll-forward must not bring them back. */
export interface OpenDocument {
  readonly _id: string;
  readonly chain: string;
  readonly seq: number;
  readonly open?: string;
}

export interface OutboxDocument {
  readonly _id: string;
  readonly chain: string;
  readonly group: number;
  readonly at: number;
  readonly events: readonly {
    readonly topic: string;
    readonly partition: string;
    readonly payload: string;
  }[];
  /** Subscribers that have not done it; absent once all have. */
  readonly pending?: readonly string[];
  /** From the former release, instead of `pending`: not all of it is on the bus. */
  readonly isPending?: true;
}

/** A subscriber of the outbox, and who works for it. */
export interface SubscriberDocument {
  readonly _id: string;
  /** Null: every topic. */
  readonly topics: readonly string[] | null;
  readonly holder: string | null;
  readonly fence: number;
  readonly beat: number;
  readonly trying: string | null;
  readonly tries: number;
}

export interface SetAsideDocument {
  readonly _id: string;
  readonly subscriber: string;
  readonly event: string;
  readonly code: string;
  readonly tries: number;
  readonly at: number;
  /** When it was set aside first: the order of lists, which a retry does not change. */
  readonly firstAt: number;
  readonly isWanted?: true;
}

export interface IdempotencyDocument {
  readonly _id: string;
  readonly fingerprint: string;
  readonly createdAt: number;
  readonly answer: string;
}

/** The effects of a group beside its events. Each part can be applied again without harm. */
export interface Effects {
  readonly open: readonly OpenDocument[];
  readonly outbox: OutboxDocument | null;
  readonly idempotency: readonly IdempotencyDocument[];
  /** Changes of declared tables; absent where there are none. */
  readonly tables?: TableEffects;
}

/** A record in an intent of a release before declared tables, beside the fields of its indexes. */
export interface FormerRecord {
  readonly _id: string;
  readonly version: number;
  readonly document: string;
  /** The last group that changed it. */
  readonly changeNo?: number;
}

/** One record after a group's changes; `versionBefore` 0 means that it did not exist. */
export interface FormerWrite {
  readonly collection: string;
  readonly versionBefore: number;
  /** For a record that was also saved outside groups: the document before the change. */
  readonly documentBefore?: string;
  readonly record: FormerRecord;
}

/** The changes of an intent of that release. */
export interface FormerChanges {
  readonly writes?: readonly FormerWrite[];
  /** The list in force changes with this group. */
  readonly isPublication?: boolean;
}

export interface IntentDocument extends Effects, FormerChanges {
  readonly _id: string;
  readonly chain: string;
  readonly group: number;
}

/**
 * Numbers of the whole installation: schema version, last change, publications, and each stamp
 * under `stamp/<name>`. Declared tables are noted under `table/<name>`.
 */
export interface StateDocument {
  readonly _id: 'schema' | 'changes' | StampId | `table/${string}`;
  readonly no: number;
  /** Noted with a declared table: what its collection and indexes were made from. */
  readonly digest?: string;
}

export interface CheckpointDocument {
  readonly chain: string;
  readonly seq: number;
  readonly document: string;
  readonly savedAt: number;
}

export interface Collections {
  readonly head: Collection<HeadDocument>;
  readonly group: Collection<GroupDocument>;
  readonly open: Collection<OpenDocument>;
  readonly checkpoint: Collection<CheckpointDocument>;
  readonly outbox: Collection<OutboxDocument>;
  readonly subscriber: Collection<SubscriberDocument>;
  readonly setAside: Collection<SetAsideDocument>;
  readonly idempotency: Collection<IdempotencyDocument>;
  readonly intent: Collection<IntentDocument>;
  readonly state: Collection<StateDocument>;
  /** Documents of a declared table. */
  table(name: string): Collection<TableDocument>;
}

const INDEXES: Readonly<Record<string, readonly IndexDescription[]>> = {
  audit_head: [],
  audit_group: [
    { key: { chain: 1, group: 1 }, unique: true },
    {
      key: { chain: 1, firstSeq: 1 },
      unique: true,
      partialFilterExpression: { firstSeq: { $exists: true } },
    },
    { key: { chain: 1, lastSeq: 1 } },
    { key: { chain: 1, 'events.screeningId': 1 } },
    { key: { chain: 1, 'events.action': 1, lastSeq: 1 } },
    {
      key: { chain: 1, 'events.target': 1, lastSeq: 1 },
      partialFilterExpression: { 'events.target': { $exists: true } },
    },
    // Who did what: alone, and with an action. A group has one entry for each that acts in it.
    { key: { chain: 1, 'events.actor': 1, lastSeq: 1 } },
    { key: { chain: 1, 'events.actor': 1, 'events.action': 1, lastSeq: 1 } },
    { key: { chain: 1, isNamed: 1, lastSeq: 1 } },
    { key: { chain: 1, 'events.eventId': 1 } },
    {
      key: { changeNo: 1 },
      unique: true,
      partialFilterExpression: { changeNo: { $exists: true } },
    },
  ],
  audit_open: [{ key: { chain: 1, seq: 1 } }],
  audit_checkpoint: [{ key: { chain: 1, seq: -1, savedAt: -1 } }],
  outbox: [
    // For the former release: it finds by this index the documents that its processes still write.
    { key: { at: 1, chain: 1, group: 1 }, partialFilterExpression: { isPending: true } },
    {
      key: { pending: 1, at: 1, chain: 1, group: 1 },
      partialFilterExpression: { pending: { $exists: true } },
    },
    { key: { at: 1 } },
    { key: { 'events.partition': 1, group: 1 } },
  ],
  outbox_subscriber: [],
  outbox_set_aside: [{ key: { subscriber: 1, isWanted: 1, firstAt: 1 } }],
  idempotency: [{ key: { createdAt: 1 } }],
  audit_intent: [{ key: { chain: 1, group: 1 } }],
  store_state: [],
};

/** All that a role document must name. */
export const COLLECTION_NAMES: readonly string[] = [...Object.keys(INDEXES), 'store_probe'];

/** Harmless to repeat, and when two processes start at once. */
export async function prepareCollections(db: Db): Promise<void> {
  const listed = await db.listCollections({}, { nameOnly: true }).toArray();
  const present = new Set(listed.map(({ name }) => name));
  for (const [name, indexes] of Object.entries(INDEXES)) {
    // Making an index makes its collection.
    if (indexes.length > 0) await db.collection(name).createIndexes([...indexes]);
    else if (!present.has(name)) await createCollection(db, name);
  }
}

/** One that is there already stays as it is. */
export async function createCollection(db: Db, name: string): Promise<void> {
  try {
    await db.createCollection(name);
  } catch (error) {
    // NamespaceExists: another process was quicker.
    const isThere = error instanceof Error && 'code' in error && error.code === 48;
    if (!isThere) throw error;
  }
}

export function collectionsOf(db: Db): Collections {
  return {
    head: db.collection('audit_head'),
    group: db.collection('audit_group'),
    open: db.collection('audit_open'),
    checkpoint: db.collection('audit_checkpoint'),
    outbox: db.collection('outbox'),
    subscriber: db.collection('outbox_subscriber'),
    setAside: db.collection('outbox_set_aside'),
    idempotency: db.collection('idempotency'),
    intent: db.collection('audit_intent'),
    state: db.collection('store_state'),
    table: (name) => db.collection(name),
  };
}
