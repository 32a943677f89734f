/** AML batches (interface.md 4.2): created from an upload or a query, read, canceled. */
import assert from 'node:assert/strict';
import type { Static } from 'typebox';
import type { BlobStore, DataKeys } from '#core/blobs';
import type { Principal, TenantSettings } from '#core/identity';
import { type BatchId, DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type Batch,
  type BatchOrder,
  type BatchStore,
  batchQueue,
  batchSettings,
  type CreateBatchPorts,
  cancelBatch,
  checkOrder,
  cohortPlace,
  createBatch,
  NO_QUEUE,
  presentBatch,
  presentCreated,
  receiveQuery,
  type ScreeningById,
  type SignedResults,
  type StoredCases,
  type WebhookDelivered,
  withCurrentFiles,
} from '#slices/batches';
import { UPLOAD_BYTES_MAX } from '#slices/intake';
import type { FactsOf } from '#slices/lists';
import {
  type ExplainPorts,
  type PolicyInForce,
  policyOfBatches,
  requireMonitor,
} from '#slices/screening';
import { askerOf } from '../../../api/asker.ts';
import type { CursorCodec } from '../../../api/cursor.ts';
import type { Operation, OperationContext, Upload } from '../../../api/operation.ts';
import { Slots } from '../../../api/slots.ts';
import { storedAnswer } from '../../../api/storedAnswer.ts';
import { UPLOADS_MAX, UPLOADS_PER_TENANT_MAX } from '../limits.ts';
import { roles } from '../roles.ts';
import { CreateBatchBody, CreateBatchForm, type ParsedOrder } from './batchSchemas.ts';
import { BatchCreated, BatchesPage, BatchesQuery, BatchResult } from './resultSchemas.ts';
import {
  type ReceivedOrder,
  receiveBatchForm,
  receiveBatchJson,
  type UploadOptions,
} from './uploads.ts';

export interface BatchRouteOptions extends CreateBatchPorts, UploadOptions {
  readonly batches: BatchStore;
  readonly blobs: Pick<BlobStore, 'get' | 'has' | 'open' | 'put'>;
  readonly dataKeys: Pick<DataKeys, 'drawSecret' | 'find' | 'make'>;
  readonly results: SignedResults;
  readonly cases: StoredCases;
  /** What the lists say of a hit. */
  readonly factsOf: FactsOf;
  /** Why a hit has its score, where that is asked for. */
  readonly explain: ExplainPorts;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly settingsOf: (tenantId: TenantId) => Promise<TenantSettings>;
  readonly policyInForce: PolicyInForce;
  readonly screeningById: ScreeningById;
  /** Absent: no webhooks are sent. */
  readonly webhookDelivered?: WebhookDelivered;
  /** `https://host/v1`, where a caller of this environment reaches us. */
  readonly baseUrlOf: (environment: Principal['environment']) => string;
}

/** Those of a gateway: one measure for uploads of every kind. */
export const uploadSlots = (): Slots =>
  new Slots({ inAllMax: UPLOADS_MAX, max: UPLOADS_PER_TENANT_MAX, what: 'uploads' });

/** All but its hits and reports, which have files of their own. */
export function batchOperations(options: BatchRouteOptions, slots: Slots): Operation[] {
  return [
    createBatchOperation(options, slots, {
      description:
        'The body may be as long as a file: 10,000,000 subjects, 8 GiB. It is kept only whole, ' +
        'and the key is taken from the first byte on.',
      example: {
        lists: ['OFAC', 'UN'],
        name: 'Weekly',
        subjects: [{ external_id: 'C-1', full_name: 'Tarek Velmorani', dob: '1971-03-14' }],
      },
      id: 'createBatch',
      mediaType: 'application/json',
      path: '/v1/aml/batches',
      receive: receiveBatchJson,
      schema: CreateBatchBody,
      summary: 'Screen a cohort: subjects, or a query over stored cases',
    }),
    createBatchOperation(options, slots, {
      description: 'A file that is cut off, damaged or not as described is never a batch.',
      example: undefined,
      id: 'createBatchFromCsv',
      mediaType: 'multipart/form-data',
      path: '/v1/aml/batches/csv',
      receive: receiveBatchForm,
      schema: CreateBatchForm,
      summary: 'Screen a cohort: a CSV file, as it is or gzip',
    }),
    listBatches(options),
    getBatch(options),
    cancelBatchOperation(options),
  ];
}

function createBatchOperation(
  options: BatchRouteOptions,
  slots: Slots,
  of: Pick<Operation, 'description' | 'example' | 'id' | 'path' | 'summary'> &
    Pick<Upload, 'mediaType' | 'schema'> & { readonly receive: typeof receiveBatchJson },
): Operation {
  const { mediaType, receive, schema, ...described } = of;
  return {
    ...described,
    method: 'POST',
    tag: 'AML',
    roles: roles.order,
    scope: 'batches:write' as const,
    idempotency: 'required',
    limits: 'general',
    problems: CREATION_PROBLEMS,
    bodyBytesMax: UPLOAD_BYTES_MAX,
    upload: {
      mediaType,
      receive: (context, { isAnswered }) => {
        const check = (order: ParsedOrder) => checkOrder(options, orderOf(context, order));
        const ask = { check, context, isAnswered };
        return slots.hold(context.tenantId, () => receive(options, ask));
      },
      schema,
    },
    responses: { 202: { description: 'Accepted, and queued', schema: BatchCreated } },
    handle: (context) => create(options, context),
  };
}

function orderOf({ principal, tenantId }: OperationContext, order: ParsedOrder): BatchOrder {
  requireMonitor(principal, order);
  return { ...order, kind: 'aml', sandbox: principal.environment === 'sandbox', tenantId };
}

async function create(options: BatchRouteOptions, context: OperationContext) {
  const { clock } = options;
  const { idempotency, principal, tenantId } = context;
  const received = context.body as ReceivedOrder;
  assert(idempotency !== undefined, 'a batch is made under a key');
  // The answer that stood under the key while the body came has passed its 24 hours meanwhile.
  if (received.isAnswered) throw new DomainError('idempotency-key-in-progress');
  const cohort = received.cohort ?? (await queried(options, tenantId, received.query));
  const [inForce, policy] = await Promise.all([
    options.settingsOf(tenantId),
    options.policyInForce(tenantId),
  ]);
  const now = clock.now();
  const queue = await batchQueue(options.batches, { kind: 'aml', tenantId });
  const bodyOf = (batch: Batch) => JSON.stringify(presentCreated(batch, { now, queue }));
  const batch = await createBatch(options, {
    ...orderOf(context, received.order),
    ...askerOf(context),
    baseUrl: options.baseUrlOf(principal.environment),
    idempotency: (made) => storedAnswer(idempotency, { body: bodyOf(made), status: 202 }, clock),
    requestedBy: principal.id,
    settings: policyOfBatches(policy),
    thresholds: inForce.of(batchSettings),
    ...(cohort !== undefined && { cohort }),
  });
  return { body: bodyOf(batch), status: 202 };
}

/** The query's result, stored now; it may be empty. */
async function queried(
  options: BatchRouteOptions,
  tenantId: TenantId,
  query: ReceivedOrder['query'],
) {
  if (query === undefined) return undefined;
  const { filter, given } = query;
  const place = cohortPlace(options);
  const ask = { filter, tenantId };
  const received = await receiveQuery(options.cases, ask, { ...options, blobs: place.blobs });
  return place.cohortOf(received, { filter: given, format: 'json', type: 'query' });
}

/** Beside what a body of that kind may be refused for. */
export const CREATION_PROBLEMS = [
  'batch-base-missing',
  'csv-invalid',
  'list-disabled-by-policy',
  'list-unavailable',
  'list-unknown',
  'upload-damaged',
] as const;

/** Members that reading a batch and its hits share. */
export const BATCH_READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  scope: 'batches:read',
  tag: 'AML',
} as const;

function listBatches(options: BatchRouteOptions): Operation {
  return {
    ...BATCH_READING,
    id: 'listBatches',
    path: '/v1/aml/batches',
    summary: 'Batches, latest first',
    query: BatchesQuery,
    responses: { 200: { description: 'A page of batches', schema: BatchesPage } },
    async handle({ query: asked, tenantId }) {
      const query = asked as unknown as Static<typeof BatchesQuery>;
      const { cursor, limit = PAGE_LIMIT_DEFAULT, ...filters } = query;
      const scope = { filters, list: 'listBatches', tenantId };
      const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
      const found = await options.batches.listBatches({
        ...filters,
        kind: 'aml',
        // One more than asked for says whether there is a next page.
        limit: limit + 1,
        tenantId,
        ...(position !== undefined && {
          before: { batchId: position.id as BatchId, requestedAt: Number(position.key) as EpochMs },
        }),
      });
      const batches = found.slice(0, limit);
      const last = found.length > limit ? batches.at(-1) : undefined;
      const next = last && { id: last.batchId, key: last.requestedAt };
      return {
        body: {
          data: await present(options, batches),
          next_cursor: next === undefined ? null : options.cursors.encode(scope, next),
        },
        status: 200,
      };
    },
  };
}

function getBatch(options: BatchRouteOptions): Operation {
  return {
    ...BATCH_READING,
    id: 'getBatch',
    path: '/v1/aml/batches/{batch_id}',
    summary: 'A batch and how far it is',
    problems: ['not-found'],
    responses: { 200: { description: 'The batch', schema: BatchResult } },
    async handle(context) {
      const [body] = await present(options, [await amlBatch(options.batches, context)]);
      return { body: body ?? {}, status: 200 };
    },
  };
}

/** A batch of this tenant and this kind; any other one is as unknown as a missing one. */
export async function amlBatch(
  batches: Pick<BatchStore, 'findBatch'>,
  { params, tenantId }: Pick<OperationContext, 'params' | 'tenantId'>,
): Promise<Batch> {
  const batchId = (params.batch_id ?? '') as BatchId;
  const found = await batches.findBatch({ batchId, tenantId });
  if (found?.kind !== 'aml') throw new DomainError('not-found');
  return found;
}

async function present(options: BatchRouteOptions, batches: readonly Batch[]) {
  const now = options.clock.now();
  const isWaiting = batches.some(({ status }) => status === 'queued' || status === 'running');
  const [first] = batches;
  const queue = first && isWaiting ? await batchQueue(options.batches, first) : NO_QUEUE;
  return Promise.all(
    batches.map(async (batch) => {
      const isTold = batch.status === 'completed' && options.webhookDelivered !== undefined;
      const isWebhookDelivered = isTold && (await options.webhookDelivered(batch));
      const current = await withCurrentFiles(options, batch);
      return presentBatch(current, { isWebhookDelivered, now, queue });
    }),
  );
}

function cancelBatchOperation(options: BatchRouteOptions): Operation {
  return {
    id: 'cancelBatch',
    method: 'POST',
    path: '/v1/aml/batches/{batch_id}/cancel',
    tag: 'AML',
    summary: 'Cancel a batch that is queued or running',
    description: 'What was screened stays, with its evidence and its hits; there are no reports.',
    roles: roles.order,
    scope: 'batches:write',
    problems: ['not-found', 'state-conflict'],
    idempotency: 'required',
    limits: 'general',
    bodyBytesMax: 0,
    responses: { 200: { description: 'The batch, canceled', schema: BatchResult } },
    async handle(context) {
      const { idempotency, tenantId } = context;
      const { batchId } = await amlBatch(options.batches, context);
      const view = { now: options.clock.now(), queue: NO_QUEUE };
      const bodyOf = (batch: Batch) => JSON.stringify(presentBatch(batch, view));
      const canceled = await cancelBatch(options, {
        ...askerOf(context),
        batchId,
        tenantId,
        ...(idempotency !== undefined && {
          idempotency: (batch) =>
            storedAnswer(idempotency, { body: bodyOf(batch), status: 200 }, options.clock),
        }),
      });
      return { body: bodyOf(canceled), status: 200 };
    },
  };
}
