/**
 * Entries of a chain by their action, for the search of the audit trail. Screenings have no action
 * and are not in it, so that the hot path writes no index entry for it. The first start after the
 * release before reads every event once, in one transaction: other processes wait for it.
 */
export const m0009AuditActions = `
  CREATE INDEX audit_event_by_action ON audit_event (chain, action, seq) WHERE action IS NOT NULL;
`;
