/**
 * Ingestion runs, and the signed changes of schedules, which are append-only as all evidence is.
 * Documents are JSON text beside the columns that are looked up or compared.
 */
export const m0002Runs = `
  CREATE TABLE list_run (
    run_id TEXT NOT NULL PRIMARY KEY,
    source_id TEXT NOT NULL,
    status TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    version INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;
  CREATE INDEX list_run_by_start ON list_run (started_at, run_id);
  CREATE INDEX list_run_by_source ON list_run (source_id, started_at, run_id);
  CREATE INDEX list_run_by_status ON list_run (status, started_at, run_id);
  CREATE INDEX list_run_by_end ON list_run (finished_at) WHERE finished_at IS NOT NULL;

  CREATE TABLE schedule_audit (
    source_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (source_id, seq)
  ) STRICT;
  CREATE TRIGGER schedule_audit_no_update BEFORE UPDATE ON schedule_audit
  BEGIN SELECT RAISE(ABORT, 'schedule_audit is append-only'); END;
  CREATE TRIGGER schedule_audit_no_delete BEFORE DELETE ON schedule_audit
  BEGIN SELECT RAISE(ABORT, 'schedule_audit is append-only'); END;
`;
