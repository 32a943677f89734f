/** Whether an endpoint may be told of reports to the authority (decision 8.5). */
import { toTimestamp } from '#platform/clock';
import { findEndpoint, openConfidential, type WebhookEndpoint } from '#slices/webhooks';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { BODY_BYTES_MAX, COMMON, kept, type WebhookRouteOptions } from './routeOptions.ts';
import { type StrEvents, StrEventsBody, StrEventsResult } from './schemas.ts';

const PATH = '/v1/webhooks/{endpoint_id}/str-events';
/** Seen by nobody but them, and told by no figure. */
const CONFIDENTIAL = { isConfidential: true, roles: roles.open } as const;

export const strEventOperations = (options: WebhookRouteOptions): Operation[] => [
  {
    ...COMMON,
    ...CONFIDENTIAL,
    id: 'getWebhookStrEvents',
    method: 'GET',
    path: PATH,
    summary: 'Whether an endpoint is opened for events of reports to the authority',
    scope: 'webhooks:read',
    problems: ['webhook-unknown'],
    responses: { 200: { description: 'Whether it is', schema: StrEventsResult } },
    async handle({ params, tenantId }) {
      const place = { endpointId: params.endpoint_id ?? '', tenantId };
      return { body: present(await findEndpoint(options.ports(), place)), status: 200 };
    },
  },
  {
    ...COMMON,
    ...CONFIDENTIAL,
    id: 'setWebhookStrEvents',
    method: 'PUT',
    path: PATH,
    summary: 'Open an endpoint for events of reports to the authority, or close it',
    description:
      'Only an endpoint that names `aml.str.submitted` or `aml.str.acknowledged` itself is told ' +
      'of them, and only while it is open; `*` does not name them. With another URL it is closed.',
    scope: 'webhooks:write',
    conditions: 'version',
    problems: ['webhook-unknown', 'state-conflict'],
    bodyBytesMax: BODY_BYTES_MAX,
    body: StrEventsBody,
    example: { enabled: true },
    responses: { 200: { description: 'Whether it is', schema: StrEventsResult } },
    async handle(context) {
      const ports = options.ports();
      const { ask, reply } = kept<WebhookEndpoint>(ports, context, { present, status: 200 });
      const { enabled: isOpen } = context.body as StrEvents;
      const endpointId = context.params.endpoint_id ?? '';
      return reply(await openConfidential(ports, { ...ask, endpointId, isOpen }));
    },
  },
];

const present = ({ confidentialBy, confidentialSince, endpointId, events }: WebhookEndpoint) => ({
  enabled: confidentialSince !== undefined,
  endpoint_id: endpointId,
  events: events.filter((name) => name.startsWith('aml.str.')),
  opened_at: confidentialSince === undefined ? null : toTimestamp(confidentialSince),
  opened_by: confidentialBy ?? null,
});
