/**
 * Applies planned writes of declared tables: table by table, each in its order. In a transaction
 * every write must find the state for which it was planned. By intent each may be applied again,
 * and late, by any process that finishes the group. `version` and `rev` then match nothing, an
 * insert finds its key, and a removed record leaves its key and `rev` behind, or a late insert
 * would bring it back. A duplicate on any other index than the key's is a fault, and is raised.
 */
import assert from 'node:assert/strict';
import type { AnyBulkWriteOperation, ClientSession, Collection } from 'mongodb';
import type { OnCrashPoint } from '../crashPoints.ts';
import type { Collections } from './collections.ts';
import { areDuplicates, isDuplicateKey } from './errors.ts';
import {
  asFilter,
  asUpdate,
  type StepBefore,
  type TableDocument,
  type TableStep,
  type TableWrites,
} from './tableDocuments.ts';

type Operation = AnyBulkWriteOperation<TableDocument>;

interface WriteOptions {
  readonly session?: ClientSession | undefined;
  /** In a transaction: it failed once on a duplicate key, so rows may exist already. */
  readonly isAgain?: boolean;
  /** The group's place among all that change state, where it has one. */
  readonly changeNo?: number | undefined;
  readonly onCrashPoint: OnCrashPoint;
}

/** Two upserts of one key at once: the second finds it there. */
const TRIES_MAX = 3;

/**
 * Applies the planned writes, then moves the stamps: a reader that sees a stamp move sees the
 * change.
 */
export async function writeTables(
  collections: Collections,
  { stamps, steps }: TableWrites,
  options: WriteOptions,
): Promise<void> {
  for (const [name, own] of byTable(steps)) {
    const rows = own.flatMap((step) => (step.op === 'append' ? [step.document] : []));
    await appendRows(collections, { name, rows }, options);
    await writeRecords(collections, { name, steps: own }, options);
    options.onCrashPoint(`table ${name}`);
  }
  const { changeNo, session } = options;
  for (const { _id, isInTurn } of stamps) {
    // Counted up once more by each process that finishes the group, since it shows that something
    // changed.
    const moved = isInTurn ? { $max: { no: changeNo ?? 0 } } : { $inc: { no: 1 } };
    const asked = { ...(session !== undefined && { session }), upsert: true };
    await collections.state.updateOne({ _id }, moved, asked);
  }
}

function byTable(steps: readonly TableStep[]): Map<string, TableStep[]> {
  const tables = new Map<string, TableStep[]>();
  for (const step of steps) {
    const own = tables.get(step.table);
    if (own === undefined) tables.set(step.table, [step]);
    else own.push(step);
  }
  return tables;
}

async function appendRows(
  collections: Collections,
  { name, rows }: { readonly name: string; readonly rows: readonly TableDocument[] },
  { isAgain, session }: WriteOptions,
): Promise<void> {
  if (rows.length === 0) return;
  const table = collections.table(name);
  if (session === undefined) return insertOnce(table, rows);
  // One by one they would be a round trip each; a duplicate ends a transaction, hence `isAgain`.
  const absent = isAgain ? await absentOf(table, rows, session) : [...rows];
  if (absent.length > 0) await table.insertMany(absent, { ordered: false, session });
}

/** Each of these documents once that is not there yet. */
async function absentOf(
  table: Collection<TableDocument>,
  documents: readonly TableDocument[],
  session: ClientSession,
): Promise<TableDocument[]> {
  const there = await idsOf(table, documents, session);
  const absent = documents.filter(({ _id }) => !there.has(_id));
  return [...new Map(absent.map((document) => [document._id, document])).values()];
}

/**
 * By intent: those that are there already are these very documents. No update, and no upsert: the
 * service has no right to update what is append-only.
 */
async function insertOnce(
  table: Collection<TableDocument>,
  documents: readonly TableDocument[],
): Promise<void> {
  try {
    await table.insertMany([...documents], { ordered: false });
  } catch (error) {
    if (!areDuplicates(error)) throw error;
    // Every key is there by now, but where another index than the key's was violated.
    const there = await idsOf(table, documents);
    if (documents.some(({ _id }) => !there.has(_id))) throw error;
  }
}

async function idsOf(
  table: Collection<TableDocument>,
  documents: readonly TableDocument[],
  session?: ClientSession,
): Promise<ReadonlySet<unknown>> {
  const ids = documents.map(({ _id }) => _id);
  // Outside a transaction also what no majority has yet: a duplicate may be of just that.
  const asked = session === undefined ? { readConcern: 'local' as const } : { session };
  const options = { ...asked, projection: { _id: 1 } };
  const found = await table.find({ _id: { $in: ids } }, options).toArray();
  return new Set(found.map(({ _id }) => _id));
}

async function writeRecords(
  collections: Collections,
  { name, steps }: { readonly name: string; readonly steps: readonly TableStep[] },
  options: WriteOptions,
): Promise<void> {
  const { session } = options;
  const table = collections.table(name);
  const fresh = steps.flatMap((step) => (isFresh(step) ? [step.document] : []));
  if (session === undefined && fresh.length > 0 && fresh.length === steps.length) {
    return insertOnce(table, fresh);
  }
  const carried = steps.flatMap(carriedOf);
  const asked = session === undefined ? {} : { session };
  if (carried.length > 0) await table.bulkWrite(carried, asked);
  const operations = steps.flatMap((step) => operationsOf(step, session !== undefined));
  if (operations.length === 0) return;
  for (let tried = 1; ; tried++) {
    try {
      const done = await table.bulkWrite(operations, asked);
      const count = done.matchedCount + done.insertedCount + done.deletedCount;
      const isWhole = session === undefined || count === operations.length;
      assert(isWhole, `${name}: ${count} of ${operations.length} planned writes`);
      return;
    } catch (error) {
      if (session !== undefined || !isDuplicateKey(error) || tried === TRIES_MAX) throw error;
    }
  }
}

const isFresh = (step: TableStep): step is Extract<TableStep, { readonly op: 'insert' }> =>
  step.op === 'insert' && step.over === undefined;

/** Only where absent: a save beside the commit that came first stays. */
function carriedOf(step: TableStep): Operation[] {
  if (step.op !== 'put') return [];
  return Object.entries(step.carried).map(([member, text]) => ({
    updateOne: {
      filter: { ...filterOf(step.before), [`work.${member}`]: { $exists: false } },
      update: { $set: { [`work.${member}`]: text } },
    },
  }));
}

// An absent `rev` is null in the filter, like an absent version.
const filterOf = ({ _id, rev, version }: StepBefore) => asFilter({ _id, rev, version });

function operationsOf(step: TableStep, isInTransaction: boolean): Operation[] {
  switch (step.op) {
    case 'append':
      return [];
    case 'insert':
      return insertsOf(step, isInTransaction);
    case 'put': {
      const $set = { ...step.set, rev: (step.before.rev ?? 0) + 1 };
      const $unset = Object.fromEntries(step.unset.map((field) => [field, true as const]));
      const update = { $set, ...(step.unset.length > 0 && { $unset }) };
      return [{ updateOne: { filter: filterOf(step.before), update } }];
    }
    case 'remove': {
      const filter = filterOf(step.before);
      if (isInTransaction) return [{ deleteOne: { filter } }];
      const rev = (step.before.rev ?? 0) + 1;
      const replacement = { _id: step.before._id, isGone: true as const, rev };
      return [{ replaceOne: { filter, replacement } }];
    }
    case 'touch': {
      const { _id, leaseFence } = step;
      if (!isInTransaction) return [];
      const update = asUpdate({ $inc: { touches: 1 } });
      return [{ updateOne: { filter: { _id, leaseFence }, update } }];
    }
  }
}

function insertsOf(
  { document, over }: TableStep & { readonly op: 'insert' },
  isInTransaction: boolean,
): Operation[] {
  const { _id } = document;
  if (isInTransaction && over === undefined) return [{ insertOne: { document } }];
  const replacement = over === undefined ? document : { ...document, rev: over + 1 };
  const mark = asFilter({ _id, isGone: true, rev: over ?? null });
  const insert =
    over === undefined ? insertAbsent(document) : { replaceOne: { filter: mark, replacement } };
  if (isInTransaction) return [insert];
  // The plan saw no record: one that was inserted beside commits since then gives way.
  const beside = asFilter({ _id, isBeside: true, rev: replacement.rev ?? null });
  return [{ replaceOne: { filter: beside, replacement } }, insert];
}

function insertAbsent({ _id, ...fields }: TableDocument): Operation {
  return { updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } };
}
