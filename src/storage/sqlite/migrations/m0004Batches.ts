/**
 * Batches, their chunks and the reviews of their hits. Documents are JSON text beside the columns
 * that are looked up or compared.
 *
 * A chunk's lease and result are columns of their own: its document is written once. The index of
 * waiting chunks has no other ones, so that the next one to be done is found by skipping those that
 * workers have leased; of a completed batch it has none.
 */
export const m0004Batches = `
  CREATE TABLE batch (
    batch_id TEXT NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    is_open INTEGER NOT NULL,
    requested_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;
  CREATE INDEX batch_by_request ON batch (tenant_id, requested_at, batch_id);
  CREATE INDEX batch_by_name ON batch (tenant_id, name, requested_at, batch_id);
  CREATE INDEX batch_by_status ON batch (tenant_id, status, requested_at, batch_id);
  CREATE INDEX batch_by_name_and_status
    ON batch (tenant_id, name, status, requested_at, batch_id);
  CREATE INDEX batch_open ON batch (requested_at, batch_id) WHERE is_open = 1;

  CREATE TABLE batch_chunk (
    batch_id TEXT NOT NULL,
    chunk_no INTEGER NOT NULL,
    lease_holder TEXT,
    lease_until INTEGER NOT NULL,
    result TEXT,
    document TEXT NOT NULL,
    PRIMARY KEY (batch_id, chunk_no)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX batch_chunk_waiting ON batch_chunk (batch_id, chunk_no) WHERE result IS NULL;

  CREATE TABLE batch_review (
    batch_id TEXT NOT NULL,
    hit_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    position INTEGER NOT NULL,
    decision TEXT NOT NULL,
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (batch_id, hit_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX batch_review_by_place ON batch_review (batch_id, ordinal, position);
  CREATE INDEX batch_review_by_decision
    ON batch_review (batch_id, decision, ordinal, position);
`;
