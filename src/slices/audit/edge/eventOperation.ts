/** One event with its open members. Who reads what is kept apart as personal leaves an entry. */
import { entry, eventText, isConfidential } from '#core/audit';
import { chainOf, DomainError, type EventId } from '#core/kernel';
import { askerOf } from '../../../api/asker.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { AuditRouteOptions } from './routeOptions.ts';
import { AuditEvent } from './schemas.ts';
import { seesConfidential } from './trailOperation.ts';

export function eventOperation(options: AuditRouteOptions): Operation {
  return {
    id: 'getAuditEvent',
    method: 'GET',
    path: '/v1/audit/events/{event_id}',
    tag: 'Operations',
    summary: 'One event of the audit trail',
    description:
      'The event as it stands in the hash chain, with its open members unless they were erased. ' +
      'Each read is an entry of the trail itself.',
    roles: roles.openEvidence,
    scope: 'audit:read',
    idempotency: 'none',
    limits: 'general',
    problems: ['evidence-altered', 'not-found'],
    bodyBytesMax: 0,
    responses: { 200: { description: 'The event', schema: AuditEvent } },
    async handle(context) {
      const chainId = chainOf(context.tenantId);
      const eventId = context.params.event_id as EventId;
      const event = await options.audit.findByEventId(chainId, eventId);
      const isHidden =
        event !== undefined && isConfidential(event) && !seesConfidential(context.principal);
      if (event === undefined || isHidden) {
        throw new DomainError('not-found', { detail: 'event: no such one in this chain' });
      }
      await options.signed.read(chainId, event);
      // An entry that tells of a confidential one would give it away.
      const members = isConfidential(event) ? { confidential: true } : {};
      await options.commit(chainId, {
        bus: [],
        changes: [],
        events: [
          entry(options, {
            ...askerOf(context),
            action: 'audit.event.viewed',
            members,
            target: eventId,
          }),
        ],
      });
      return { status: 200, body: `{"event":${eventText(event)}}` };
    },
  };
}
