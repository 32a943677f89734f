/** Pages of the trail: found by indexes, and shown as they were signed or not at all. */
import type { Static } from 'typebox';
import { readTrail } from '#core/audit';
import type { Principal, Role } from '#core/identity';
import { chainOf } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import { turnsOf } from '#platform/turns';
import { mayGoOn } from '../../../api/mayGoOn.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { AuditRouteOptions } from './routeOptions.ts';
import { AuditEventsPage, AuditEventsQuery } from './schemas.ts';

/** For whom entries exist that tell of what may not be known of (decision 8.5). */
const CONFIDENTIAL: readonly Role[] = ['admin', 'auditor', 'compliance_officer'];

export const seesConfidential = ({ roles: held }: Pick<Principal, 'roles'>): boolean =>
  held.some((role) => CONFIDENTIAL.includes(role));

export function trailOperation(options: AuditRouteOptions): Operation {
  return {
    id: 'listAuditEvents',
    method: 'GET',
    path: '/v1/audit/events',
    tag: 'Operations',
    summary: 'Audit trail of the tenant',
    description:
      'Every entry names its hash in the chain, and is shown as it was signed or not at all; ' +
      'of personal details only the address is shown. A page looks at a bounded number of ' +
      'events, and each further hundred costs a token: it may be short, and has a ' +
      '`next_cursor` then.',
    roles: roles.evidence,
    scope: 'audit:read',
    idempotency: 'none',
    limits: 'general',
    problems: ['evidence-altered'],
    bodyBytesMax: 0,
    query: AuditEventsQuery,
    responses: { 200: { description: 'A page of entries', schema: AuditEventsPage } },
    async handle(context) {
      const query = context.query as unknown as Static<typeof AuditEventsQuery>;
      const { cursor, limit = PAGE_LIMIT_DEFAULT, order: _, ...filter } = query;
      const order = orderOf(query, context.principal);
      const filters = { ...filter, order };
      const scope = { filters, list: 'listAuditEvents', tenantId: context.tenantId };
      const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
      const chainId = chainOf(context.tenantId);
      const turn = turnsOf(options.clock);
      const page = await readTrail(options.audit, {
        actions: options.actions,
        afterSeq: Number(position?.key ?? 0),
        chainId,
        filter,
        limit,
        mayReadOn: () => mayGoOn(context),
        order,
        seesConfidential: seesConfidential(context.principal),
        verify: async (event) => {
          await turn();
          await options.signed.read(chainId, event);
        },
      });
      const { nextAfterSeq } = page;
      const next =
        nextAfterSeq === undefined
          ? null
          : options.cursors.encode(scope, { id: context.tenantId, key: nextAfterSeq });
      return { status: 200, body: { data: page.entries, next_cursor: next } };
    },
  };
}

/** A person wants to see what has just happened; who follows the trail begins at its start. */
function orderOf(
  { from, order }: Static<typeof AuditEventsQuery>,
  { kind }: Principal,
): 'asc' | 'desc' {
  return order ?? (kind === 'user' && from === undefined ? 'desc' : 'asc');
}
