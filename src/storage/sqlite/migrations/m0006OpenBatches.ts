/** Open batches by tenant, of which each has its turn, and not in the order of all requests. */
export const m0006OpenBatches = `
  DROP INDEX batch_open;
  CREATE INDEX batch_open ON batch (tenant_id, requested_at, batch_id) WHERE is_open = 1;
`;
