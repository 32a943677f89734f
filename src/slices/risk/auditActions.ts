/** What entries say of risk. Each names the digest of the record as it became. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'risk.policy.drafted': {
    says: 'A risk policy was drafted or its draft changed: the hash of its content.',
  },
  'risk.evaluated': {
    says:
      'A client was evaluated: policy, score, level, every factor’s points, fired overrides, and ' +
      'the screening whose findings counted. The facts can be erased.',
  },
  'risk.evaluation.replayed': {
    says: 'An evaluation was made again; where it differs the severity is ALERT.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
