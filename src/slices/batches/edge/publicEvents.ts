/**
 * What batches tell customers' systems: figures, and where the reports are. The outbox says which
 * batch it is; what is told of it is what was signed.
 */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import {
  type BatchId,
  chainOf,
  type PublicData,
  type PublicEvent,
  type TenantId,
  type ToldEvent,
} from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { BATCH_MODES, batchStore, completedAsSigned } from '#slices/batches';
import type { SliceProcess } from '../../processes.ts';

const DIGEST = { pattern: '^[0-9a-f]{64}$' };
const Count = Type.Integer({ minimum: 0 });

const BatchCompleted = Type.Object({
  batch_id: Type.String({ format: 'uuid' }),
  batch_name: Type.String(),
  mode: Type.Union(BATCH_MODES.map((mode) => Type.Literal(mode))),
  subjects_total: Count,
  subjects_processed: Count,
  subjects_with_hits: Count,
  hits_total: Count,
  list_versions: Type.Array(Type.Object({ source: Type.String(), list_version: Type.String() }), {
    description: 'Lists that the cohort was screened against',
  }),
  attestation_sha256: Type.String(DIGEST),
  report_csv_url: Type.String({ description: 'A path of the API, read with a credential' }),
  report_xlsx_url: Type.String(),
  report_pdf_url: Type.String(),
});

const BatchFailed = Type.Object({
  batch_id: Type.String({ format: 'uuid' }),
  reason: Type.String({ description: 'A code, as the batch itself shows it' }),
});

const EXAMPLE_ID = '019a0b2c-7d4e-7000-8000-000000000000';

/** Paths: a message says neither which origin its reader uses nor anything that opens a report. */
const reportPaths = (batchId: string) => {
  const path = (format: string) => `/v1/aml/batches/${batchId}/report?format=${format}`;
  return {
    report_csv_url: path('csv'),
    report_pdf_url: path('pdf'),
    report_xlsx_url: path('xlsx'),
  };
};

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  {
    name: 'aml.batch.completed',
    catalogs: ['A', 'B'],
    audience: 'tenant',
    topic: 'aml.batch.completed',
    about: 'batch_id',
    keepsArrival: true,
    since: '2026-11-23',
    description: 'A batch has ended well: its figures, and where its reports are.',
    schema: BatchCompleted,
    example: {
      batch_id: EXAMPLE_ID,
      batch_name: 'Weekly',
      mode: 'full',
      subjects_total: 1000,
      subjects_processed: 1000,
      subjects_with_hits: 12,
      hits_total: 15,
      list_versions: [{ list_version: 'v2026-11-23.a', source: 'OFAC_SDN' }],
      attestation_sha256: 'a'.repeat(64),
      ...reportPaths(EXAMPLE_ID),
    },
    dataOf: batchCompleted,
  },
  {
    name: 'aml.batch.failed',
    catalogs: ['A', 'B'],
    audience: 'tenant',
    topic: 'aml.batch.failed',
    about: 'batch_id',
    since: '2026-11-25',
    description: 'A batch could not be done. It is submitted anew once the reason is gone.',
    schema: BatchFailed,
    example: { batch_id: EXAMPLE_ID, reason: 'results-altered' },
    dataOf: batchFailed,
  },
];

/** As its signed entry tells it. Throws `evidence-altered` where none does. */
async function batchFailed(
  { createdAt, partition, payload }: ToldEvent,
  { keyRing, storage: { audit } }: SliceProcess,
): Promise<PublicData> {
  const target = String(payload.batch_id);
  const { code } = await entryAbout(
    { audit, keyRing },
    {
      actions: ['aml.batch.failed'],
      chainId: chainOf(partition as TenantId),
      near: createdAt as EpochMs,
      target,
    },
  );
  return { batch_id: target, reason: code };
}

/** Throws `evidence-altered` where its signed entries do not tell of it. */
async function batchCompleted(
  { createdAt, partition, payload }: ToldEvent,
  { keyRing, storage: { audit, tables } }: SliceProcess,
): Promise<PublicData> {
  const batchId = payload.batch_id as BatchId;
  const { end, order, start } = await completedAsSigned(
    { audit, batches: batchStore(tables), keyRing },
    { batchId, near: createdAt as EpochMs, tenantId: partition as TenantId },
  );
  const lists = start.lists as readonly {
    readonly source: string;
    readonly list_version: string;
  }[];
  return {
    attestation_sha256: end.attestation_sha256,
    batch_id: batchId,
    // Free text of a person: it can be erased.
    batch_name: (order.details as { readonly name?: string } | undefined)?.name ?? '',
    hits_total: end.hits,
    list_versions: lists.map(({ list_version, source }) => ({ list_version, source })),
    mode: order.mode,
    subjects_processed: end.subjects,
    // All of them: a batch that is completed has no other.
    subjects_total: end.subjects,
    subjects_with_hits: end.subjects_with_hits,
    ...reportPaths(batchId),
  };
}
