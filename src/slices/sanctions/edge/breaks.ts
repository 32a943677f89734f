/**
 * A broken chain is acknowledged under dual control: compliance and DSI say what happened, and
 * policies may be changed again. By the approver's headers, or asked for and signed later.
 */
import type { Static } from 'typebox';
import type { Approvable, CheckedChange, Principal } from '#core/identity';
import { type ChainId, chainOf, DomainError } from '#core/kernel';
import {
  type Acknowledgement,
  acknowledgeBreak,
  breakOfAlert,
  breakTarget,
  type ChainBreak,
  chainBreakTable,
  chainWalkTable,
  type ListPorts,
  presentBreak,
  refuseAcknowledged,
  walkOf,
} from '#slices/sanctions';
import {
  type ApprovalOptions,
  approvedBy,
  requireApproval,
} from '../../../api/dualControlHeaders.ts';
import type { Operation } from '../../../api/operation.ts';
import { compileSchema } from '../../../api/validate.ts';
import { BREAK_ROLE_PAIR, roles } from '../roles.ts';
import { AcknowledgeBody, AcknowledgedBreak, AcknowledgementValue } from './schemas.ts';

const FIELD = 'acknowledge';
const BODY_BYTES_MAX = 64 * 1_024;
const validate = compileSchema(AcknowledgementValue);

export interface BreakRouteOptions extends ApprovalOptions {
  readonly parts: () => ListPorts;
}

export const acknowledgeOperation = (options: BreakRouteOptions): Operation => ({
  id: 'acknowledgeBrokenChain',
  method: 'POST',
  path: '/v1/sanctions/alerts/{alert_id}/acknowledge',
  tag: 'Sanctions',
  summary: 'Acknowledge a broken event of the evidence, under dual control',
  description:
    'The approver signs `resource` = `audit_chain:<tenant>:<seq>`, `field` = `acknowledge` and ' +
    '`new_value` = `{resolution, statement}`; one of the two is of compliance, the other of DSI. ' +
    '`restored` needs a whole verification of the chain without a fault since the break, which ' +
    'begins by itself within a minute. Policies can be changed once all breaks are acknowledged.',
  approval: 'dual-control',
  roles: roles.acknowledge,
  scope: 'alerts:write',
  problems: ['alert-unknown', 'state-conflict'],
  idempotency: 'required',
  limits: 'general',
  bodyBytesMax: BODY_BYTES_MAX,
  body: AcknowledgeBody,
  example: {
    approval_reason: 'Agreed in the incident call',
    resolution: 'accepted',
    statement: 'A disk fault has altered this event; the backup has lost it as well.',
  },
  responses: { 200: { description: 'The break, acknowledged', schema: AcknowledgedBreak } },
  async handle(context) {
    const { body, params, principal, tenantId } = context;
    const { approval_reason: reason, ...said } = body as Static<typeof AcknowledgeBody>;
    const broken = await breakOfAlert(options.parts(), {
      alertId: params.alert_id ?? '',
      chainId: chainOf(tenantId),
    });
    const change = acknowledgement(options, { author: principal, broken, said });
    await change.show();
    const { subject } = change;
    const approval = await requireApproval(options, context, {
      rolePair: BREAK_ROLE_PAIR,
      subject,
    });
    return change.apply(approvedBy(options, context, { approval, reason }));
  },
});

/** Asked for at `/v1/approvals`, and signed later. */
export const acknowledgeApproval = (options: BreakRouteOptions): Approvable => ({
  check: async ({ author, field, id, newValue }) => {
    const chainId = chainOf(author.tenantId);
    const [chain, seq = ''] = id.split(':');
    const isOwn = chain === (chainId as string) && /^[1-9][0-9]{0,14}$/.test(seq);
    const place = { chainId, seq: Number(seq) };
    const broken = isOwn && (await options.parts().tables.find(chainBreakTable, place));
    if (!broken) throw new DomainError('not-found');
    const violations = field === FIELD ? validate(newValue) : [FIELD_VIOLATION];
    if (violations.length > 0) {
      const under = violations.map((one) => ({ ...one, pointer: `/new_value${one.pointer}` }));
      throw new DomainError('body-invalid', { violations: under });
    }
    const change = acknowledgement(options, { author, broken, said: newValue as Acknowledgement });
    await change.show();
    return change;
  },
  rolePair: BREAK_ROLE_PAIR,
  roles: roles.acknowledge,
});

const FIELD_VIOLATION = { code: 'format', detail: `field: expected ${FIELD}`, pointer: '' };

function acknowledgement(
  { parts }: BreakRouteOptions,
  of: {
    readonly author: Principal;
    readonly broken: ChainBreak;
    readonly said: Acknowledgement;
  },
): CheckedChange {
  const { broken, said } = of;
  const isVerifiedSince = () => wasVerifiedSince(parts(), broken);
  return {
    subject: { field: FIELD, newValue: { ...said }, resource: breakTarget(broken) },
    apply: async (by) => {
      const next = await acknowledgeBreak(parts(), { broken, by, isVerifiedSince, said });
      return { body: JSON.stringify(presentBreak(next)), status: 200 };
    },
    show: async () => {
      refuseAcknowledged(broken);
      return { about: presentBreak(broken), new: said, old: null };
    },
  };
}

/** By a walk that began behind the break. */
async function wasVerifiedSince(
  { tables }: Pick<ListPorts, 'tables'>,
  { chainId, foundAt }: { readonly chainId: ChainId; readonly foundAt: number },
): Promise<boolean> {
  const walk = await tables.find(chainWalkTable, walkOf(chainId));
  const { startedAt = 0, verifiedAt = 0 } = walk ?? {};
  return startedAt > foundAt && verifiedAt >= startedAt;
}
