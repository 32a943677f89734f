/**
 * Gives fields to documents that were written before something was to be found by them: by a former
 * release, or under a declaration that named fewer. Block by block in the order of their keys, each
 * document only as it was read; to do it again, or twice at once, does no harm.
 */
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { readRows } from '../readableRecord.ts';
import { asFilter, asUpdate, type TableDocument } from './tableDocuments.ts';
import { fieldsOf, type PlainRecord, type TableForm, toRecord } from './tableForm.ts';

const BLOCK_DOCUMENTS = 1_000;

/** Writes nothing to a document that has all its fields. */
export async function fillTable(
  collection: Collection<TableDocument>,
  form: TableForm,
): Promise<void> {
  for (let after: string | undefined; ; ) {
    const behind = after === undefined ? {} : { _id: { $gt: after } };
    const found = await collection
      .find(asFilter(behind))
      .sort({ _id: 1 })
      .limit(BLOCK_DOCUMENTS)
      .toArray();
    // One that cannot be read keeps the fields that it has.
    const { read } = readRows(
      found.filter(({ isGone }) => !isGone),
      (stored) => toRecord(form, stored),
    );
    const writes = read.flatMap(({ record, row }) => fillOf(form, row, record));
    if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
    after = found.at(-1)?._id;
    if (found.length < BLOCK_DOCUMENTS) return;
  }
}

function fillOf(
  form: TableForm,
  stored: TableDocument,
  record: PlainRecord,
): AnyBulkWriteOperation<TableDocument>[] {
  const { set, unset } = fieldsOf(form, record, form.columns);
  const lacking = Object.entries(set).filter(([field, value]) => stored[field] !== value);
  const surplus = unset.filter((field) => stored[field] !== undefined);
  if (lacking.length + surplus.length === 0) return [];
  const { _id, rev, version } = stored;
  const asRead = asFilter({ _id, rev: rev ?? null, version: version ?? null });
  const update = asUpdate({
    ...(lacking.length > 0 && { $set: Object.fromEntries(lacking) }),
    ...(surplus.length > 0 && {
      $unset: Object.fromEntries(surplus.map((field) => [field, true])),
    }),
  });
  return [{ updateOne: { filter: asRead, update } }];
}
