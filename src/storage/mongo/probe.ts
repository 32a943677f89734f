/**
 * Finds out once after connecting whether the server has transactions across documents. Its own
 * statement is not enough: some servers accept the commands and write at once.
 */
import { type Db, type MongoClient, ObjectId } from 'mongodb';
import { DomainError } from '#core/kernel';
import type { TransactionMode } from '../capabilities.ts';
import { TRANSACTION } from './transaction.ts';

const PROBE_COLLECTION = 'store_probe';
/** First wire versions with transactions: 4.0 for replica sets, 4.2 for sharded clusters. */
const WIRE_REPLICA_SET = 7;
const WIRE_SHARDED = 8;

export async function findTransactions(
  client: MongoClient,
  db: Db,
  mode: TransactionMode,
): Promise<boolean> {
  if (mode === 'off') return false;
  const hasThem = (await areClaimed(db)) && (await areProven(client, db));
  if (mode === 'require' && !hasThem) {
    throw new DomainError('store-unavailable', {
      detail: 'MongoDB: transactions are required, and this server has none (a replica set has)',
    });
  }
  return hasThem;
}

async function areClaimed(db: Db): Promise<boolean> {
  const hello = await db.admin().command({ hello: 1 });
  const hasSessions = typeof hello.logicalSessionTimeoutMinutes === 'number';
  const wireVersion = Number(hello.maxWireVersion);
  if (!hasSessions) return false;
  if (hello.msg === 'isdbgrid') return wireVersion >= WIRE_SHARDED;
  return typeof hello.setName === 'string' && wireVersion >= WIRE_REPLICA_SET;
}

/** Whether a record is written inside, invisible outside, and gone after the abort. */
async function areProven(client: MongoClient, db: Db): Promise<boolean> {
  await db.createCollection(PROBE_COLLECTION).catch(ignoreExisting);
  const probe = db.collection<{ _id: string }>(PROBE_COLLECTION);
  const _id = new ObjectId().toHexString();
  const session = client.startSession();
  try {
    session.startTransaction(TRANSACTION);
    await probe.insertOne({ _id }, { session });
    const seenOutside = await probe.findOne({ _id });
    await session.abortTransaction();
    const seenAfter = await probe.findOne({ _id });
    return seenOutside === null && seenAfter === null;
  } catch (error) {
    // A server that refuses the commands has no transactions; a lost connection is another matter.
    if (error instanceof Error && 'code' in error && typeof error.code === 'number') return false;
    throw error;
  } finally {
    await session.endSession();
    await probe.deleteOne({ _id });
  }
}

function ignoreExisting(error: unknown): void {
  const isThere = error instanceof Error && 'code' in error && error.code === 48;
  if (!isThere) throw error;
}
