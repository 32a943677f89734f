/**
 * Which entries of several lists are one: every resolution that was ever in force, since events
 * name them. The latest one counts.
 */
export const m0003Resolutions = `
  CREATE TABLE list_resolution (
    version INTEGER NOT NULL PRIMARY KEY,
    document TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER list_resolution_no_update BEFORE UPDATE ON list_resolution
  BEGIN SELECT RAISE(ABORT, 'list_resolution is append-only'); END;
  CREATE TRIGGER list_resolution_no_delete BEFORE DELETE ON list_resolution
  BEGIN SELECT RAISE(ABORT, 'list_resolution is append-only'); END;
`;
