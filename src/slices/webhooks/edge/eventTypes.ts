/** The catalogue of events over HTTP, and tests of them (W13, W14). */
import type { Catalog } from '#core/kernel';
import { sendTest, type WebhookDelivery } from '#slices/webhooks';
import { askerOf } from '../../../api/asker.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentEventType } from './presentation.ts';
import { BODY_BYTES_MAX, COMMON, kept, type WebhookRouteOptions } from './routeOptions.ts';
import { EventTypesQuery, EventTypesResult, type Test, TestBody, TestResult } from './schemas.ts';

export const eventTypeOperations = (options: WebhookRouteOptions): Operation[] => [
  listEventTypes(options),
  testWebhook(options),
];

function listEventTypes(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'listWebhookEventTypes',
    method: 'GET',
    path: '/v1/webhooks/event-types',
    summary: 'Events that are sent, with schema and example',
    roles: roles.read,
    scope: 'webhooks:read',
    query: EventTypesQuery,
    responses: { 200: { description: 'By name', schema: EventTypesResult } },
    async handle({ query }) {
      const { catalog } = query as { readonly catalog?: Catalog };
      const types = await options.ports().eventTypes();
      const asked = types.filter(
        ({ catalogs }) => catalog === undefined || catalogs.includes(catalog),
      );
      return { body: { data: asked.map(presentEventType) }, status: 200 };
    },
  };
}

function testWebhook(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'testWebhook',
    method: 'POST',
    path: '/v1/webhooks/test',
    summary: 'Send a test event, in one attempt',
    description:
      'The example of `event_type`, or a webhook.test, signed as a real one, with `"test": true` ' +
      'in `data`.',
    roles: roles.develop,
    scope: 'webhooks:write',
    idempotency: 'required',
    problems: [
      'event-unknown',
      'webhook-endpoint-disabled',
      'webhook-endpoint-unnamed',
      'webhook-unknown',
    ],
    bodyBytesMax: BODY_BYTES_MAX,
    body: TestBody,
    example: {},
    responses: { 202: { description: 'Its delivery', schema: TestResult } },
    async handle(context) {
      const ports = options.ports();
      const { ask, reply } = kept<WebhookDelivery>(ports, context, {
        present: ({ deliveryId }) => ({ delivery_id: deliveryId }),
        status: 202,
      });
      const { endpoint_id: endpointId, event_type: eventType } = context.body as Test;
      const { idempotency } = ask;
      const delivery = await sendTest(ports, {
        ...askerOf(context),
        requestedBy: context.principal.id,
        tenantId: context.tenantId,
        ...(endpointId !== undefined && { endpointId }),
        ...(eventType !== undefined && { eventType }),
        ...(idempotency !== undefined && { idempotency }),
      });
      options.wake(delivery.deliveryId);
      return reply(delivery);
    },
  };
}
