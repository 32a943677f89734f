/** What entries say of onboarding: ids and times, no token and nothing of a token. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'onboarding.session.created': { says: 'An onboarding link was made: for which case and form.' },
  'onboarding.session.revoked': { says: 'An onboarding link was voided by a newer one.' },
  'onboarding.link.requested': {
    says: 'A customer has asked for a fresh link: it goes to the contact on file.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
