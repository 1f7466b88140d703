-- +goose Up
-- The layout of the chain, JSON; one row for each version, the newest being in force.
CREATE TABLE chain_layout (
  version    INTEGER PRIMARY KEY,
  layout     TEXT NOT NULL,
  actor      TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- What waits for, or has got, a second person's consent. subject is JSON.
CREATE TABLE approval (
  id         TEXT PRIMARY KEY,
  kind       TEXT NOT NULL,
  tenant_id  TEXT NOT NULL DEFAULT '',
  status     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  digest     BLOB NOT NULL,
  reason     TEXT NOT NULL DEFAULT '',
  requester  TEXT NOT NULL,
  approver   TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  decided_at INTEGER,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_order ON approval (created_at, id);
CREATE UNIQUE INDEX approval_open ON approval (digest) WHERE status = 'PENDING';

-- +goose Down
DROP TABLE approval;
DROP TABLE chain_layout;
