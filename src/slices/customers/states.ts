/**
 * The states of a case, as one table (customers.md 2.3): from which, by what, by whom, to which.
 * Nothing moves a case but `moveTo`, which finds its row here; a move without one is refused.
 */
import type { Role } from '#core/identity';
import { DomainError } from '#core/kernel';
import { DECIDERS, REOPENERS, roles } from './roles.ts';
import type { CaseRecord } from './tables.ts';
import type { CaseStatus, RiskTier } from './words.ts';

/** What moves a case. */
export const TRIGGERS = [
  'inputs_complete',
  'checks_passed',
  'checks_doubtful',
  'checks_failed_for_good',
  'approve',
  'reject',
  'request_documents',
  'new_input',
  'identity_changed',
  'expiry',
  'cancel',
  'reopen',
  'review_due',
  'listed',
] as const;
/** One of TRIGGERS. */
export type Trigger = (typeof TRIGGERS)[number];

/** Moves a case back to its checks; from then on people decide it. */
export const IDENTITY_CHANGED = 'identity_changed' satisfies Trigger;

/** Why a case is looked at whose customer has come onto a list; people decide it, too. */
export const LISTED = 'listed' satisfies Trigger;

/** A row: who may is the system, or roles; by tier where they differ. */
interface Transition {
  readonly from: readonly CaseStatus[];
  readonly to: CaseStatus;
  readonly by: 'system' | readonly Role[] | Readonly<Record<RiskTier, readonly Role[]>>;
}

const DECIDED = ['approved', 'rejected', 'expired'] as const;

/** Every move that there is. */
export const TRANSITIONS: Readonly<Record<Trigger, Transition>> = {
  inputs_complete: { by: 'system', from: ['open'], to: 'processing' },
  checks_passed: { by: 'system', from: ['processing'], to: 'approved' },
  checks_doubtful: { by: 'system', from: ['processing'], to: 'manual_review' },
  checks_failed_for_good: { by: 'system', from: ['processing'], to: 'rejected' },
  approve: { by: DECIDERS, from: ['manual_review'], to: 'approved' },
  reject: { by: DECIDERS, from: ['manual_review'], to: 'rejected' },
  request_documents: { by: DECIDERS, from: ['manual_review'], to: 'awaiting_customer' },
  new_input: { by: 'system', from: ['awaiting_customer'], to: 'processing' },
  identity_changed: { by: 'system', from: ['manual_review'], to: 'processing' },
  expiry: { by: 'system', from: ['open', 'awaiting_customer'], to: 'expired' },
  cancel: {
    by: roles.decide,
    from: ['open', 'processing', 'manual_review', 'awaiting_customer'],
    to: 'canceled',
  },
  reopen: { by: REOPENERS, from: DECIDED, to: 'manual_review' },
  review_due: { by: 'system', from: ['approved'], to: 'manual_review' },
  listed: { by: 'system', from: DECIDED, to: 'manual_review' },
};

/** The tier that decides who may; a case without one counts as standard. */
export const tierOf = ({ riskTier = 'standard' }: Pick<CaseRecord, 'riskTier'>): RiskTier =>
  riskTier;

/** Roles that may do it in this case; empty where the system alone does. */
export function rolesFor(trigger: Trigger, of: Pick<CaseRecord, 'riskTier'>): readonly Role[] {
  const { by } = TRANSITIONS[trigger];
  if (by === 'system') return [];
  return 'low' in by ? by[tierOf(of)] : (by as readonly Role[]);
}

/** The state that follows. Throws `state-conflict`. */
export function moveTo({ status }: Pick<CaseRecord, 'status'>, trigger: Trigger): CaseStatus {
  const { from, to } = TRANSITIONS[trigger];
  if (from.includes(status)) return to;
  const detail = `expected a case that is ${from.join(' or ')}, got ${status}`;
  throw new DomainError('state-conflict', { detail });
}

/** Whether a case takes what the customer gives. */
export const isWaiting = ({ status }: Pick<CaseRecord, 'status'>): boolean =>
  status === 'open' || status === 'awaiting_customer';

/** Whether nobody has decided it yet, or it is looked at again. */
export const isUndecided = ({ status }: Pick<CaseRecord, 'status'>): boolean =>
  isWaiting({ status }) || status === 'processing' || status === 'manual_review';
