/**
 * What a group does beside its events, as data, and how it is applied. Every step may run twice
 * with the effect of once: that is what lets anyone finish a group whose writer died. In a
 * transaction the same steps run with its session, where "it is there already" cannot happen.
 */
import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import type { EventGroup, IdempotencyRecord } from '#core/audit';
import type { ChainId } from '#core/kernel';
import type { OnCrashPoint } from '../crashPoints.ts';
import { IDEMPOTENCY_KEPT_MS } from '../limits.ts';
import type {
  Collections,
  Effects,
  IdempotencyDocument,
  OpenDocument,
  OutboxDocument,
} from './collections.ts';
import { isDuplicateKey } from './errors.ts';
import type { TableEffects } from './tableDocuments.ts';

interface Place {
  readonly chain: ChainId;
  readonly group: number;
  readonly at: number;
}

/** Stands in the list of a document that no reader has addressed to its subscribers yet. */
export const EVERYONE = '*';

const ID_DIGITS = 12;
export const padId = (value: number, digits = ID_DIGITS): string =>
  String(value).padStart(digits, '0');

export function effectsOf(
  place: Place,
  group: EventGroup,
  tables: TableEffects | undefined,
): Effects {
  const { chain } = place;
  return {
    open: group.events.flatMap(({ seq, open }): OpenDocument[] =>
      open === undefined ? [] : [{ _id: `${chain}/${padId(seq)}`, chain, seq, open }],
    ),
    outbox: group.bus.length === 0 ? null : outboxOf(place, group),
    idempotency: group.idempotency.map(toIdempotencyDocument),
    ...(tables !== undefined && { tables }),
  };
}

function outboxOf(place: Place, group: EventGroup): OutboxDocument {
  return {
    // The group first: within a partition, ids then grow as text.
    _id: `${padId(place.group)}-${place.chain}`,
    ...place,
    events: group.bus.map(({ topic, partition, payload }) => ({
      topic,
      partition,
      payload: JSON.stringify(payload),
    })),
    pending: [EVERYONE],
  };
}

const toIdempotencyDocument = (record: IdempotencyRecord): IdempotencyDocument => ({
  _id: record.scope,
  fingerprint: record.fingerprint,
  createdAt: record.createdAt,
  answer: JSON.stringify(record.answer),
});

/** Scopes that hold a record younger than the new one's window. */
export async function findTakenScopes(
  collections: Collections,
  records: readonly IdempotencyRecord[],
  session?: ClientSession,
): Promise<string[]> {
  if (records.length === 0) return [];
  const ids = records.map(({ scope }) => scope);
  const options = session === undefined ? {} : { session };
  const found = await collections.idempotency
    .find({ _id: { $in: ids } }, { ...options, projection: { createdAt: 1 } })
    .toArray();
  const storedAt = new Map(found.map(({ _id, createdAt }) => [_id, createdAt]));
  return records.flatMap(({ scope, createdAt }) => {
    const stored = storedAt.get(scope);
    return stored !== undefined && stored > createdAt - IDEMPOTENCY_KEPT_MS ? [scope] : [];
  });
}

export async function applyEffects(
  collections: Collections,
  effects: Effects,
  onCrashPoint: OnCrashPoint,
  session?: ClientSession,
): Promise<void> {
  const options = session === undefined ? {} : { session };
  const { open, outbox, idempotency } = effects;
  if (open.length > 0) {
    await orThere(collections.open.insertMany([...open], { ...options, ordered: false }));
  }
  onCrashPoint('open');
  if (outbox !== null) await orThere(collections.outbox.insertOne(outbox, options));
  onCrashPoint('outbox');
  if (idempotency.length > 0) {
    const writes = idempotency.map(putIdempotency);
    await orThere(collections.idempotency.bulkWrite(writes, { ...options, ordered: false }));
  }
  onCrashPoint('idempotency');

  /** A session's transaction is void after any error, so there it must go up. */
  async function orThere(write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (session !== undefined || !isDuplicateKey(error)) throw error;
    }
  }
}

/** Takes the place of a record past its window; a younger one is this group's own. */
function putIdempotency(record: IdempotencyDocument): AnyBulkWriteOperation<IdempotencyDocument> {
  const { _id, createdAt } = record;
  return {
    replaceOne: {
      filter: { _id, createdAt: { $lte: createdAt - IDEMPOTENCY_KEPT_MS } },
      replacement: record,
      upsert: true,
    },
  };
}
