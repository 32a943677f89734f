/** What entries say of risk. Each names the digest of the record as it became. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'risk.policy.drafted': {
    says: 'A risk policy was drafted or its draft changed: the hash of its content.',
  },
  'risk.policy.shadowed': { says: 'A risk policy is tried beside the one in force.' },
  'risk.policy.unshadowed': { says: 'A risk policy left the shadow; its report is kept.' },
  'risk.policy.submitted': {
    says: 'A risk policy was submitted for approval, with the digests of both reports.',
  },
  'risk.policy.reminded': {
    says: 'Whoever has not approved a risk policy was reminded; on day 7 it was escalated.',
  },
  'risk.policy.approved': {
    says: 'The first of two persons approved a risk policy, by signature.',
  },
  'risk.policy.rejected': { says: 'An approver rejected a risk policy; why can be erased.' },
  'risk.policy.withdrawn': { says: 'A submitted risk policy was withdrawn.' },
  'risk.policy.published': {
    severity: 'NOTICE',
    says: 'A risk policy was published by its second approval: both signatures, both reports.',
  },
  'risk.policy.effective': {
    severity: 'NOTICE',
    says: 'The day of a published risk policy has come: it is in force.',
  },
  'risk.backtest.requested': { says: 'Somebody had a risk policy tried upon past evaluations.' },
  'risk.backtest.ended': {
    says: 'A backtest of a risk policy has ended: the digest of its report, or why it failed.',
  },
  'risk.evaluated': {
    says:
      'A client was evaluated: policy, score, level, every factor’s points, fired overrides, and ' +
      'the screening whose findings counted. The facts can be erased.',
  },
  'risk.client.overridden': {
    severity: 'NOTICE',
    says:
      'A person gave a client a level, with an end; a second one where it lowers. Why can be ' +
      'erased.',
  },
  'risk.client.override_ended': {
    says: 'The level that a person gave a client has ended: by time, by a person, or outrun.',
  },
  'risk.client.erased': {
    severity: 'NOTICE',
    says: 'Where an erased client stood was removed; the facts of the evaluations went before.',
  },
  'risk.evaluation.replayed': {
    says: 'An evaluation was made again; where it differs the severity is ALERT.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
