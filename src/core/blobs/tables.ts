/** The data keys of an installation, wrapped: personal data lies in blobs under them. */
import { table } from '#core/kernel';
import type { DataKeyRecord } from './ports.ts';

/**
 * One record for whatever is erased as a whole or by places: a batch, a chunk of it. What a record
 * held before is not kept anywhere: to replace it is to destroy keys. Backups have this table apart
 * from all others, in its latest state only.
 */
export const dataKeyTable = table<DataKeyRecord, 'keyId'>('data_key', {
  key: ['keyId'],
  chain: 'tenantId',
  owner: 'tenantId',
  personal: 'none',
});
