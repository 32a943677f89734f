/**
 * The rejected rows of a batch, written again without the ids of those who were erased: the file
 * goes under the next secret of the batch, since the former one is gone after the erasure.
 */
import { type BlobStore, type DataKey, type DataKeys, openFile } from '#core/blobs';
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { csvCell } from '#platform/csv/csvCell';
import type { Random } from '#platform/random';
import type { Batch, StoredFile } from './batch.ts';
import { currentFiles, openBatchFile } from './batchFiles.ts';
import { putFile, underFile } from './batchKeys.ts';
import type { BatchStore } from './ports.ts';
import { retainedUntil } from './reportPorts.ts';

export interface RejectedPorts {
  readonly blobs: Pick<BlobStore, 'open' | 'put'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

const ROW_END = '\r\n';

/** Undefined where the file is gone since an erasure that this store does not know of. */
export async function withoutRejected(
  ports: RejectedPorts,
  file: StoredFile,
  of: {
    readonly externalIds: readonly string[];
    readonly key: DataKey;
    readonly next: DataKey;
  },
): Promise<StoredFile | undefined> {
  const { externalIds, key, next } = of;
  if (file.sealed?.keyVersion !== key.version) return undefined;
  const bytes = await openFile(ports.blobs, file, underFile(key, 'rejected'));
  if (bytes === undefined) {
    throw new DomainError('blob-damaged', { detail: 'rejected rows: not in the store' });
  }
  const cells = externalIds.map((id) => `,${csvCell(id)}`);
  async function* left(of: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const row of rowsOf(of)) {
      const cell = cells.find((one) => row.endsWith(one));
      const shown = cell === undefined ? row : `${row.slice(0, -cell.length)},`;
      yield Buffer.from(`${shown}${ROW_END}`);
    }
  }
  const retainUntil = retainedUntil(ports.clock.now());
  return putFile(ports, { bytes: left(bytes), key: next, name: 'rejected' }, { retainUntil });
}

export interface FindRejectedPorts {
  readonly batches: Pick<BatchStore, 'latestIssue'>;
  readonly blobs: Pick<BlobStore, 'open'>;
  readonly dataKeys: Pick<DataKeys, 'find'>;
}

/** Whether a row that was rejected came under the reference, and still says so. */
export async function isRejected(
  ports: FindRejectedPorts,
  batch: Batch,
  externalId: string,
): Promise<boolean> {
  const { rejected: file } = await currentFiles(ports, batch);
  if (file === undefined) return false;
  const cell = `,${csvCell(externalId)}`;
  let isHead = true;
  for await (const row of rowsOf(await openBatchFile(ports, batch, { file, name: 'rejected' }))) {
    if (!isHead && row.endsWith(cell)) return true;
    isHead = false;
  }
  return false;
}

/** Rows as rejections.ts writes them; the end of a row within quotes is no end. */
async function* rowsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let held = '';
  for await (const piece of bytes) {
    held += decoder.decode(piece, { stream: true });
    let row = '';
    for (let at = held.indexOf(ROW_END); at >= 0; at = held.indexOf(ROW_END)) {
      row += held.slice(0, at);
      held = held.slice(at + ROW_END.length);
      if (row.split('"').length % 2 === 0) {
        row += ROW_END;
        continue;
      }
      yield row;
      row = '';
    }
    held = row + held;
  }
}
