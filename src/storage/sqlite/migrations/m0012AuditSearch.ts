/**
 * The search of the audit trail (docs/decisions/0096): events by who did them and by what he did,
 * screenings apart from entries, and one event by its id. As with the target, who did it is read
 * from the body itself, so that there is no column beside the evidence that could be changed. The
 * first start after the release before reads every event once, in one transaction: other processes
 * wait.
 */

/** Word for word as in the statements that use the index (auditSearch.ts). */
export const ACTOR = `CASE WHEN json_valid(body) THEN
  coalesce(json_extract(body, '$.actor'), json_extract(body, '$.requested_by')) END`;

export const m0012AuditSearch = `
  CREATE INDEX audit_event_by_actor ON audit_event (chain, ${ACTOR}, action, seq);
  CREATE INDEX audit_event_of_screenings ON audit_event (chain, seq) WHERE action IS NULL;
  CREATE INDEX audit_event_by_id ON audit_event (chain, event_id);
`;
