/** Audit actions of the evidence itself. */

/** Rows of core/audit, of the shape ActionRow. The type AuditActions is made from them. */
export const auditActions = {
  'audit.chain.resumed': {
    says: 'An old backup was restored: the chain goes on behind the numbers that are lost.',
    severity: 'ALERT',
  },
  'audit.personal_data.erased': { says: 'The open part of an event was erased.' },
} as const;
