/** What the operations of rules share: ports, the place of a version, the answer of a change. */
import { DomainError } from '#core/kernel';
import { type RuleAsk, type RulePlace, type RuleRecord, etagOf as ruleEtag } from '#slices/rules';
import { changeAnswer } from '../../../api/changeAnswer.ts';
import type { CursorCodec } from '../../../api/cursor.ts';
import type { OperationContext, OperationReply } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { RuleParts } from './parts.ts';
import { presentRule } from './presentation.ts';

/** What the operations of rules are made of. */
export interface RuleRouteOptions {
  readonly ports: () => RuleParts;
  readonly cursors: CursorCodec;
  /** Tells the workers to look now. */
  readonly wake: (tenantId: string) => void;
}

export const RULES = '/v1/aml/rules';
export const VERSION = `${RULES}/{rule_id}/versions/{version}`;
export const BODY_BYTES_MAX = 256 * 1024;

export const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  scope: 'policies:read',
  tag: 'AML',
} as const;

/** What all changes have in common. */
export const CHANGING = {
  bodyBytesMax: BODY_BYTES_MAX,
  limits: 'general',
  roles: roles.change,
  scope: 'policies:write',
  tag: 'AML',
} as const;

/** Problems that every change may give. */
export const CHANGE_PROBLEMS = [
  'audit-chain-broken',
  'person-required',
  'rule-immutable',
  'rule-unknown',
  'state-altered',
  'state-conflict',
] as const;

/** The version that the path names. Throws `rule-unknown` where it is no number. */
export function placeOf({
  params,
  tenantId,
}: Pick<OperationContext, 'params' | 'tenantId'>): RulePlace {
  const { rule_id: ruleId = '', version = '' } = params;
  if (!/^[1-9][0-9]{0,8}$/.test(version)) throw new DomainError('rule-unknown');
  return { ruleId, ruleVersion: Number(version), tenantId };
}

/** Makes a change and answers with the version, kept under the caller's key. */
export function answerChange(
  { ports }: RuleRouteOptions,
  context: OperationContext,
  of: {
    readonly statusOf: (record: RuleRecord) => number;
    readonly change: (ports: RuleParts, ask: RuleAsk) => Promise<RuleRecord>;
  },
): Promise<OperationReply> {
  const desk = ports();
  const now = desk.clock.now();
  return changeAnswer<RuleRecord>(desk, context, {
    change: (ask) => of.change(desk, ask),
    etagOf: ruleEtag,
    present: (record) => presentRule(record, now),
    status: of.statusOf,
  });
}
