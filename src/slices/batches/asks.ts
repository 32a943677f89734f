/** What batches ask of others: threads, writers of reports, and stored cases. */
import type { KeyRing } from '#core/audit';
import type { Principal } from '#core/identity';
import { adapter, port, type TenantId } from '#core/kernel';
import type { Config } from '#platform/config';
import type { FactsOf } from '#slices/lists';
import type { Attestation } from './attestation.ts';
import type { BatchReports } from './batch.ts';
import type { ChunkThreads } from './chunkPorts.ts';
import type { ResultReader } from './chunkReading.ts';
import type { ReleasableIndex } from './heldIndexes.ts';
import type { CaseWords, StoredCases, WebhookDelivered } from './ports.ts';
import type { ReportFrom, ReportPorts } from './reportPorts.ts';

/** Threads that screen chunks, and the indexes that they share. */
export interface ChunkEngine {
  readonly threads: ChunkThreads<ReleasableIndex>;
  /** Shared memory that a snapshot is read to. */
  allocate(bytes: number): SharedArrayBuffer;
  /** Rejects with an Error that says what is wrong with the snapshot or the overlay. */
  loadInSteps(
    base: SharedArrayBuffer | ReleasableIndex,
    overlay?: SharedArrayBuffer,
  ): Promise<ReleasableIndex>;
  /** Running calls fail. */
  close(): Promise<void>;
}

export const chunkEngine = adapter<(of: { readonly threads: number }) => Promise<ChunkEngine>>();

/** The same batch always gives the same bytes. */
export const writeReports =
  adapter<(ports: ReportPorts, from: ReportFrom) => Promise<BatchReports>>();

/** The pages of an attestation, as its PDF has them. */
export const renderAttestation = adapter<(attestation: Attestation) => Promise<Uint8Array>>();

/**
 * Reads chunks in a thread of its own, which starts with the first, in turns of tenants. Rejects as
 * readChunk does, and with `deadline-exceeded`, `engine-queue-full` or `body-aborted`.
 */
export interface ResultThread {
  readonly read: ResultReader;
  close(): Promise<void>;
}

/** Where the thread finds blobs, and whose entries are good. */
export type ResultThreadOf = Pick<Config, 'dataDir' | 's3'> & { readonly keyRing: KeyRing };

export const resultThread = adapter<(of: ResultThreadOf) => Promise<ResultThread>>();

/** A page of the tenant's stored cases. Unanswered: none is stored, so every query finds none. */
export const storedCases = port<StoredCases['listSubjects']>(() => async () => []);

/** States and tiers of stored cases. Unanswered: there are none, and every word is refused. */
export const caseWords = port<() => Promise<CaseWords>>(() => async () => ({
  riskTiers: [],
  statuses: [],
}));

/** Whether a webhook told the tenant that the batch is completed. Unanswered: there are none. */
export const webhookDelivered = port<WebhookDelivered>(() => async () => false);

/**
 * One screening that was asked for by itself, as it was answered: rebuilt from its event. Undefined
 * where the caller may see none of that id. Unanswered: there are batches alone.
 */
export type ScreeningById = (ask: {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly principal: Principal;
  readonly factsOf: FactsOf;
  readonly signal: AbortSignal;
}) => Promise<object | undefined>;
export const screeningById = port<ScreeningById>(() => async () => undefined);
