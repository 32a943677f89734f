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
 * What the change changed, and of the rest what is stored. The version is one that neither of the
 * two who wrote knows, so both must look again before they write again.
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
