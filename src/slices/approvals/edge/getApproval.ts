/** One request, with what stands there now and, for who may sign it, the exact bytes. */
import { type Person, personOf } from '#core/identity';
import { DomainError } from '#core/kernel';
import {
  type ApprovalPorts,
  type ApprovalRequest,
  baseVersionOf,
  checkAgain,
  findRequest,
  mayDecide,
  stateOf,
  verifiedRequest,
} from '#slices/approvals';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { type Current, presentDetail } from './presentation.ts';
import { ApprovalDetail } from './schemas.ts';

export function getApproval(options: ApprovalPorts): Operation {
  return {
    id: 'getApproval',
    method: 'GET',
    path: '/v1/approvals/{approval_id}',
    tag: 'Operations',
    summary: 'One request: old and new side by side, and what its approver signs',
    roles: roles.take,
    scope: 'approvals:read',
    problems: ['approval-altered', 'approval-unknown'],
    idempotency: 'none',
    limits: 'general',
    bodyBytesMax: 0,
    responses: { 200: { description: 'The request', schema: ApprovalDetail } },
    async handle(context) {
      const found = await findRequest(options, placeOf(context));
      const request = await verifiedRequest(options, found);
      const now = options.clock.now();
      const persons = await options.listPersons(context.tenantId);
      const caller = personOf(context.principal, persons);
      const isOpen = stateOf(request, now) === 'open';
      const isSigner = caller !== undefined && isOpen && mayDecide(request, caller);
      const current = await currentOf(options, context, { persons, request });
      const approver = isSigner ? caller.id : undefined;
      return { body: presentDetail(request, { approver, current, now }), status: 200 };
    },
  };
}

/** The request that the path names. */
export const placeOf = ({ params, tenantId }: Pick<OperationContext, 'params' | 'tenantId'>) => ({
  approvalId: params.approval_id ?? '',
  tenantId,
});

/** Undefined where the change could not be made now, whoever signed it. */
async function currentOf(
  options: ApprovalPorts,
  { principal: { environment } }: OperationContext,
  of: { readonly persons: readonly Person[]; readonly request: ApprovalRequest },
): Promise<Current | undefined> {
  const { persons, request } = of;
  const author = persons.find(({ id }) => id === request.authorId);
  if (author === undefined) return undefined;
  try {
    const change = await checkAgain(options, request, { author, environment });
    const { about, old } = await change.show();
    return { about, isStale: baseVersionOf(old) !== request.baseVersion, old };
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}
