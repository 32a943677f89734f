/** What entries say of registries: ids and digests, no names. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'registry.imported': {
    says: 'An extract of a registry was imported: its digest and its counts.',
    severity: 'NOTICE',
  },
  'registry.lookup.erased': {
    says: 'What a registry had answered for the case of an erased customer can be read no more.',
    severity: 'NOTICE',
  },
  'registry.looked_up': { says: 'A company was looked up: where, and what was answered.' },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
