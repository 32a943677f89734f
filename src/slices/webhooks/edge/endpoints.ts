/** Endpoints over HTTP: registered, read, changed one by one or all together, removed. */
import {
  changeEndpoint,
  type DesiredEndpoint,
  type EndpointChoice,
  endpointIn,
  type Registered,
  type Replaced,
  readConfiguration,
  registerEndpoint,
  removeEndpoint,
  replaceConfiguration,
  type WebhookEndpoint,
} from '#slices/webhooks';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentConfiguration, presentEndpoint, presentReplaced } from './presentation.ts';
import {
  BODY_BYTES_MAX,
  COMMON,
  etagOf,
  kept,
  sealedAnswers,
  type WebhookRouteOptions,
} from './routeOptions.ts';
import {
  ChangeBody,
  type ChangeOf,
  ConfigurationResult,
  EndpointResult,
  type Register,
  RegisterBody,
  RegisteredResult,
  type Replace,
  ReplaceBody,
  ReplacedResult,
} from './schemas.ts';

const ENDPOINT_PATH = '/v1/webhooks/{endpoint_id}';
const EXAMPLE = { events: ['*'], url: 'https://hooks.example.com/compliance' };
const REFUSALS = ['webhook-url-refused', 'event-unknown', 'webhook-taken'] as const;

export const endpointOperations = (options: WebhookRouteOptions): Operation[] => [
  registerWebhook(options),
  getWebhookConfig(options),
  replaceWebhookConfig(options),
  getWebhook(options),
  changeWebhook(options),
  removeWebhook(options),
];

function registerWebhook(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    ...sealedAnswers(options),
    id: 'registerWebhook',
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Register an endpoint; its secret is shown this once',
    roles: roles.develop,
    scope: 'webhooks:write',
    idempotency: 'required',
    problems: [...REFUSALS, 'webhook-limit', 'state-conflict'],
    bodyBytesMax: BODY_BYTES_MAX,
    body: RegisterBody,
    example: EXAMPLE,
    responses: { 201: { description: 'The endpoint and its secret', schema: RegisteredResult } },
    async handle(context) {
      const ports = options.ports();
      const now = ports.clock.now();
      const { ask, reply } = kept<Registered>(ports, context, {
        holdsSecret: true,
        present: ({ endpoint, secret }) => ({ endpoint: presentEndpoint(endpoint, now), secret }),
        status: 201,
      });
      return reply(await registerEndpoint(ports, ask, choiceOf(context.body as Register)));
    },
  };
}

function getWebhookConfig(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'getWebhookConfig',
    method: 'GET',
    path: '/v1/webhooks/config',
    summary: 'All endpoints, with the version that If-Match may name',
    roles: roles.read,
    scope: 'webhooks:read',
    responses: { 200: { description: 'The configuration', schema: ConfigurationResult } },
    async handle({ tenantId }) {
      const ports = options.ports();
      const configuration = await readConfiguration(ports, tenantId);
      return {
        body: presentConfiguration(configuration, ports.clock.now()),
        headers: [['etag', etagOf(configuration)]],
        status: 200,
      };
    },
  };
}

function replaceWebhookConfig(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    ...sealedAnswers(options),
    id: 'replaceWebhookConfig',
    method: 'PUT',
    path: '/v1/webhooks/config',
    summary: 'Replace all endpoints',
    description:
      'An endpoint without `endpoint_id` is made, and its secret shown in this answer alone. One ' +
      'that is left out is removed, and what waits for it fails. With If-Match of another ' +
      'version the answer is 412.',
    roles: roles.administer,
    scope: 'webhooks:write',
    conditions: 'version',
    problems: [...REFUSALS, 'webhook-limit', 'webhook-unknown', 'state-conflict'],
    bodyBytesMax: BODY_BYTES_MAX,
    body: ReplaceBody,
    example: { endpoints: [EXAMPLE] },
    responses: { 200: { description: 'The configuration as it is now', schema: ReplacedResult } },
    async handle(context) {
      const ports = options.ports();
      const now = ports.clock.now();
      const { ask, reply } = kept<Replaced>(ports, context, {
        holdsSecret: true,
        present: (replaced) => presentReplaced(replaced, now),
        status: 200,
      });
      const { endpoints } = context.body as Replace;
      return reply(await replaceConfiguration(ports, ask, endpoints.map(desiredOf)));
    },
  };
}

function getWebhook(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'getWebhook',
    method: 'GET',
    path: ENDPOINT_PATH,
    summary: 'One endpoint',
    description: 'Its ETag is the version of all endpoints, which If-Match of a change may name.',
    roles: roles.read,
    scope: 'webhooks:read',
    problems: ['webhook-unknown'],
    responses: { 200: { description: 'The endpoint', schema: EndpointResult } },
    async handle({ params, tenantId }) {
      const ports = options.ports();
      const configuration = await readConfiguration(ports, tenantId);
      const endpoint = endpointIn(configuration, params.endpoint_id ?? '');
      return {
        body: presentEndpoint(endpoint, ports.clock.now()),
        headers: [['etag', etagOf(configuration)]],
        status: 200,
      };
    },
  };
}

function changeWebhook(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'changeWebhook',
    method: 'PATCH',
    path: ENDPOINT_PATH,
    summary: 'Change an endpoint, or enable it again',
    roles: roles.administer,
    scope: 'webhooks:write',
    conditions: 'version',
    problems: [...REFUSALS, 'webhook-unknown', 'state-conflict'],
    bodyBytesMax: BODY_BYTES_MAX,
    body: ChangeBody,
    example: { enabled: true },
    responses: { 200: { description: 'The endpoint', schema: EndpointResult } },
    async handle(context) {
      const ports = options.ports();
      const now = ports.clock.now();
      const { ask, reply } = kept<WebhookEndpoint>(ports, context, {
        present: (endpoint) => presentEndpoint(endpoint, now),
        status: 200,
      });
      const endpointId = context.params.endpoint_id ?? '';
      const change = changeOf(context.body as ChangeOf);
      return reply(await changeEndpoint(ports, { ...ask, endpointId }, change));
    },
  };
}

function removeWebhook(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'removeWebhook',
    method: 'DELETE',
    path: ENDPOINT_PATH,
    summary: 'Remove an endpoint; what waits for it fails',
    roles: roles.administer,
    scope: 'webhooks:write',
    conditions: 'version',
    problems: ['webhook-unknown', 'state-conflict'],
    responses: { 200: { description: 'The endpoint as it was', schema: EndpointResult } },
    async handle(context) {
      const ports = options.ports();
      const now = ports.clock.now();
      const { ask, reply } = kept<WebhookEndpoint>(ports, context, {
        present: (endpoint) => presentEndpoint(endpoint, now),
        status: 200,
      });
      const endpointId = context.params.endpoint_id ?? '';
      return reply(await removeEndpoint(ports, { ...ask, endpointId }));
    },
  };
}

const choiceOf = ({
  catalog = 'A',
  description = '',
  enabled = true,
  events,
  url,
}: Register): EndpointChoice => ({ catalog, description, events, isEnabled: enabled, url });

const desiredOf = ({
  endpoint_id: endpointId,
  ...choice
}: Replace['endpoints'][number]): DesiredEndpoint => ({
  ...choiceOf(choice),
  ...(endpointId !== undefined && { endpointId }),
});

const changeOf = ({ enabled, ...choice }: ChangeOf): Partial<EndpointChoice> => ({
  ...(choice as Partial<EndpointChoice>),
  ...(enabled !== undefined && { isEnabled: enabled }),
});
