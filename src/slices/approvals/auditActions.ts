/** What entries say of requests for a second signature. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  APPROVAL_REQUESTED: {
    says: 'A person asked for a change that another one has to sign: its digest and both values.',
  },
  APPROVAL_APPLIED: {
    says: 'Another person signed a request, and its change was made in the same commit.',
  },
  APPROVAL_SIGNED: {
    says: 'A person signed a request that needs another signature, too: it waits for that.',
  },
  APPROVAL_REJECTED: { says: 'A person who might have signed a request rejected it.' },
  APPROVAL_WITHDRAWN: { says: 'The author of a request withdrew it.' },
  APPROVAL_EXPIRED: { says: 'A request was not decided within its seven days.' },
  APPROVAL_STALE: {
    says: 'A request was signed, but what it was to change had changed since it was asked for.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
