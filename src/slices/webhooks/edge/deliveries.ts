/** Deliveries over HTTP: by page, one with its payload, and sent again. */
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  readDeliveries,
  replayDelivery,
  viewDelivery,
  type WebhookDelivery,
} from '#slices/webhooks';
import { askerOf } from '../../../api/asker.ts';
import { mayGoOn } from '../../../api/mayGoOn.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { CONFIDENTIAL_ROLES, roles } from '../roles.ts';
import {
  type DeliveriesAsked,
  DeliveriesQuery,
  DeliveriesResult,
  DeliveryResult,
  type Replay,
  ReplayBody,
  ReplayResult,
} from './deliverySchemas.ts';
import { presentDelivery, presentWhole } from './presentation.ts';
import { BODY_BYTES_MAX, COMMON, kept, type WebhookRouteOptions } from './routeOptions.ts';

export const deliveryOperations = (options: WebhookRouteOptions): Operation[] => [
  listWebhookDeliveries(options),
  getWebhookDelivery(options),
  replayWebhookDelivery(options),
];

function listWebhookDeliveries(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    summary: 'Deliveries, latest first, without their payloads',
    description:
      '`page` is another name of `cursor`. Deliveries are kept for 90 days. With `endpoint_id` ' +
      'and `status` together a page looks at a bounded number of them, each further two hundred ' +
      'for a token: it may be short, or empty, and have a `next_cursor`.',
    roles: roles.read,
    scope: 'webhooks:read',
    query: DeliveriesQuery,
    responses: { 200: { description: 'A page of deliveries', schema: DeliveriesResult } },
    handle: (context) => list(options, context),
  };
}

/** Whether deliveries of confidential events exist for the caller. */
const seesConfidential = ({ principal }: OperationContext): boolean =>
  principal.roles.some((role) => CONFIDENTIAL_ROLES.includes(role));

async function list({ cursors, ports }: WebhookRouteOptions, context: OperationContext) {
  const { tenantId } = context;
  const asked = context.query as unknown as DeliveriesAsked;
  const { cursor: given, limit = PAGE_LIMIT_DEFAULT, page, ...filters } = asked;
  if (given !== undefined && page !== undefined && given !== page) {
    throw new DomainError('cursor-invalid');
  }
  const cursor = given ?? page;
  const scope = { filters, list: 'listWebhookDeliveries', tenantId };
  const position = cursor === undefined ? undefined : cursors.decode(scope, cursor);
  const { endpoint_id: endpointId, from, status, to } = filters;
  const { deliveries, next } = await readDeliveries(ports(), {
    limit,
    mayReadOn: () => mayGoOn(context),
    seesConfidential: seesConfidential(context),
    tenantId,
    ...(endpointId !== undefined && { endpointId }),
    ...(from !== undefined && { from: Date.parse(from) as EpochMs }),
    ...(position !== undefined && { after: position.id }),
    ...(status !== undefined && { status }),
    ...(to !== undefined && { to: Date.parse(to) as EpochMs }),
  });
  const behind = next === undefined ? null : cursors.encode(scope, { id: next, key: next });
  return { body: { data: deliveries.map(presentDelivery), next_cursor: behind }, status: 200 };
}

function getWebhookDelivery(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'getWebhookDelivery',
    method: 'GET',
    path: '/v1/webhooks/deliveries/{delivery_id}',
    summary: 'A delivery with payload, signature, attempts and the last answer',
    description: 'That it was read is an entry of the audit trail.',
    roles: roles.read,
    scope: 'webhooks:read',
    problems: ['webhook-unknown'],
    responses: { 200: { description: 'The delivery', schema: DeliveryResult } },
    async handle(context) {
      const deliveryId = context.params.delivery_id ?? '';
      const place = {
        ...askerOf(context),
        deliveryId,
        seesConfidential: seesConfidential(context),
        tenantId: context.tenantId,
      };
      const { delivery, message } = await viewDelivery(options.ports(), place);
      return { body: presentWhole(delivery, message), status: 200 };
    },
  };
}

function replayWebhookDelivery(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'replayWebhookDelivery',
    method: 'POST',
    path: '/v1/webhooks/deliveries/{delivery_id}/replay',
    summary: 'Send a delivery again: the same event, body and key',
    roles: roles.develop,
    scope: 'webhooks:write',
    idempotency: 'required',
    problems: ['state-conflict', 'webhook-endpoint-disabled', 'webhook-unknown'],
    bodyBytesMax: BODY_BYTES_MAX,
    body: ReplayBody,
    example: {},
    responses: { 202: { description: 'The new delivery', schema: ReplayResult } },
    async handle(context) {
      const ports = options.ports();
      const deliveryId = context.params.delivery_id ?? '';
      const { ask, reply } = kept<WebhookDelivery>(ports, context, {
        present: (delivery) => ({ delivery_id: delivery.deliveryId, replay_of: deliveryId }),
        status: 202,
      });
      const { force: isForced = false } = context.body as Replay;
      const { idempotency } = ask;
      const delivery = await replayDelivery(ports, {
        ...askerOf(context),
        deliveryId,
        isForced,
        seesConfidential: seesConfidential(context),
        tenantId: context.tenantId,
        ...(idempotency !== undefined && { idempotency }),
      });
      options.wake(delivery.deliveryId);
      return reply(delivery);
    },
  };
}
