/** What the operations of policies share: ports, the place of a version, the answer of a change. */
import { DomainError } from '#core/kernel';
import {
  type PolicyAsk,
  type PolicyDeskPorts,
  type PolicyPlace,
  type PolicyRecord,
  etagOf as policyEtag,
} from '#slices/policies';
import { changeAnswer } from '../../../api/changeAnswer.ts';
import type { CursorCodec } from '../../../api/cursor.ts';
import type { OperationContext, OperationReply } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentPolicy } from './presentation.ts';
import type { SimulateAsk, Simulated } from './simulator.ts';

/** What the operations of policies are made of. */
export interface PolicyRouteOptions {
  readonly ports: () => PolicyDeskPorts;
  readonly cursors: CursorCodec;
  readonly simulate: (ask: SimulateAsk) => Promise<Simulated>;
  /** Another policy of this tenant is in force: this process takes it at once. */
  readonly onPublished: (record: PolicyRecord) => void;
}

export const PATH = '/v1/sanctions/policies';
const BODY_BYTES_MAX = 64 * 1024;

/** What all changes have in common. */
export const CHANGING = {
  bodyBytesMax: BODY_BYTES_MAX,
  limits: 'general',
  roles: roles.change,
  scope: 'policies:write',
  tag: 'Sanctions',
} as const;

/** Problems that every change may give. */
export const CHANGE_PROBLEMS = [
  'audit-chain-broken',
  'person-required',
  'state-altered',
  'state-conflict',
] as const;

/** The version that the path names. Throws `policy-unknown` where it is no number. */
export function placeOf({
  params,
  tenantId,
}: Pick<OperationContext, 'params' | 'tenantId'>): PolicyPlace {
  const { version = '' } = params;
  if (!/^[1-9][0-9]{0,8}$/.test(version)) throw new DomainError('policy-unknown');
  return { policyVersion: Number(version), tenantId };
}

/** Makes a change and answers with the policy, kept under the caller's key. */
export function answerChange(
  { onPublished, ports }: PolicyRouteOptions,
  context: OperationContext,
  of: {
    readonly statusOf: (record: PolicyRecord) => number;
    readonly change: (ports: PolicyDeskPorts, ask: PolicyAsk) => Promise<PolicyRecord>;
  },
): Promise<OperationReply> {
  const desk = ports();
  const now = desk.clock.now();
  return changeAnswer<PolicyRecord>(desk, context, {
    async change(ask) {
      const record = await of.change(desk, ask);
      if (record.status === 'PUBLISHED') onPublished(record);
      return record;
    },
    etagOf: policyEtag,
    present: (record) => presentPolicy(record, now),
    status: of.statusOf,
  });
}
