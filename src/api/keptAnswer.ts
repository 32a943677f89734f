/** The answer of an operation that ends in one commit: given, and kept under the caller's key. */
import type { IdempotencyRecord } from '#core/audit';
import type { Principal } from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { OperationContext, OperationReply } from './operation.ts';
import { storedAnswer } from './storedAnswer.ts';

interface Kept<Value> {
  readonly idempotency: { readonly idempotency?: (value: Value) => IdempotencyRecord };
  reply(value: Value): OperationReply;
}

export function kept<Value>(
  { clock }: { readonly clock: Pick<Clock, 'now'> },
  { idempotency: claim }: Pick<OperationContext, 'idempotency'>,
  of: {
    readonly status: number | ((value: Value) => number);
    readonly present: (value: Value) => object;
  },
): Kept<Value> {
  const { present, status } = of;
  const reply = (value: Value) => ({
    body: JSON.stringify(present(value)),
    status: typeof status === 'function' ? status(value) : status,
  });
  return {
    idempotency:
      claim === undefined
        ? {}
        : { idempotency: (value) => storedAnswer(claim, reply(value), clock) },
    reply,
  };
}

/** Who calls, and from which address. */
export const askedBy = ({
  ip,
  principal,
  tenantId,
}: Pick<OperationContext, 'ip' | 'principal' | 'tenantId'>): {
  readonly ip?: string;
  readonly principal: Principal;
  readonly tenantId: TenantId;
} => ({ principal, tenantId, ...(ip !== '' && { ip }) });
