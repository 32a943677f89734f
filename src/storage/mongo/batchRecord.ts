/**
 * A batch as its record, and the record that comes of a group's change and of saves beside it where
 * the server has no transactions.
 */
import type { Batch } from '#slices/batches';
import { isOpenStatus } from '../knownChange.ts';
import type { RecordDocument, RecordWrite } from './collections.ts';

export function batchRecord(batch: Batch): RecordDocument {
  const { batchId, tenantId, name, status, requestedAt, version } = batch;
  return {
    _id: batchId,
    version,
    document: JSON.stringify(batch),
    tenantId,
    name,
    status,
    isOpen: isOpenStatus(status),
    requestedAt,
  };
}

/**
 * The members that the change changed, and the stored ones for the rest. The version is new to both
 * writers, so both must read again before they write again.
 */
export function mergeBatch(
  stored: Pick<RecordDocument, 'document'>,
  { documentBefore = '{}', record }: Pick<RecordWrite, 'documentBefore' | 'record'>,
): RecordDocument {
  const before = JSON.parse(documentBefore) as Partial<Batch>;
  const theirs = JSON.parse(stored.document) as Batch;
  const ours = JSON.parse(record.document) as Batch;
  const names = new Set([...Object.keys(theirs), ...Object.keys(ours)] as (keyof Batch)[]);
  const merged = Object.fromEntries(
    [...names].map((name) => {
      const isOurs = JSON.stringify(ours[name]) !== JSON.stringify(before[name]);
      return [name, isOurs ? ours[name] : theirs[name]];
    }),
  ) as unknown as Batch;
  return batchRecord({ ...merged, version: Math.max(theirs.version, ours.version) + 1 });
}
