/**
 * The files of a batch as they are now. Reports are written once, and again after somebody of the
 * batch was erased: what was written before lies under a secret that is gone by then.
 */
import { type BlobStore, type DataKey, type DataKeys, openFile } from '#core/blobs';
import { DomainError } from '#core/kernel';
import type { Batch, BatchReports, StoredFile } from './batch.ts';
import { type BatchFile, findBatchKey, underOf } from './batchKeys.ts';
import type { BatchStore } from './ports.ts';

export interface BatchFilesPorts {
  readonly batches: Pick<BatchStore, 'latestIssue'>;
  readonly dataKeys: Pick<DataKeys, 'find'>;
}

/** What counts of the files of a batch. */
export interface CurrentFiles {
  /** Absent: the batch has none, or they are being written again. */
  readonly reports?: BatchReports;
  readonly rejected?: StoredFile;
}

type Filed = Pick<Batch, 'batchId' | 'lineVersion' | 'rejected' | 'reports' | 'tenantId'>;

export async function currentFiles(
  { batches, dataKeys }: BatchFilesPorts,
  batch: Filed,
): Promise<CurrentFiles> {
  const { rejected, reports } = batch;
  const isOld = batch.lineVersion === undefined;
  const issue = isOld ? undefined : await batches.latestIssue(batch.batchId);
  if (issue === undefined) return asFiles(rejected, reports);
  const key = await findBatchKey(dataKeys, batch);
  const [current] = [issue.reports, reports].filter((one) => isCurrent(one, key));
  return asFiles(issue.rejected, current);
}

const isCurrent = (reports: BatchReports | undefined, key: DataKey | undefined): boolean =>
  reports?.csv.sealed?.keyVersion === key?.version;

const asFiles = (rejected?: StoredFile, reports?: BatchReports): CurrentFiles => ({
  ...(rejected !== undefined && { rejected }),
  ...(reports !== undefined && { reports }),
});

/** The batch with the files that count now, for those who show them. */
export async function withCurrentFiles(ports: BatchFilesPorts, batch: Batch): Promise<Batch> {
  const { rejected: _, reports: __, ...rest } = batch;
  return { ...rest, ...(await currentFiles(ports, batch)) };
}

/**
 * A file of a batch in pieces. Throws `blob-damaged` where it is not in the store, and
 * `state-conflict` where somebody of the batch was erased since it was written.
 */
export async function openBatchFile(
  {
    blobs,
    dataKeys,
  }: Pick<BatchFilesPorts, 'dataKeys'> & { readonly blobs: Pick<BlobStore, 'open'> },
  batch: Pick<Batch, 'batchId' | 'tenantId'>,
  { file, name }: { readonly file: StoredFile; readonly name: BatchFile | 'attestation' | 'pdf' },
): Promise<AsyncIterable<Uint8Array>> {
  const isOpen = name === 'attestation' || name === 'pdf';
  const under = isOpen ? undefined : await underOf(dataKeys, batch, file, name);
  if (file.sealed !== undefined && under === undefined) {
    const detail = `${name}: somebody of the batch was erased since it was written`;
    throw new DomainError('state-conflict', { detail });
  }
  const bytes = await openFile(blobs, file, under);
  if (bytes !== undefined) return bytes;
  const detail = `${name} ${file.sealed?.blob ?? file.address}: not in the store`;
  throw new DomainError('blob-damaged', { detail });
}
