/** How often each chunk of a batch was begun: of those that were there before, from now on. */
export const m0005ChunkTries = `
  ALTER TABLE batch_chunk ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
`;
