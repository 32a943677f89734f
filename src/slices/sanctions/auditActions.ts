/** What entries say of the register of screenings. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  AUDIT_CHAIN_ACKNOWLEDGED: {
    severity: 'ALERT',
    says: 'Two persons acknowledged a broken event: restored, or accepted as it is for ever.',
  },
  AUDIT_CHAIN_BROKEN: {
    severity: 'ALERT',
    says: 'An event of a chain is not what was signed; policies of its tenant are locked.',
  },
  SANCTIONS_REPLAYED: {
    says: 'A screening was repeated: it is identical, or why it could not be repeated.',
  },
  SANCTIONS_REPLAY_DIFFERENT: {
    says: 'A screening was repeated, and something else came out: both digests.',
  },
  SANCTIONS_REPLAY_REQUESTED: { says: 'Somebody asked that a screening be repeated.' },
  SCREENING_EXPORTED: {
    severity: 'NOTICE',
    says: 'Somebody had the signed report of a screening made: its language and its digest.',
  },
  'screenings.viewed': {
    says: 'Somebody read a page of screenings: how many, and the digest of the filters.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
