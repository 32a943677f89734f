/** The audit trail of the caller's tenant (interface.md 4.5), read from its chain. */
import type { Static } from 'typebox';
import { type AuditStore, readTrail, type SignedEvents, signedEvents } from '#core/audit';
import type { Role } from '#core/identity';
import { chainOf } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import { turnsOf } from '#platform/turns';
import type { CursorCodec } from '../../../api/cursor.ts';
import { mayGoOn } from '../../../api/mayGoOn.ts';
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { AuditEventsPage, AuditEventsQuery } from './schemas.ts';

/** For whom entries exist that tell of what may not be known of (decision 8.5). */
const CONFIDENTIAL: readonly Role[] = ['admin', 'auditor', 'compliance_officer'];

export interface AuditRouteOptions {
  readonly audit: Pick<AuditStore, 'readEvents'>;
  readonly signed: Pick<SignedEvents, 'read'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly cursors: CursorCodec;
}

export const operations = ({
  clock,
  cursors,
  keyRing,
  storage: { audit },
}: GatewayProcess): readonly Operation[] =>
  auditOperations({ audit, clock, cursors, signed: signedEvents({ audit, keyRing }) });

export function auditOperations(options: AuditRouteOptions): Operation[] {
  return [
    {
      id: 'listAuditEvents',
      method: 'GET',
      path: '/v1/audit/events',
      tag: 'Operations',
      summary: 'Audit trail of the tenant, oldest first',
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
        const { cursor, limit = PAGE_LIMIT_DEFAULT, ...filter } = query;
        const scope = { filters: filter, list: 'listAuditEvents', tenantId: context.tenantId };
        const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
        const chainId = chainOf(context.tenantId);
        const turn = turnsOf(options.clock);
        const page = await readTrail(options.audit, {
          afterSeq: Number(position?.key ?? 0),
          chainId,
          filter,
          limit,
          mayReadOn: () => mayGoOn(context),
          seesConfidential: context.principal.roles.some((role) => CONFIDENTIAL.includes(role)),
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
    },
  ];
}
