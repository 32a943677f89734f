/**
 * Creates a batch from a cohort that was received whole and an order: its record, its entry in the
 * tenant's chain and, where there is one, the answer under the caller's key, in one commit. Workers
 * find it in the store.
 *
 * Nothing here knows HTTP: the gateway and the command line create batches by the same call.
 */
import {
  type Asker,
  type Commit,
  entry,
  type IdempotencyRecord,
  type JsonObject,
} from '#core/audit';
import { type DataKeys, dataKeyTable } from '#core/blobs';
import { type BatchId, type ChainId, chainOf, DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import type { Tracer } from '#platform/tracing/tracer';
import { CHUNK_SUBJECTS } from '#slices/intake';
import type { ListStore } from '#slices/lists';
import { type ScreeningSettings, selectVersions } from '#slices/screening';
import { lastCompletedBatch } from './baseBatch.ts';
import {
  type Batch,
  type BatchKind,
  type BatchMode,
  type BatchSource,
  type BatchThresholds,
  noCounts,
} from './batch.ts';
import { orderMembers } from './batchEvidence.ts';
import { batchKeyId } from './batchKeys.ts';
import type { BatchStore } from './ports.ts';
import { batchTable } from './tables.ts';

export const BATCH_NAME_CHARS_MAX = 255;
/**
 * Queued or running batches of a tenant. Workers look at a few hundred at a time, and one tenant
 * must not fill them.
 */
export const OPEN_BATCHES_PER_TENANT_MAX = 100;
const OPEN_RETRY_AFTER_S = 5;
const SECRET_BYTES = 32;
/** For kind `sanctions`: one commit has a screening event of each. */
const SANCTIONS_CHUNK_SUBJECTS = 50;

export interface CreateBatchPorts {
  readonly batches: Pick<BatchStore, 'listBatches'>;
  readonly lists: Pick<ListStore, 'listSources'>;
  /** AuditLog.commit. */
  readonly commit: (chainId: ChainId, commit: Commit) => Promise<unknown>;
  readonly clock: Pick<Clock, 'now'>;
  readonly dataKeys: Pick<DataKeys, 'make'>;
  readonly random: Random;
  /**
   * Sends workers a wake-up; without one they look by themselves soon. Neither throws nor waits.
   */
  readonly wake?: (batchId: BatchId) => void;
  readonly tracer?: Pick<Tracer, 'traceparent'>;
}

/** The order of a batch, without its subjects. */
export interface BatchOrder {
  readonly tenantId: TenantId;
  readonly kind: BatchKind;
  /** 1 to BATCH_NAME_CHARS_MAX characters. */
  readonly name: string;
  readonly mode: BatchMode;
  /** Empty: all that are in force for the tenant. */
  readonly lists: readonly string[];
  readonly includePep: boolean;
  readonly includeAdverseMedia: boolean;
  /** For mode `delta` only. */
  readonly since?: EpochMs;
  readonly sandbox: boolean;
  /** Its subjects are watched once it is completed. */
  readonly monitor?: true;
}

/** A cohort in the blob store. */
export interface BatchCohort {
  readonly source: BatchSource;
  /** The blob of a file that came in sealed (sealedCohort.ts), and the secret of its batch. */
  readonly sealed?: { readonly blob: string; readonly secret: Buffer };
  /** Includes those that may be rejected when they are read. */
  readonly subjects: number;
}

export interface CreateBatch extends BatchOrder, Asker {
  /** Absent: the cohort of the base batch, for mode `listsdelta`. */
  readonly cohort?: BatchCohort;
  /** Id of the API key or of the account. */
  readonly requestedBy: string;
  /** `https://host/v1`, without a slash at the end. */
  readonly baseUrl: string;
  readonly settings: ScreeningSettings;
  readonly thresholds: BatchThresholds;
  /** The answer that is kept under the caller's key. */
  readonly idempotency?: (batch: Batch) => IdempotencyRecord;
}

/**
 * Checks whether such a batch could be created now, before its subjects have come; by the policy,
 * where that is known yet. Returns its base batch. Rejects with `list-unknown`, `list-unavailable`,
 * `list-disabled-by-policy`, `batch-base-missing`, or with
 * `rate-limited` where the tenant has too many open ones.
 */
export async function checkOrder(
  ports: Pick<CreateBatchPorts, 'batches' | 'lists'>,
  order: BatchOrder & { readonly settings?: Pick<ScreeningSettings, 'sourcesOff'> },
): Promise<Batch | undefined> {
  const published = (await ports.lists.listSources()).flatMap(({ active }) => active ?? []);
  selectVersions(published, order.lists.length === 0 ? undefined : order.lists, {
    off: order.settings?.sourcesOff,
    pointer: '/lists',
    sandbox: order.sandbox,
  });
  await requireRoom(ports.batches, order.tenantId);
  const isOnItsOwn = order.mode === 'full' || order.since !== undefined;
  const base = isOnItsOwn ? undefined : await lastCompletedBatch(ports.batches, order);
  if (isOnItsOwn || base !== undefined) return base;
  throw new DomainError('batch-base-missing', {
    detail: `mode ${order.mode}: expected a completed batch of this name to go on from`,
  });
}

/** Several calls at once may exceed the bound by a few: it is no promise. */
async function requireRoom(
  batches: CreateBatchPorts['batches'],
  tenantId: TenantId,
): Promise<void> {
  const limit = OPEN_BATCHES_PER_TENANT_MAX;
  const running = await batches.listBatches({ limit, status: 'running', tenantId });
  const queued = await batches.listBatches({ limit, status: 'queued', tenantId });
  if (running.length + queued.length < limit) return;
  throw new DomainError('rate-limited', {
    detail: `expected at most ${limit} batches that are queued or running`,
    retryAfterS: OPEN_RETRY_AFTER_S,
  });
}

/** Durable when it resolves. Rejects as `checkOrder` does, and as the commit does. */
export async function createBatch(ports: CreateBatchPorts, ask: CreateBatch): Promise<Batch> {
  const batch = newBatch(ports, ask, await checkOrder(ports, ask));
  const { idempotency } = ask;
  const { keyId, tenantId } = { ...batch, keyId: batchKeyId(batch.batchId) };
  const secret = ask.cohort?.sealed?.secret;
  const { record } = ports.dataKeys.make({ keyId, tenantId }, { ...(secret && { secret }) });
  await ports.commit(chainOf(ask.tenantId), {
    bus: [],
    changes: [dataKeyTable.insert(record), batchTable.insert(batch)],
    events: [createdEntry(ports, ask, batch)],
    ...(idempotency !== undefined && { idempotency: () => idempotency(batch) }),
  });
  ports.wake?.(batch.batchId);
  return batch;
}

function newBatch(ports: CreateBatchPorts, ask: CreateBatch, base: Batch | undefined): Batch {
  const { clock, random } = ports;
  const cohort = ask.cohort ?? cohortOf(base);
  const now = clock.now();
  const batchId = uuidV7(now, random) as BatchId;
  const traceparent = ports.tracer?.traceparent();
  return {
    baseUrl: ask.baseUrl,
    batchId,
    chunkSubjects: ask.kind === 'sanctions' ? SANCTIONS_CHUNK_SUBJECTS : CHUNK_SUBJECTS,
    counts: noCounts(),
    includeAdverseMedia: ask.includeAdverseMedia,
    includePep: ask.includePep,
    kind: ask.kind,
    lineVersion: 2,
    lists: ask.lists,
    mode: ask.mode,
    name: ask.name,
    rejectedTotal: 0,
    requestedAt: now,
    requestedBy: ask.requestedBy,
    sandbox: ask.sandbox,
    secret: Buffer.from(random.bytes(SECRET_BYTES)).toString('base64'),
    settings: ask.settings,
    source: sourceOf(cohort, batchId),
    status: 'queued',
    subjectsTotal: cohort.subjects,
    tenantId: ask.tenantId,
    thresholds: ask.thresholds,
    version: 1,
    ...(base !== undefined && { baseBatchId: base.batchId }),
    ...(ask.since !== undefined && { since: ask.since }),
    ...(ask.monitor === true && { monitor: true }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

function sourceOf({ sealed, source }: BatchCohort, batchId: BatchId): BatchSource {
  if (sealed === undefined) return source;
  const place = { blob: sealed.blob, keyId: batchKeyId(batchId), keyVersion: 1 };
  return { ...source, sealed: place };
}

/** The rows that came in with the base, also those that were not screened: they are read again. */
function cohortOf(base: Batch | undefined): BatchCohort {
  if (base === undefined) throw new DomainError('internal', { detail: 'a batch without subjects' });
  return { source: base.source, subjects: base.subjectsTotal + base.rejectedTotal };
}

function createdEntry(ports: CreateBatchPorts, ask: CreateBatch, batch: Batch) {
  const { fileName, filter } = batch.source;
  return entry(ports, {
    action: 'aml.batch.created',
    actor: ask.actor,
    ...(ask.ip !== undefined && { ip: ask.ip }),
    target: batch.batchId,
    members: { ...orderMembers(batch), subjects_total: batch.subjectsTotal },
    open: {
      name: batch.name,
      ...(fileName !== undefined && { file_name: fileName }),
      ...(filter !== undefined && { filter: filter as JsonObject }),
    },
  });
}
