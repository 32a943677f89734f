/**
 * Writes of declared tables beside commits: work fields, the touched member, rows that are put down
 * before anyone works on them, retention. They never write what commits write, and the reverse.
 */
import assert from 'node:assert/strict';
import type { Collection, UpdateFilter } from 'mongodb';
import {
  type ChainId,
  INSERT_RECORDS_MAX,
  type LeaseClaim,
  PAGE_RECORDS_MAX,
  PLATFORM_CHAIN,
  type Tables,
} from '#core/kernel';
import { assertDue } from '../tableChange.ts';
import type { AppendTools } from './append.ts';
import { areDuplicates } from './errors.ts';
import { rollAllForward, rollChangesForward, rollForward } from './rollForward.ts';
import { asFilter, asUpdate, type TableDocument } from './tableDocuments.ts';
import {
  fieldOf,
  idOf,
  openFilter,
  type PlainRecord,
  type TableForm,
  toDocument,
  workFields,
} from './tableForm.ts';
import { takesTurn } from './tablePlan.ts';
import { openTable } from './tableReads.ts';

/**
 * Without transactions: a committed change that is not applied yet must be seen before another
 * write beside it. `known` may name the chain; otherwise every chain is checked.
 */
export async function seeCommitted(
  tools: AppendTools,
  form: TableForm,
  known: PlainRecord,
): Promise<void> {
  if (tools.hasTransactions) return;
  const { chain } = form.spec;
  const chainId = chain === 'platform' ? PLATFORM_CHAIN : known[chain];
  if (takesTurn(form, { op: 'put' }, false)) await rollChangesForward(tools);
  else if (typeof chainId === 'string') await rollForward(tools, chainId as ChainId);
  else await rollAllForward(tools);
}

/** The row of a claim, as long as it is the claim's. */
export function claimFilter({ fence, holder }: LeaseClaim): object {
  return { leaseFence: fence, leaseHolder: holder };
}

/**
 * An update that sets work members, and other fields with them. A null stands for a removed one.
 */
export function workUpdate(
  form: TableForm,
  work: PlainRecord,
  fields: Readonly<Record<string, unknown>> = {},
): UpdateFilter<TableDocument> {
  const members = Object.keys(work);
  const foreign = members.find((member) => !form.spec.work?.includes(member));
  assert(foreign === undefined, `table ${form.name}: ${foreign} is not a work field`);
  const { set, unset } = workFields(form, work, members);
  const $set = { ...fields, ...set };
  const $unset = Object.fromEntries(unset.map((field) => [field, true]));
  return asUpdate({
    ...(Object.keys($set).length > 0 && { $set }),
    ...(unset.length > 0 && { $unset }),
  });
}

/** After this place there is room up to the next commit's places. */
async function lastPlace(
  collection: Collection<TableDocument>,
  { placeField }: TableForm,
): Promise<number> {
  const options = { projection: { [placeField]: 1 }, sort: { [placeField]: -1 as const } };
  const last = await collection.findOne({}, options);
  return Number(last?.[placeField] ?? 0);
}

/** A record that was removed by intent has left its key and `rev` behind, and is missing. */
async function insertOverMarks(
  collection: Collection<TableDocument>,
  documents: readonly TableDocument[],
): Promise<void> {
  const ids = documents.map(({ _id }) => _id);
  const gone = asFilter({ _id: { $in: ids }, isGone: true });
  const marks = await collection.find(gone, { projection: { rev: 1 } }).toArray();
  const operations = marks.flatMap(({ _id, rev = 0 }) => {
    const document = documents.find((one) => one._id === _id);
    if (document === undefined) return [];
    const replacement = { ...document, rev: rev + 1 };
    return [{ replaceOne: { filter: asFilter({ _id, isGone: true, rev }), replacement } }];
  });
  if (operations.length > 0) await collection.bulkWrite(operations, { ordered: false });
}

/** The writing half of the port without leases. */
export function tableWork(
  tools: AppendTools,
): Pick<Tables, 'insertMissing' | 'saveWork' | 'touch' | 'purge'> {
  return {
    async insertMissing(table, records) {
      const { collection, form } = openTable(tools, table);
      const { spec } = form;
      assert(records.length <= INSERT_RECORDS_MAX, `insertMissing: ${records.length} records`);
      assert(spec.unique === undefined, `table ${table.name}: its records are inserted by commits`);
      if (records.length === 0) return;
      const plain = records as readonly PlainRecord[];
      for (const record of plain) assertDue(form, record);
      const chains = new Map(plain.map((record) => [record[spec.chain], record]));
      for (const record of chains.values()) await seeCommitted(tools, form, record);
      const place = spec.isPlaced ? await lastPlace(collection, form) : undefined;
      const documents = plain.map((record, index) => ({
        ...toDocument(form, record, place === undefined ? place : place + index + 1),
        // Tables of a former release keep their form: what is inserted there, no commit inserts.
        ...(!tools.hasTransactions && !spec.stored && { isBeside: true as const }),
      }));
      try {
        await collection.insertMany(documents, { ordered: false });
      } catch (error) {
        if (!areDuplicates(error)) throw error;
        await insertOverMarks(collection, documents);
      }
    },
    async saveWork(table, { claim, key, work }) {
      const { collection, form } = openTable(tools, table);
      await seeCommitted(tools, form, key);
      const isTheirs = claim === undefined ? {} : claimFilter(claim);
      const open = { ...openFilter(form), isGone: null };
      const filter = asFilter({ _id: idOf(form, key), ...open, ...isTheirs });
      const update = workUpdate(form, work);
      if (Object.keys(update).length === 0) return (await collection.findOne(filter)) !== null;
      return (await collection.updateOne(filter, update)).matchedCount === 1;
    },
    // Independent of commits: a committed change leaves this field alone, applied or not.
    async touch(table, key, value) {
      const { collection, form } = openTable(tools, table);
      const { touch } = form.spec;
      assert(touch !== undefined, `table ${table.name} is not touched`);
      const filter = asFilter({ _id: idOf(form, key), isGone: null });
      await collection.updateOne(filter, asUpdate({ $max: { [fieldOf(form, touch)]: value } }));
    },
    async purge(table, now) {
      const { collection, form } = openTable(tools, table);
      const { kept } = form.spec;
      assert(kept !== undefined, `table ${table.name} is kept for ever`);
      await seeCommitted(tools, form, {});
      const past = asFilter({
        [fieldOf(form, kept.from)]: { $lte: now - kept.ms },
        ...(kept.unless !== undefined && { [fieldOf(form, kept.unless)]: { $ne: true } }),
      });
      const options = { limit: PAGE_RECORDS_MAX, projection: { _id: 1 } };
      const found = await collection.find(past, options).toArray();
      if (found.length === 0) return 0;
      const ids = found.map(({ _id }) => _id);
      return (await collection.deleteMany(asFilter({ ...past, _id: { $in: ids } }))).deletedCount;
    },
  };
}
