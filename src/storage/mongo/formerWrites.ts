/**
 * Changes that a release before declared tables has committed by intent and did not come to apply.
 * It also saved some records outside groups, whole, and one such save may have come in since: what
 * the group changed counts, and of the rest what is stored.
 */
import assert from 'node:assert/strict';
import type { Collection } from 'mongodb';
import type { Collections, FormerChanges, FormerRecord, FormerWrite } from './collections.ts';
import { isDuplicateKey } from './errors.ts';

/** Applied in the order of `changeNo` only: each write stands on the version before it. */
export async function applyFormerChanges(
  collections: Collections,
  { isPublication, writes = [] }: FormerChanges,
  changeNo: number,
): Promise<void> {
  for (const write of writes) {
    if (write.documentBefore === undefined) await apply(collections, write);
    else await merge(collections, { ...write, documentBefore: write.documentBefore }, changeNo);
  }
  if (isPublication !== true) return;
  await collections.state.updateOne(
    { _id: 'publications' },
    { $max: { no: changeNo } },
    { upsert: true },
  );
}

const recordsIn = (collections: Collections, name: string): Collection<FormerRecord> =>
  collections.table(name) as unknown as Collection<FormerRecord>;

async function apply(
  collections: Collections,
  { collection, record, versionBefore }: FormerWrite,
): Promise<void> {
  const { _id, ...fields } = record;
  const records = recordsIn(collections, collection);
  if (versionBefore > 0) {
    // A run was also saved outside groups: one save may have come in since this was committed.
    const version = collection === 'list_run' ? { $lte: record.version } : versionBefore;
    // $set and not a replacement: a key's last use is not the change's to forget.
    await records.updateOne({ _id, version }, { $set: fields });
    return;
  }
  try {
    await records.insertOne(record);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

type Overtaken = FormerWrite & { readonly documentBefore: string };

/** `changeNo` tells what is applied already, so that it may run twice. */
async function merge(collections: Collections, write: Overtaken, changeNo: number): Promise<void> {
  const records = recordsIn(collections, write.collection);
  const { _id } = write.record;
  for (;;) {
    const stored = await records.findOne({ _id });
    assert(stored !== null, `${write.collection} ${_id} was there when the change was planned`);
    if ((stored.changeNo ?? 0) >= changeNo) return;
    const isSaved = stored.version !== write.versionBefore;
    const { _id: _same, ...fields } = isSaved ? merged(stored, write) : write.record;
    const $set = { ...fields, changeNo };
    const { matchedCount } = await records.updateOne({ _id, version: stored.version }, { $set });
    if (matchedCount === 1) return;
  }
}

/**
 * The version is one that neither of the two who wrote knows, so both must look again. No save
 * moved a member that stands beside the document.
 */
function merged(stored: FormerRecord, { documentBefore, record }: Overtaken): FormerRecord {
  const before = JSON.parse(documentBefore) as Record<string, unknown>;
  const theirs = JSON.parse(stored.document) as Record<string, unknown>;
  const ours = JSON.parse(record.document) as Record<string, unknown>;
  const names = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  const members = [...names].map((name) => {
    const isOurs = JSON.stringify(ours[name]) !== JSON.stringify(before[name]);
    return [name, isOurs ? ours[name] : theirs[name]] as const;
  });
  const version = Math.max(stored.version, record.version) + 1;
  const document = JSON.stringify({ ...Object.fromEntries(members), version });
  return { ...record, document, version };
}
