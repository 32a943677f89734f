/** Many deliveries again by one order, and how far it is (W12). */
import { DomainError, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type BulkReplay, findReplay, orderReplay } from '#slices/webhooks';
import { askerOf } from '../../../api/asker.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import {
  type BulkReplayAsked,
  BulkReplayBody,
  BulkReplayResult,
  ReplayJobResult,
} from './figureSchemas.ts';
import { presentReplay } from './presentation.ts';
import { BODY_BYTES_MAX, COMMON, kept, type WebhookRouteOptions } from './routeOptions.ts';

export const replayOperations = (options: WebhookRouteOptions): Operation[] => [
  replayWebhookDeliveries(options),
  getWebhookReplay(options),
];

function replayWebhookDeliveries(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'replayWebhookDeliveries',
    method: 'POST',
    path: '/v1/webhooks/deliveries/replay',
    summary: 'Send many deliveries of an endpoint again, or what it has missed',
    description:
      'Those of the endpoint that were created in the time and have ended; with `missing` the ' +
      'events that it asks for and that have not arrived, also those that came while it was ' +
      'disabled. At most 100,000, the oldest first, at half of the tenant’s rate. A worker sends ' +
      'them; `count` is those that were found at once, and `getWebhookReplay` says how far it is.',
    roles: roles.develop,
    scope: 'webhooks:write',
    idempotency: 'required',
    problems: ['webhook-endpoint-disabled', 'webhook-time-range', 'webhook-unknown'],
    bodyBytesMax: BODY_BYTES_MAX,
    body: BulkReplayBody,
    example: {
      endpoint_id: '019a0b2c-7d4e-7000-8000-000000000000',
      from: '2026-11-22T00:00:00Z',
      missing: true,
      to: '2026-11-23T00:00:00Z',
    },
    responses: { 202: { description: 'How many, and the order', schema: BulkReplayResult } },
    async handle(context) {
      const ports = options.ports();
      const asked = context.body as BulkReplayAsked;
      const { ask, reply } = kept<BulkReplay>(ports, context, {
        present: ({ count, isCounted, replayJobId }) => ({
          count,
          count_is_final: isCounted,
          replay_job_id: replayJobId,
        }),
        status: 202,
      });
      const { idempotency } = ask;
      const tenantId: TenantId = context.tenantId;
      const order = await orderReplay(ports, {
        ...askerOf(context),
        ...rangeOf(asked),
        endpointId: asked.endpoint_id,
        isMissing: asked.missing ?? false,
        tenantId,
        ...(asked.event_types !== undefined && { eventTypes: asked.event_types }),
        ...(asked.status !== undefined && { status: asked.status }),
        ...(idempotency !== undefined && { idempotency }),
      });
      options.wake(order.replayJobId);
      return reply(order);
    },
  };
}

function getWebhookReplay(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'getWebhookReplay',
    method: 'GET',
    path: '/v1/webhooks/replays/{replay_job_id}',
    summary: 'How far an order of many replays is',
    roles: roles.read,
    scope: 'webhooks:read',
    problems: ['webhook-unknown'],
    responses: { 200: { description: 'The order', schema: ReplayJobResult } },
    async handle({ params, tenantId }) {
      const replayJobId = params.replay_job_id ?? '';
      const job = await findReplay(options.ports(), { replayJobId, tenantId });
      return { body: presentReplay(job), status: 200 };
    },
  };
}

function rangeOf({ from, to }: BulkReplayAsked): { readonly from: EpochMs; readonly to: EpochMs } {
  const range = { from: Date.parse(from) as EpochMs, to: Date.parse(to) as EpochMs };
  if (range.from < range.to) return range;
  const detail = 'expected an instant after `from`';
  const violations = [{ code: 'range', detail, pointer: '/to' }];
  throw new DomainError('webhook-time-range', { detail, violations });
}
