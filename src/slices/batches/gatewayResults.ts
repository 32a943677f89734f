/** Results as a gateway reads them: in a thread, which starts with the first that is asked for. */
import type { AuditStore, KeyRing } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import { type ResultThread, type ResultThreadOf, resultThread } from './asks.ts';
import { type SignedResults, signedResults } from './signedResults.ts';

/** What a process has for it. */
export interface ResultMeans {
  readonly blobs: BlobStore;
  readonly config: Omit<ResultThreadOf, 'keyRing'>;
  readonly dataKeys: DataKeys;
  readonly keyRing: KeyRing;
  readonly storage: { readonly audit: AuditStore };
  need(adapter: typeof resultThread): (of: ResultThreadOf) => Promise<ResultThread>;
  once<Part>(make: (process: this) => Part): Part;
  onClose(end: () => Promise<void>): void;
}

/** One for the process: what has been verified is kept. */
export const gatewayResults = (process: ResultMeans): SignedResults => process.once(openResults);

function openResults(process: ResultMeans): SignedResults {
  const { blobs, dataKeys, keyRing, storage } = process;
  return signedResults({
    audit: storage.audit,
    blobs,
    dataKeys,
    keyRing,
    reader: async (task, by) => (await process.once(openThread)).read(task, by),
  });
}

async function openThread(process: ResultMeans): Promise<ResultThread> {
  const { config, keyRing } = process;
  const { dataDir, s3 } = config;
  const of = { dataDir, keyRing, ...(s3 !== undefined && { s3 }) };
  const thread = await process.need(resultThread)(of);
  process.onClose(() => thread.close());
  return thread;
}
