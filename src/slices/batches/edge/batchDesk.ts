/**
 * Batches as the command line makes and cancels them: by the calls that the gateway makes, on the
 * store itself. The running workers do the work.
 */
import type { Actor } from '#core/audit';
import type { Tenant, TenantDirectory } from '#core/identity';
import { type BatchId, DomainError, type TenantId } from '#core/kernel';
import { localOrigin } from '#platform/localOrigin';
import {
  type Batch,
  type BatchOrder,
  batchSettings,
  batchStore,
  type CohortPorts,
  type CreateBatchPorts,
  cancelBatch,
  checkOrder,
  cohortPlace,
  createBatch,
} from '#slices/batches';
import { receiveCsv } from '#slices/intake';
import { listStore } from '#slices/lists';
import { policySettingsOf } from '#slices/policies';
import { type PolicyInForce, policyOfBatches } from '#slices/screening';
import type { CliProcess } from '../../processes.ts';

/** Makes and cancels batches. */
export interface BatchDesk {
  /** `csv-invalid`, `list-unknown`, `list-unavailable`, `batch-base-missing`, `storage-full`. */
  submit(ask: {
    readonly tenant: Tenant;
    readonly order: Omit<BatchOrder, 'kind' | 'sandbox' | 'tenantId'>;
    readonly file: { readonly name: string; readonly chunks: AsyncIterable<Uint8Array> };
    readonly actor: Actor;
  }): Promise<Batch>;
  /** `not-found`, or `state-conflict` where it has ended. */
  cancel(ask: {
    readonly tenantId: TenantId;
    readonly batchId: BatchId;
    readonly actor: Actor;
  }): Promise<Batch>;
}

export interface BatchDeskParts
  extends Omit<CreateBatchPorts, 'batches' | 'dataKeys' | 'wake'>,
    CohortPorts {
  readonly batches: CreateBatchPorts['batches'] & Parameters<typeof cancelBatch>[0]['batches'];
  readonly dataKeys: CohortPorts['dataKeys'] & CreateBatchPorts['dataKeys'];
  readonly tenants: Pick<TenantDirectory, 'settings'>;
  readonly policyInForce: PolicyInForce;
  /** `https://host/v1`, where callers reach the gateway. */
  readonly baseUrlOf: (environment: 'live' | 'sandbox') => string;
  /**
   * Sends a wake-up to the workers, who look for themselves where it is lost. Resolves once it was
   * sent: a command ends then, and its connections with it.
   */
  readonly wakeWorkers: (batchId: string) => Promise<void>;
}

export const batchDeskOf = (process: CliProcess): BatchDesk => process.once(openDesk);

function openDesk(process: CliProcess): BatchDesk {
  const { config, storage } = process;
  const origin = localOrigin(config, config.port);
  return createBatchDesk({
    ...process,
    batches: batchStore(storage.tables),
    lists: listStore(storage.tables),
    policyInForce: policySettingsOf(process),
    baseUrlOf: (environment) => `${config.origins[environment] ?? origin}/v1`,
    wakeWorkers: (batchId) => process.wake('batches', batchId),
  });
}

export function createBatchDesk(parts: BatchDeskParts): BatchDesk {
  return {
    cancel: (ask) => cancelBatch(parts, ask),
    async submit({ actor, file, order, tenant }) {
      const sandbox = tenant.kind === 'sandbox';
      const whole = { ...order, kind: 'aml', sandbox, tenantId: tenant.id } as const;
      // Checked before a large file is read for nothing; the commit checks again.
      await checkOrder(parts, whole);
      const place = cohortPlace(parts);
      const received = await receiveCsv(file.chunks, {
        blobs: place.blobs,
        check: refuseEmpty,
      });
      const inForce = await parts.tenants.settings(tenant.id);
      const source = { fileName: file.name, format: 'csv', type: 'csv' } as const;
      const batch = await createBatch(parts, {
        ...whole,
        actor,
        baseUrl: parts.baseUrlOf(tenant.kind),
        cohort: place.cohortOf(received, source),
        requestedBy: actor,
        settings: policyOfBatches(await parts.policyInForce(tenant.id)),
        thresholds: inForce.of(batchSettings),
      });
      await parts.wakeWorkers(batch.batchId);
      return batch;
    },
  };
}

function refuseEmpty({ rows }: { readonly rows: number }): void {
  if (rows > 0) return;
  throw new DomainError('csv-invalid', {
    detail: 'expected rows after the header; found none',
  });
}
