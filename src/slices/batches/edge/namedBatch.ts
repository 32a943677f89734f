/** The batch that a command names, and the options that name it. */
import { type BatchId, DomainError, type TenantId } from '#core/kernel';
import { type Batch, batchStore } from '#slices/batches';
import type { Given } from '../../../cli/command.ts';
import type { CliProcess } from '../../processes.ts';

export const BATCH = {
  help: 'as `batch submit` prints it',
  name: 'batch',
  required: true,
  value: 'ID',
} as const;

export const ANY_TENANT = {
  help: 'of this tenant; else it is looked for in all',
  name: 'tenant',
  value: 'ID',
} as const;

/** Throws `not-found` where there is none. */
export async function findBatch(
  { storage, tenants }: Pick<CliProcess, 'storage' | 'tenants'>,
  given: Given,
): Promise<Batch> {
  const batchId = given.value('batch') as BatchId;
  const only = given.optional('tenant') as TenantId | undefined;
  const ids = only === undefined ? (await tenants.list()).map(({ id }) => id) : [only];
  for (const tenantId of ids) {
    const batch = await batchStore(storage.tables).findBatch({ batchId, tenantId });
    if (batch) return batch;
  }
  throw new DomainError('not-found', { detail: 'no such batch' });
}
