/** What the bus hears of requests: ids and states, no values and no reasons. */
import type { BusEvent } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import type { ApprovalRequest } from './tables.ts';

/** A request waits for its signer. */
export const askedEvent = (request: ApprovalRequest): BusEvent => ({
  partition: request.tenantId,
  payload: {
    schema: 'approvals.requested.v1',
    approval_id: request.approvalId,
    resource: kindOf(request.resource),
    signer_roles: request.signerRoles,
    expires_at: toTimestamp(request.expiresAt),
  },
  topic: 'approvals.requested',
});

/** A request has ended. */
export const decidedEvent = (request: ApprovalRequest): BusEvent => ({
  partition: request.tenantId,
  payload: {
    schema: 'approvals.decided.v1',
    approval_id: request.approvalId,
    resource: kindOf(request.resource),
    state: request.state,
    decided_at: request.endedAt === undefined ? null : toTimestamp(request.endedAt),
  },
  topic: 'approvals.decided',
});

/** What stands before the colon of a resource's name. */
const kindOf = (resource: string): string => resource.split(':', 1)[0] ?? resource;
