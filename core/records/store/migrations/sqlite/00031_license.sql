-- +goose Up
-- The licence in force, its file byte for byte, since the signature covers bytes. At most one.
CREATE TABLE license (
  one          INTEGER PRIMARY KEY CHECK (one = 1),
  file         BLOB NOT NULL,
  installed_at INTEGER NOT NULL,
  installed_by TEXT NOT NULL
) STRICT;

-- The state that the licence was last seen in, since when, and whether the audit chain was told (0: one node is about
-- to). seen_at is the latest time that a node has seen: a clock that is set back does not bring a licence back.
CREATE TABLE license_state (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  before     TEXT NOT NULL,
  state      TEXT NOT NULL,
  digest     TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  told       INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL
) STRICT;

-- Governed calls of a month (2026-11, UTC), by node, so that nodes do not wait for each other. They are counted in the
-- transaction that stores their audit records, so that each is counted once.
CREATE TABLE governed_call (
  month TEXT NOT NULL,
  node  TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (month, node)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE governed_call;
DROP TABLE license_state;
DROP TABLE license;
