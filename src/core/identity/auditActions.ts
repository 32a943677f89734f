/** Audit actions of tenants, keys and persons. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Rows of core/identity, listed in docs/audit-actions.md. */
export const auditActions = {
  'identity.tenant.created': { says: 'A tenant was made.' },
  'identity.tenant.settings_changed': {
    says: 'Settings of a tenant were changed: before and after.',
  },
  'identity.api_key.created': { says: 'An API key was made.' },
  'identity.api_key.rotated': { says: 'An API key got a successor.' },
  'identity.api_key.revoked': { says: 'An API key was revoked.' },
  'identity.person.added': { says: 'A person was registered.' },
  'identity.person.contact_changed': {
    says: "A person's mail address or language was changed; the address itself is not told.",
  },
  'identity.person.key_added': { says: "A person's public key was registered." },
  'identity.person.key_revoked': { says: "A person's public key was revoked." },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
