/**
 * Pages of batches are of one kind, by indexes that hold it; those that they were read by go. The
 * kind is a column of its own: computed from the document, every commit of a batch, one a chunk,
 * would write four indexes whose values stay. A chunk and a review say whose they are: a column
 * that computes itself from the document, since neither is written anew for it. Leases have their
 * indexes from here on, so that an opening need not build them over all that has ended.
 */
export const m0010BatchKinds = `
  ALTER TABLE batch DROP COLUMN kind;
  ALTER TABLE batch ADD COLUMN kind TEXT;
  UPDATE batch SET kind = json_extract(document, '$.kind');
  CREATE INDEX batch_by_kind ON batch (tenant_id, kind, requested_at, batch_id)
    WHERE kind IS NOT NULL;
  CREATE INDEX batch_by_name_and_kind ON batch (tenant_id, name, kind, requested_at, batch_id)
    WHERE kind IS NOT NULL;
  CREATE INDEX batch_by_status_and_kind ON batch (tenant_id, status, kind, requested_at, batch_id)
    WHERE kind IS NOT NULL;
  CREATE INDEX batch_by_name_status_and_kind
    ON batch (tenant_id, name, status, kind, requested_at, batch_id) WHERE kind IS NOT NULL;
  DROP INDEX batch_by_request;
  DROP INDEX batch_by_name;
  DROP INDEX batch_by_status;
  DROP INDEX batch_by_name_and_status;

  CREATE INDEX batch_lease ON batch (tenant_id, batch_id)
    WHERE lease_holder IS NULL AND is_open = 1;
  CREATE INDEX batch_held ON batch (batch_id) WHERE lease_holder IS NOT NULL;
  CREATE INDEX list_run_lease ON list_run (run_id) WHERE lease_holder IS NULL AND is_open = 1;
  CREATE INDEX list_run_held ON list_run (run_id) WHERE lease_holder IS NOT NULL;
  DROP INDEX batch_chunk_waiting;

  ALTER TABLE batch_chunk ADD COLUMN tenant_id TEXT
    GENERATED ALWAYS AS (json_extract(document, '$.tenantId')) VIRTUAL;
  ALTER TABLE batch_review ADD COLUMN tenant_id TEXT
    GENERATED ALWAYS AS (json_extract(document, '$.tenantId')) VIRTUAL;
`;
