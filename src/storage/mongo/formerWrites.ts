/**
 * Writes that a release before declared tables has committed by intent and did not come to apply.
 * It also saved some records outside groups, whole, and one such save may have come in since: what
 * the group changed counts, and of the rest what is stored.
 */
import assert from 'node:assert/strict';
import type { Collection } from 'mongodb';
import type { Collections, RecordDocument, RecordWrite } from './collections.ts';

/** One that may have been overtaken by a save. */
export interface FormerWrite extends RecordWrite {
  readonly documentBefore: string;
}

export const isFormer = (write: RecordWrite): write is FormerWrite =>
  write.documentBefore !== undefined;

/** The collection of that name as a former release wrote it. */
export function recordsIn(collections: Collections, name: string): Collection<RecordDocument> {
  return collections.table(name) as unknown as Collection<RecordDocument>;
}

/** `changeNo` tells what is applied already, so that it may run twice. */
export async function applyFormerWrite(
  collections: Collections,
  write: FormerWrite,
  changeNo: number,
): Promise<void> {
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
function merged(stored: RecordDocument, { documentBefore, record }: FormerWrite): RecordDocument {
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
