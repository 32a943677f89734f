/** What the operations of risk share: ports, cursors, and answers that are kept. */
import type { RiskAsk, RiskPolicy } from '#slices/risk';
import { policyEtag } from '#slices/risk';
import { changeAnswer } from '../../../api/changeAnswer.ts';
import type { CursorCodec } from '../../../api/cursor.ts';
import type { OperationContext, OperationReply } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { RiskParts } from './parts.ts';
import { presentPolicy } from './presentation.ts';

/** What the operations are made of. */
export interface RiskRouteOptions {
  readonly ports: () => RiskParts;
  readonly cursors: CursorCodec;
  /** There is work for a worker. */
  readonly wake: (tenantId: string) => void;
}

export const POLICIES_PATH = '/v1/risk/policies';
export const POLICY_PATH = `${POLICIES_PATH}/{policy_id}`;

export const COMMON = { limits: 'general', tag: 'Risk' } as const;
export const READING = {
  ...COMMON,
  bodyBytesMax: 0,
  idempotency: 'none',
  method: 'GET',
  roles: roles.read,
  scope: 'risk:read',
} as const;

/** Problems that every change of a policy may give. */
export const CHANGE_PROBLEMS = [
  'audit-chain-broken',
  'person-required',
  'state-altered',
  'state-conflict',
] as const;

/** The policy that the path names. */
export const placeOf = ({ params, tenantId }: Pick<OperationContext, 'params' | 'tenantId'>) => ({
  policyId: params.policy_id ?? '',
  tenantId,
});

/** Makes a change and answers with the policy, kept under the caller's key. */
export function answerPolicy(
  { ports }: RiskRouteOptions,
  context: OperationContext,
  of: {
    readonly status: number;
    readonly change: (ports: RiskParts, ask: RiskAsk) => Promise<RiskPolicy>;
  },
): Promise<OperationReply> {
  const desk = ports();
  return changeAnswer<RiskPolicy>(desk, context, {
    change: (ask) => of.change(desk, ask),
    etagOf: policyEtag,
    present: presentPolicy,
    status: of.status,
  });
}

/** One page of what a list found, with the cursor of what is behind it. */
export const pageOf = (
  data: readonly object[],
  next: string | undefined,
): { readonly body: object; readonly status: number } => ({
  body: { data, next_cursor: next ?? null },
  status: 200,
});
