-- +goose Up
-- Personal access tokens. Of a token itself there is its SHA-256 hash alone, and the characters that are shown. roles
-- and tenant_id are those that its user had when it was made; tenant_id is empty for one of the platform.
CREATE TABLE access_token (
  id         TEXT PRIMARY KEY,
  user_id    TEXT NOT NULL REFERENCES admin_user (id) ON DELETE CASCADE,
  name       TEXT NOT NULL,
  prefix     TEXT NOT NULL,
  hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  roles      TEXT NOT NULL DEFAULT '[]',
  tenant_id  TEXT NOT NULL DEFAULT '',
  source     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX access_token_made ON access_token (created_at, id);
CREATE INDEX access_token_user ON access_token (user_id, created_at, id);

-- +goose Down
DROP TABLE access_token;
