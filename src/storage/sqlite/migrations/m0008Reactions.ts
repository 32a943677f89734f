/**
 * A cursor for each subscriber of the outbox, and the events set aside for them. The existing
 * cursor becomes the relay's. A process of the former release, still running over this file, finds
 * it under its old name: a view for one release.
 */
export const m0008Reactions = `
  CREATE TABLE outbox_subscriber (
    name TEXT NOT NULL PRIMARY KEY,
    -- A JSON array; NULL is every topic.
    topics TEXT,
    done_id INTEGER NOT NULL,
    holder TEXT,
    fence INTEGER NOT NULL DEFAULT 0,
    beat INTEGER NOT NULL DEFAULT 0,
    trying TEXT,
    tries INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO outbox_subscriber (name, done_id) SELECT 'bus', published_id FROM outbox_cursor;

  CREATE TABLE outbox_set_aside (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    subscriber TEXT NOT NULL,
    event_id TEXT NOT NULL,
    event TEXT NOT NULL,
    code TEXT NOT NULL,
    tries INTEGER NOT NULL,
    at INTEGER NOT NULL,
    is_wanted INTEGER NOT NULL DEFAULT 0,
    UNIQUE (subscriber, event_id)
  ) STRICT;
  CREATE INDEX outbox_set_aside_wanted ON outbox_set_aside (subscriber, id) WHERE is_wanted = 1;

  DROP TABLE outbox_cursor;
  CREATE VIEW outbox_cursor AS
    SELECT done_id AS published_id FROM outbox_subscriber WHERE name = 'bus';
  CREATE TRIGGER outbox_cursor_moved INSTEAD OF UPDATE ON outbox_cursor BEGIN
    UPDATE outbox_subscriber SET done_id = new.published_id WHERE name = 'bus';
  END;
`;
