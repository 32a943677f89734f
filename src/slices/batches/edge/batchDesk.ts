/**
 * Batches as the command line makes and cancels them: by the calls that the gateway makes, on the
 * store itself. The running workers do the work.
 */
import type { BlobStore } from '#core/blobs';
import type { TenantDirectory } from '#core/identity';
import { DomainError } from '#core/kernel';
import {
  batchSettings,
  type CreateBatchPorts,
  cancelBatch,
  checkOrder,
  createBatch,
} from '#slices/batches';
import { receiveCsv } from '#slices/intake';
import { screeningSettings } from '#slices/screening';
import type { BatchDesk } from '../../../cli/ports.ts';

export interface BatchDeskParts extends Omit<CreateBatchPorts, 'batches' | 'wake'> {
  readonly batches: CreateBatchPorts['batches'] & Parameters<typeof cancelBatch>[0]['batches'];
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly tenants: Pick<TenantDirectory, 'settings'>;
  /** `https://host/v1`, where callers reach the gateway. */
  readonly baseUrlOf: (environment: 'live' | 'sandbox') => string;
  /**
   * A word to the workers, who look for themselves where it is lost. Resolves once it has left: a
   * command ends then, and its connections with it.
   */
  readonly wakeWorkers: (batchId: string) => Promise<void>;
}

export function createBatchDesk(parts: BatchDeskParts): BatchDesk {
  return {
    cancel: (ask) => cancelBatch(parts, ask),
    async submit({ actor, file, order, tenant }) {
      const sandbox = tenant.kind === 'sandbox';
      const whole = { ...order, kind: 'aml', sandbox, tenantId: tenant.id } as const;
      // Before a large file is read for nothing; the commit looks again.
      await checkOrder(parts, whole);
      const { address, bytes, rows } = await receiveCsv(file.chunks, {
        blobs: parts.blobs,
        check: refuseEmpty,
      });
      const inForce = await parts.tenants.settings(tenant.id);
      const source = { address, bytes, fileName: file.name, format: 'csv', type: 'csv' } as const;
      const batch = await createBatch(parts, {
        ...whole,
        actor,
        baseUrl: parts.baseUrlOf(tenant.kind),
        cohort: { source, subjects: rows },
        requestedBy: actor,
        settings: inForce.of(screeningSettings),
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
