/**
 * Adds what declared tables need beside their own (src/storage/sqlite/table): a catalogue of the
 * declarations, and stamps by name. Older tables get what their declarations require, so that they
 * are laid out like new ones: work fields and leases apart from the document, a column for each
 * field that is looked up. Columns that a former release does not know compute themselves.
 *
 * The lease of a run or a batch was in its document. It is carried over, so that a dead worker is
 * seen as silent, and its row is taken over like any other.
 */
const LEASE = ['batch', 'list_run'];

const leaseColumns = (table: string): string => `
  ALTER TABLE ${table} ADD COLUMN work TEXT;
  ALTER TABLE ${table} ADD COLUMN lease_holder TEXT;
  ALTER TABLE ${table} ADD COLUMN lease_fence INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE ${table} ADD COLUMN lease_beat INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE ${table} ADD COLUMN lease_tries INTEGER NOT NULL DEFAULT 0;`;

const carryLease = (table: string): string => `
  UPDATE ${table} SET lease_holder = json_extract(document, '$.leaseHolder'),
    lease_tries = coalesce(json_extract(document, '$.tries'), 0)
  WHERE is_open = 1 AND json_extract(document, '$.leaseHolder') IS NOT NULL;`;

export const m0007Tables = `
  CREATE TABLE store_table (
    name TEXT NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL,
    declaration TEXT NOT NULL,
    -- Records up to it may be removed from a table that is otherwise append-only.
    border INTEGER
  ) STRICT;
  CREATE TABLE store_stamp (
    name TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT;

  ${LEASE.map(leaseColumns).join('')}
  ALTER TABLE list_run ADD COLUMN is_open INTEGER
    GENERATED ALWAYS AS (CASE WHEN status = 'running' THEN 1 ELSE 0 END) VIRTUAL;
  ${LEASE.map(carryLease).join('')}
  CREATE INDEX list_run_kept ON list_run (finished_at, run_id) WHERE finished_at IS NOT NULL;
  DROP INDEX list_run_by_end;
  CREATE INDEX list_run_by_source_and_status ON list_run (source_id, status, started_at, run_id);

  ALTER TABLE batch ADD COLUMN kind TEXT
    GENERATED ALWAYS AS (json_extract(document, '$.kind')) VIRTUAL;

  ALTER TABLE batch_chunk ADD COLUMN lease_fence INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE batch_chunk ADD COLUMN lease_beat INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE batch_chunk ADD COLUMN is_open INTEGER
    GENERATED ALWAYS AS (CASE WHEN result IS NULL THEN 1 ELSE 0 END) VIRTUAL;
  CREATE INDEX batch_chunk_lease ON batch_chunk (batch_id, chunk_no, lease_holder)
    WHERE lease_holder IS NULL AND is_open = 1;
  CREATE INDEX batch_chunk_held ON batch_chunk (batch_id, chunk_no)
    WHERE lease_holder IS NOT NULL;

  -- Led by the content, and then by the label: the key of the record.
  DROP INDEX list_version_by_digest;
  CREATE INDEX list_version_by_digest
    ON list_version (source_id, list_digest, content_digest, list_version);
  CREATE INDEX list_version_placed ON list_version (source_id, id);
`;
