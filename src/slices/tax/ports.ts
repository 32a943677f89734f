/** What the rules of tax reporting need: store, evidence, and sealed blobs. */
import type { CommitEvidence } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import type { Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { SignedClassifications } from './signedClassifications.ts';

/** What reads classifications. */
export interface TaxReadPorts {
  readonly tables: Pick<Tables, 'find' | 'page'>;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly dataKeys: Pick<DataKeys, 'find' | 'make'>;
  readonly signed: SignedClassifications;
}

/** What writes them. */
export interface TaxPorts extends TaxReadPorts {
  readonly commit: CommitEvidence;
  readonly clock: Clock;
  readonly random: Random;
}
