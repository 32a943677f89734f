/** What the operations of policies share: ports, the place of a version, the answer of a change. */
import { DomainError } from '#core/kernel';
import {
  type PolicyAsk,
  type PolicyDeskPorts,
  type PolicyPlace,
  type PolicyRecord,
  etagOf as policyEtag,
} from '#slices/policies';
import type { CursorCodec } from '../../../api/cursor.ts';
import { ifMatch } from '../../../api/etags.ts';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
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
export async function answerChange(
  { onPublished, ports }: PolicyRouteOptions,
  context: OperationContext,
  of: {
    readonly statusOf: (record: PolicyRecord) => number;
    readonly change: (ports: PolicyDeskPorts, ask: PolicyAsk) => Promise<PolicyRecord>;
  },
): Promise<OperationReply> {
  const desk = ports();
  const now = desk.clock.now();
  const answerOf = (record: PolicyRecord) =>
    kept(desk, context, {
      present: (made: PolicyRecord) => presentPolicy(made, now),
      status: of.statusOf(record),
    });
  const isExpected = ifMatch(context.request.header('if-match'));
  const record = await of.change(desk, {
    ...askedBy(context),
    ...(context.idempotency !== undefined && {
      idempotency: (made) => requireRecord(answerOf(made).idempotency.idempotency)(made),
    }),
    ...(isExpected !== undefined && { isExpected }),
  });
  if (record.status === 'PUBLISHED') onPublished(record);
  return { ...answerOf(record).reply(record), headers: [['etag', policyEtag(record)]] };
}

function requireRecord<Value>(found: Value | undefined): Value {
  if (found === undefined) throw new DomainError('internal', { detail: 'a claim without record' });
  return found;
}
