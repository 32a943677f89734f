/** What entries say of the console: who signed in when, no token and nothing of a token. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'console.link.created': { says: 'A link to sign in to the console by was made: for whom.' },
  'console.link.used': { says: 'A link to the console was used, and is good no more.' },
  'console.session.opened': { says: 'A person signed in to the console.' },
  'console.session.refreshed': {
    says: 'The identity provider has given a session of the console new tokens.',
  },
  'console.session.ended': { says: 'A session of the console was ended before its time.' },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
