/** Reads of declared tables on MongoDB; pages are in tablePages. */
import assert from 'node:assert/strict';
import type { Collection, Document } from 'mongodb';
import { PAGE_RECORDS_MAX, type Tables } from '#core/kernel';
import { recordsIn } from '../readableRecord.ts';
import { uniqueMembers } from '../uniqueAsk.ts';
import type { AppendTools } from './append.ts';
import { tailOf } from './tableCollections.ts';
import { asFilter, type TableDocument } from './tableDocuments.ts';
import { fieldOf, idOf, type PlainRecord, type TableForm, toRecord } from './tableForm.ts';
import { equalOf, indexMembers, presenceOf, readPage } from './tablePages.ts';
import { formOf, stampId } from './tablePlan.ts';

/** A declared table's collection and form; throws where there is no such declaration. */
export function openTable(
  { collections, forms }: AppendTools,
  { name }: { readonly name: string },
) {
  return { collection: collections.table(name), form: formOf(forms, { table: name }) };
}

/** The reading half of the port. */
export function tableReads(
  tools: AppendTools,
): Pick<Tables, 'find' | 'findMany' | 'findUnique' | 'page' | 'inTurns' | 'stamp'> {
  return {
    async find(table, key) {
      const { collection, form } = openTable(tools, table);
      const found = await collection.findOne({ _id: idOf(form, key) });
      return found === null || found.isGone ? undefined : (toRecord(form, found) as never);
    },
    async findMany(table, keys) {
      assert(keys.length <= PAGE_RECORDS_MAX, `findMany: ${keys.length} keys`);
      const { collection, form } = openTable(tools, table);
      const ids = keys.map((key) => idOf(form, key));
      const found = await collection.find({ _id: { $in: ids } }).toArray();
      return found.flatMap((one) => (one.isGone ? [] : [toRecord(form, one) as never]));
    },
    async findUnique(table, name, values) {
      const { collection, form } = openTable(tools, table);
      const members = uniqueMembers(form, name, values);
      const whiles = members.filter((member) => member in (form.spec.derived ?? {}));
      const held = Object.fromEntries(whiles.map((member) => [member, true]));
      const asked = equalOf(form, { ...values, ...held });
      const found = await collection.findOne(asFilter(asked));
      return found === null ? undefined : (toRecord(form, found) as never);
    },
    async page(table, ask) {
      const { collection, form } = openTable(tools, table);
      return (await readPage(collection, form, ask)) as never;
    },
    async inTurns(table, ask) {
      const { collection, form } = openTable(tools, table);
      return (await readTurns(collection, form, ask)) as never;
    },
    async stamp(name) {
      const specs = [...tools.forms.values()].map(({ spec }) => spec);
      const declared = specs.find(({ stamp }) => stamp?.name === name);
      assert(declared !== undefined, `no table has a stamp ${name}`);
      return (await tools.collections.state.findOne({ _id: stampId(declared) }))?.no ?? 0;
    },
  };
}

type TurnsAsk = Parameters<Tables['inTurns']>[1];

async function readTurns(
  collection: Collection<TableDocument>,
  form: TableForm,
  { equal = {}, index, lane, limit }: TurnsAsk,
): Promise<PlainRecord[]> {
  assert(limit >= 1 && limit <= PAGE_RECORDS_MAX, `inTurns: limit ${limit}`);
  const members = indexMembers(form, index);
  const count = Object.keys(equal).length;
  const isPrefix = members.slice(0, count).every((member) => equal[member] !== undefined);
  const isAfter = isPrefix && members[count] === lane;
  assert(isAfter, `${form.name} ${index}: ${lane} follows the equal fields`);
  const behind = [
    ...members.slice(count + 1).map((member) => fieldOf(form, member)),
    ...tailOf(form, index, members),
  ];
  const conditions = [equalOf(form, equal), ...presenceOf(form, members.slice(count))];
  const pipeline = turnsOf({ behind, conditions, lane: fieldOf(form, lane), limit });
  const lookup = { as: 'found', foreignField: '_id', from: form.name, localField: '_id' };
  const turns = collection.aggregate<{ readonly found: readonly TableDocument[] }>([
    ...pipeline,
    { $lookup: lookup },
  ]);
  const found = (await turns.toArray()).flatMap((turn) => turn.found);
  // One may have left the index between its turn and its document.
  const isStill = (stored: TableDocument) =>
    Object.entries(equalOf(form, equal)).every(([field, value]) => stored[field] === value);
  return recordsIn(found.filter(isStill), (stored) => toRecord(form, stored));
}

/** Ids of the first document of each lane, then of each one's second. */
function turnsOf({
  behind,
  conditions,
  lane,
  limit,
}: {
  readonly behind: readonly string[];
  readonly conditions: readonly object[];
  readonly lane: string;
  readonly limit: number;
}): Document[] {
  const order = Object.fromEntries(behind.map((field) => [field, 1]));
  return [
    { $match: { $and: conditions } },
    // Only the fields that the index has.
    { $project: Object.fromEntries([lane, ...behind].map((field) => [field, 1])) },
    {
      $setWindowFields: {
        output: { turn: { $documentNumber: {} } },
        partitionBy: `$${lane}`,
        sortBy: order,
      },
    },
    { $sort: { turn: 1, ...order } },
    { $limit: limit },
  ];
}
