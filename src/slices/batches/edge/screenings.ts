/**
 * The sanctions batch (interface.md 4.8): up to 10,000 names, each screened by the tenant's policy
 * with an event of its own, and the answer fetched by its id.
 */
import assert from 'node:assert/strict';
import type { Static } from 'typebox';
import { type BatchId, DomainError } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  type Batch,
  type BatchOrder,
  batchQueue,
  batchSettings,
  checkOrder,
  createBatch,
  presentBatch,
  presentCreated,
  presentScreened,
  readScreenings,
} from '#slices/batches';
import { askerOf } from '../../../api/asker.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { Slots } from '../../../api/slots.ts';
import { storedAnswer } from '../../../api/storedAnswer.ts';
import { roles } from '../roles.ts';
import type { BatchRouteOptions } from './batches.ts';
import { pageCaller } from './pageCaller.ts';
import {
  cohortOf,
  type ReceivedNames,
  receiveNames,
  SCREENING_BATCH_BYTES_MAX,
} from './receiveNames.ts';
import {
  ScreeningBatchBody,
  ScreeningBatchCreated,
  ScreeningOrBatch,
  ScreeningsQuery,
} from './screeningSchemas.ts';

const NAME = 'sanctions screening';

/** `uploads`: the slots of every kind of upload. */
export function screeningBatchOperations(options: BatchRouteOptions, uploads: Slots): Operation[] {
  return [screenBatch(options, uploads), getScreeningBatch(options)];
}

function screenBatch(options: BatchRouteOptions, uploads: Slots): Operation {
  return {
    id: 'screenBatch',
    method: 'POST',
    path: '/v1/sanctions/screen/batch',
    tag: 'Sanctions',
    summary: 'Screen up to 10,000 names',
    description: 'Each is a screening of its own, with its own event. Answered before any is made.',
    roles: roles.order,
    scope: 'screening:write',
    problems: ['list-disabled-by-policy', 'list-unavailable', 'list-unknown', 'name-empty'],
    idempotency: 'required',
    limits: 'screening',
    bodyBytesMax: SCREENING_BATCH_BYTES_MAX,
    upload: {
      mediaType: 'application/json',
      receive: (context, { isAnswered }) => {
        const check = (lists: readonly string[]) => checkOrder(options, orderOf(context, lists));
        const ask = { check, context, isAnswered };
        return uploads.hold(context.tenantId, () => receiveNames(options, ask));
      },
      schema: ScreeningBatchBody,
    },
    example: { subjects: [{ name: 'Tarek Velmorani', dob: '1971-03-14', external_id: 'C-1' }] },
    responses: { 202: { description: 'Accepted, and queued', schema: ScreeningBatchCreated } },
    handle: (context) => create(options, context),
  };
}

const orderOf = (
  { principal, tenantId }: OperationContext,
  lists: readonly string[],
): BatchOrder => ({
  includeAdverseMedia: true,
  includePep: true,
  kind: 'sanctions',
  lists,
  mode: 'full',
  name: NAME,
  sandbox: principal.environment === 'sandbox',
  tenantId,
});

async function create(options: BatchRouteOptions, context: OperationContext) {
  const { clock } = options;
  const { idempotency, principal, tenantId } = context;
  const received = context.body as ReceivedNames;
  const cohort = cohortOf(received);
  assert(idempotency !== undefined, 'a batch is made under a key');
  const [inForce, policy] = await Promise.all([
    options.settingsOf(tenantId),
    options.policyInForce(tenantId),
  ]);
  const now = clock.now();
  const queue = await batchQueue(options.batches, { kind: 'sanctions', tenantId });
  const bodyOf = (batch: Batch) => JSON.stringify(presentQueued(batch, { now, queue }));
  const batch = await createBatch(options, {
    ...orderOf(context, received.lists),
    ...askerOf(context),
    baseUrl: options.baseUrlOf(principal.environment),
    cohort,
    idempotency: (made) => storedAnswer(idempotency, { body: bodyOf(made), status: 202 }, clock),
    requestedBy: principal.id,
    settings: policy,
    thresholds: inForce.of(batchSettings),
  });
  return { body: bodyOf(batch), status: 202 };
}

function presentQueued(...of: Parameters<typeof presentCreated>) {
  const { batch_id, ...rest } = presentCreated(...of);
  return { screening_id: batch_id, ...rest };
}

function getScreeningBatch(options: BatchRouteOptions): Operation {
  return {
    id: 'getScreeningBatch',
    method: 'GET',
    path: '/v1/sanctions/screenings/{id}',
    tag: 'Sanctions',
    summary: 'A batch of screenings: how far it is, and what was decided; or one screening',
    description:
      'With the id of a screening that was asked for by itself: its verdict, rebuilt from its ' +
      'event. Roles that do not read the evidence see those that they asked for or work on.',
    roles: roles.read,
    scope: 'screening:read',
    problems: [
      'blob-damaged',
      'deadline-exceeded',
      'engine-queue-full',
      'evidence-altered',
      'not-found',
    ],
    idempotency: 'none',
    limits: 'general',
    bodyBytesMax: 0,
    query: ScreeningsQuery,
    responses: {
      200: { description: 'A page of its screenings, or one', schema: ScreeningOrBatch },
    },
    async handle(context) {
      const { params, tenantId } = context;
      const batchId = (params.id ?? '') as BatchId;
      const batch = await options.batches.findBatch({ batchId, tenantId });
      if (batch?.kind !== 'sanctions') return oneScreening(options, context);
      const query = context.query as unknown as Static<typeof ScreeningsQuery>;
      const { cursor, limit = PAGE_LIMIT_DEFAULT } = query;
      const scope = { filters: { id: batchId }, list: 'getScreeningBatch', tenantId };
      const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
      const { next, results } = await readScreenings(options, {
        after: position === undefined ? -1 : Number(position.key),
        batch,
        by: pageCaller(context),
        limit,
      });
      return {
        body: {
          ...(await presentProgress(options, batch)),
          data: results.map(presentScreened),
          next_cursor:
            next === undefined ? null : options.cursors.encode(scope, { id: batchId, key: next }),
        },
        status: 200,
      };
    },
  };
}

async function oneScreening(options: BatchRouteOptions, context: OperationContext) {
  const { params, principal, request, tenantId } = context;
  const { factsOf } = options;
  const ask = { factsOf, id: params.id ?? '', principal, signal: request.signal, tenantId };
  const body = await options.screeningById(ask);
  if (body === undefined) throw new DomainError('not-found');
  return { body, status: 200 };
}

async function presentProgress(options: BatchRouteOptions, batch: Batch) {
  const queue = await batchQueue(options.batches, batch);
  const shown = presentBatch(batch, { now: options.clock.now(), queue });
  return {
    screening_id: shown.batch_id,
    status: shown.status,
    failure: shown.failure,
    progress_pct: shown.progress_pct,
    total: shown.subjects_total,
    processed: shown.subjects_processed,
    with_hits: shown.subjects_with_hits,
    lists: shown.lists,
    list_version: shown.list_version,
    lists_in_force: shown.lists_in_force,
    requested_at: shown.requested_at,
    started_at: shown.started_at,
    completed_at: shown.completed_at,
    estimated_completion: shown.estimated_completion,
  };
}
