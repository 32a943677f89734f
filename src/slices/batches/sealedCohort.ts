/**
 * Where the subjects of a batch come in: the file goes sealed to the blob store, under a secret
 * that becomes the batch's once there is one. A file whose batch is refused is sealed for nobody.
 */
import { type BlobStore, type DataKeys, type SealedPut, sealedPuts } from '#core/blobs';
import type { Random } from '#platform/random';
import type { ReceivedFile } from '#slices/intake';
import type { BatchSource } from './batch.ts';
import type { BatchCohort } from './createBatch.ts';

export interface CohortPorts {
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly dataKeys: Pick<DataKeys, 'drawSecret'>;
  readonly random: Random;
}

/** The place for one file. */
export interface CohortPlace {
  readonly blobs: { put(...of: Parameters<BlobStore['put']>): Promise<SealedPut> };
  /** The cohort of what was put there last. */
  cohortOf(
    received: Pick<ReceivedFile, 'address' | 'bytes' | 'rows'>,
    source: Omit<BatchSource, 'address' | 'bytes' | 'sealed'>,
  ): BatchCohort;
}

export function cohortPlace({ blobs, dataKeys, random }: CohortPorts): CohortPlace {
  const secret = dataKeys.drawSecret();
  const puts = sealedPuts({ blobs, random }, { label: 'batch-source', secret });
  let last: SealedPut | undefined;
  return {
    blobs: {
      put: async (bytes, options) => {
        last = await puts.put(bytes, options);
        return last;
      },
    },
    cohortOf: ({ address, bytes, rows }, source) => ({
      source: { ...source, address, bytes },
      subjects: rows,
      ...(last !== undefined && { sealed: { blob: last.sealedBlob, secret } }),
    }),
  };
}
