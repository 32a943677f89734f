/** Secrets of endpoints over HTTP (W4). */
import { revealSecret, rotateSecret, type ShownSecret } from '#slices/webhooks';
import { askerOf } from '../../../api/asker.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentSecret } from './presentation.ts';
import {
  BODY_BYTES_MAX,
  COMMON,
  kept,
  ownerOf,
  sealedAnswers,
  type WebhookRouteOptions,
} from './routeOptions.ts';
import { type Rotate, RotateBody, SecretQuery, SecretResult } from './schemas.ts';

export const secretOperations = (options: WebhookRouteOptions): Operation[] => [
  rotateWebhookSecret(options),
  revealWebhookSecret(options),
];

function rotateWebhookSecret(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    ...sealedAnswers(options),
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: '/v1/webhooks/secret/rotate',
    summary: 'Make a new secret; the former one holds for 24 hours more',
    description:
      'For these 24 hours every delivery carries a signature of each. `revoke_previous` ends the ' +
      'former one at once: use it for a secret that has leaked.',
    roles: roles.administer,
    scope: 'webhooks:write',
    idempotency: 'required',
    problems: [
      'webhook-endpoint-unnamed',
      'webhook-secret-overlap',
      'webhook-unknown',
      'state-conflict',
    ],
    bodyBytesMax: BODY_BYTES_MAX,
    body: RotateBody,
    example: {},
    responses: { 200: { description: 'The new secret', schema: SecretResult } },
    async handle(context) {
      const ports = options.ports();
      const { ask, reply } = kept<ShownSecret>(ports, context, {
        holdsSecret: true,
        present: presentSecret,
        status: 200,
      });
      const { endpoint_id: endpointId, revoke_previous: isRevoking = false } =
        context.body as Rotate;
      return reply(
        await rotateSecret(ports, {
          ...ask,
          isRevoking,
          ...(endpointId !== undefined && { endpointId }),
        }),
      );
    },
  };
}

function revealWebhookSecret(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'revealWebhookSecret',
    method: 'GET',
    path: '/v1/webhooks/secret/current',
    summary: 'The rotated secret, once',
    description: 'A registration showed its secret itself. After a rotation this shows it once.',
    roles: roles.administer,
    scope: 'webhooks:write',
    problems: ['secret-revealed', 'webhook-endpoint-unnamed', 'webhook-unknown', 'state-conflict'],
    query: SecretQuery,
    responses: { 200: { description: 'The secret', schema: SecretResult } },
    async handle(context) {
      const { endpoint_id: endpointId } = context.query as { readonly endpoint_id?: string };
      const ask = {
        ...askerOf(context),
        owner: ownerOf(context),
        ...(endpointId !== undefined && { endpointId }),
      };
      return {
        body: presentSecret(await revealSecret(options.ports(), ask)),
        headers: [['cache-control', 'no-store']],
        status: 200,
      };
    },
  };
}
