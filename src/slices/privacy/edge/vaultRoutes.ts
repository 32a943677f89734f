/** The identity vault over HTTP: two persons open it, one after the other. */
import type { Static } from 'typebox';
import { toTimestamp } from '#platform/clock';
import { openVault } from '#slices/privacy';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { actorOf } from './actorOf.ts';
import { presentVault } from './presentation.ts';
import { BODY_BYTES_MAX, COMMON, type PrivacyRouteOptions } from './routeOptions.ts';
import { VaultAsked, VaultBody, VaultOpened } from './schemas.ts';

export const vaultRoutes = (options: PrivacyRouteOptions): Operation[] => [open(options)];

const open = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  body: VaultBody,
  bodyBytesMax: BODY_BYTES_MAX,
  description:
    'The first registered person asks and is told nothing (202); another one who calls within ' +
    'a day sees who stands behind the pseudonym (200). Both are entries of the audit trail, and ' +
    'the answer is not kept: who calls again asks again.',
  example: { reason: 'Order of the court of 12 January' },
  id: 'openIdentityVault',
  idempotency: 'required',
  method: 'POST',
  path: '/v1/privacy/vault/{pseudonym}/open',
  problems: [
    'person-required',
    'privacy-request-invalid',
    'privacy-vault-unknown',
    'state-altered',
  ],
  responses: {
    200: { description: 'Who it is', schema: VaultOpened },
    202: { description: 'Asked: another person must look', schema: VaultAsked },
  },
  roles: roles.openVault,
  scope: 'privacy:write',
  summary: 'See who stands behind a pseudonym, with a second person',
  async handle(context) {
    const { identity, ports } = options;
    const { reason } = context.body as Static<typeof VaultBody>;
    const pseudonym = context.params.pseudonym ?? '';
    const by = await actorOf({ identity }, context);
    const answer = await openVault(ports, { by, pseudonym, reason, tenantId: context.tenantId });
    return answer.isOpen
      ? { body: presentVault(pseudonym, answer), status: 200 }
      : { body: { asked_at: toTimestamp(answer.askedAt), pseudonym }, status: 202 };
  },
});
