/**
 * Dual control at the door: the four headers and the persons of the caller's tenant, for the rules
 * of core/identity/dualControl.ts.
 */
import {
  type Approval,
  type ApprovedBy,
  type DualControlSubject,
  type Person,
  type RolePair,
  verifyDualControl,
} from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { OperationContext } from './operation.ts';
import { keptUnder } from './storedAnswer.ts';

export interface ApprovalOptions {
  /** Read anew each time: a revoked key signs nothing more. */
  readonly listPersons: (tenantId: TenantId) => Promise<readonly Person[]>;
  readonly clock: Clock;
}

/** Verifies an approval. Throws `dual-control-…`. The commit that contains it uses it up. */
export async function requireApproval(
  options: ApprovalOptions,
  context: OperationContext,
  of: { readonly subject: DualControlSubject; readonly rolePair: RolePair },
): Promise<Approval> {
  const { principal, request, tenantId } = context;
  return verifyDualControl({
    ...of,
    headers: {
      approver: request.header('x-approval-user-id'),
      author: request.header('x-user-id'),
      signature: request.header('x-approval-signature'),
      timestamp: request.header('x-approval-timestamp'),
    },
    now: options.clock.now(),
    persons: await options.listPersons(tenantId),
    principal,
    tenantId,
  });
}

/** What the change is made with: the signature and the claim of this request. */
export const approvedBy = (
  { clock }: Pick<ApprovalOptions, 'clock'>,
  { idempotency, ip }: OperationContext,
  of: Pick<ApprovedBy, 'approval' | 'reason'>,
): ApprovedBy => ({
  ...of,
  ...keptUnder(idempotency, clock),
  ip,
});
