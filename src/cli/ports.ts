/** What the commands need of an installation, in their words. src/app/cli/main.ts joins the two. */
import type { Actor, AuditStore, ErasureRequest, KeyRing } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import type { ApiKeyAdmin, PersonAdmin, Tenant, TenantAdmin } from '#core/identity';
import type { BatchId, TenantId } from '#core/kernel';
import type { OutboxStore } from '#core/reactions';
import type { Clock } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import type { Attestation, Batch, BatchOrder, BatchStore } from '#slices/batches';
import type { Allowances, RunKind, RunOutcome, RunStore } from '#slices/ingestion';
import type { ListStore } from '#slices/lists';
import type { ApartPair, ResolutionStore, SeparateEntries } from '#slices/resolution';
import type { Output } from './output.ts';

export interface CliInstallation {
  readonly tenants: TenantAdmin;
  readonly apiKeys: ApiKeyAdmin;
  readonly persons: PersonAdmin;
  readonly lists: ListStore & ResolutionStore;
  readonly audit: AuditStore;
  readonly batches: BatchStore;
  readonly batchDesk: BatchDesk;
  readonly blobs: Pick<BlobStore, 'get' | 'open'>;
  readonly signer: Signer;
  readonly keyRing: KeyRing;
  readonly outbox: Pick<OutboxStore, 'figures'>;
  /** See core/audit/eraseEvidence.ts. */
  eraseEvidence(request: ErasureRequest): Promise<{ readonly seq: number }>;
  readonly runs: RunStore;
  /** See slices/resolution/separateEntries.ts. */
  separateEntries(ask: SeparateEntries): Promise<readonly ApartPair[]>;
  /**
   * A run of a list in this process: of a file at hand, or fetched. Throws DomainError
   * `list-unknown` for a source that no connector reads, `state-conflict` while another run of the
   * source is under way.
   */
  runList(ask: {
    sourceId: string;
    kind: RunKind;
    actor: Actor;
    file?: AsyncIterable<Uint8Array>;
    allow?: Partial<Allowances>;
    onProgress(progress: { readonly stage: string; readonly bytes: number }): void;
  }): Promise<RunOutcome>;
}

/** Makes and cancels batches (batchDesk.ts). */
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

export interface Check {
  readonly name: string;
  readonly isGood: boolean;
  /** What was found, and what to do where it is not good. */
  readonly detail: string;
}

export interface CliContext {
  readonly output: Output;
  readonly clock: Clock;
  /** `cli:<user>`, for the evidence. */
  readonly actor: Actor;
  /** Opened by the first call, closed after the command. */
  open(how?: { readonly mayRotateKeys: boolean }): Promise<CliInstallation>;
  /**
   * The pages of an attestation, as its PDF has them. Absent: pages are held to nothing but their
   * detached signature.
   */
  readonly renderAttestation?: (attestation: Attestation) => Promise<Uint8Array>;
  /** What only the composition root can look at. Each one answers for itself and never throws. */
  readonly checks: readonly (() => Promise<Check>)[];
}
