/** Which blobs the records of batches name: none of them may go while the record stands. */
import type { BatchId } from '#core/kernel';
import type { Batch, BatchChunk, BatchStore } from '#slices/batches';

/** One page of addresses; `next` is what the following one comes after, absent behind the last. */
export interface BlobPage<Place> {
  readonly addresses: readonly string[];
  readonly next: Place | undefined;
}

/** An adapter reads in pages, so that no cursor stays open while blobs are examined. */
export interface PagedBatchStore<ChunkPlace> extends Omit<BatchStore, 'namedBlobs'> {
  batchBlobs(after: BatchId | undefined): Promise<BlobPage<BatchId>>;
  chunkBlobs(after: ChunkPlace | undefined): Promise<BlobPage<ChunkPlace>>;
}

export function withNamedBlobs<ChunkPlace>(paged: PagedBatchStore<ChunkPlace>): BatchStore {
  const { batchBlobs, chunkBlobs, ...store } = paged;
  return {
    ...store,
    // A chunk may be done between the two reads, or a batch come: their blobs have just been put.
    async *namedBlobs() {
      yield* everyPage(batchBlobs);
      yield* everyPage(chunkBlobs);
    },
  };
}

async function* everyPage<Place>(
  read: (after: Place | undefined) => Promise<BlobPage<Place>>,
): AsyncGenerator<string> {
  let after: Place | undefined;
  do {
    const page: BlobPage<Place> = await read(after);
    yield* page.addresses;
    after = page.next;
  } while (after !== undefined);
}

/** Every member of the reports that is a file, so that later kinds of report are kept too. */
export function blobsOfBatch({ rejected, reports, source }: Batch): string[] {
  const files = Object.values(reports ?? {}).flatMap((report) =>
    typeof report === 'string' ? [] : [report.address],
  );
  return [source.address, ...(rejected === undefined ? [] : [rejected.address]), ...files];
}

/** The input of a completed chunk may be removed: it can be read from the source again. */
export const blobOfChunk = ({ input, result }: BatchChunk): string => result?.blob ?? input;
