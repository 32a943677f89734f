/** What entries say of policies. Each names the digests of the records that it changes. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  SANCTIONS_POLICY_DRAFTED: {
    says: 'A policy was drafted, or its draft replaced: the content’s hash. It voids signatures.',
  },
  SANCTIONS_POLICY_SIGNED: {
    says: 'The first of two persons signed a draft: the signature, until when it counts.',
  },
  SANCTIONS_POLICY_PUBLISHED: {
    severity: 'NOTICE',
    says: 'A policy is in force: its whole content, and both signatures.',
  },
  SANCTIONS_POLICY_DISCARDED: { says: 'A draft was discarded.' },
  SANCTIONS_POLICY_LAPSED: {
    says: 'Nobody signed beside the first signature in time: the policy is a draft again.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
