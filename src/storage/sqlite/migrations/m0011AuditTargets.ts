/**
 * Entries of a chain by what they are about, for the last one about a thing. The target is read
 * from the body itself, so that there is no column beside the evidence that could be changed. A
 * body that is no JSON is about nothing: it fails its own check, and must not stop the start. The
 * first start after the release before reads every event once, in one transaction: other processes
 * wait.
 */
export const m0011AuditTargets = `
  CREATE INDEX audit_event_by_target ON audit_event
    (chain, CASE WHEN json_valid(body) THEN json_extract(body, '$.target') END, seq)
    WHERE action IS NOT NULL;
`;
