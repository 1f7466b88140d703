-- +goose Up
-- Sessions of the console, by the SHA-256 hash of the id that the browser holds.
CREATE TABLE session (
  hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
  user_id    TEXT NOT NULL REFERENCES admin_user (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_of_user ON session (user_id);
CREATE INDEX session_expires ON session (expires_at);

-- +goose Down
DROP TABLE session;
