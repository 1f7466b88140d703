-- +goose Up
-- Who administers. tenant_id is null for somebody of the platform. password is an Argon2id hash in PHC text, empty for
-- somebody who cannot sign in with one; subject is who they are at the identity provider.
CREATE TABLE admin_user (
  id           TEXT PRIMARY KEY,
  email        TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL,
  password     TEXT NOT NULL DEFAULT '',
  subject      TEXT UNIQUE,
  roles        TEXT NOT NULL DEFAULT '[]',
  tenant_id    TEXT REFERENCES tenant (id) ON DELETE CASCADE,
  status       TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  signed_in_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX admin_user_made ON admin_user (created_at, id);
CREATE INDEX admin_user_tenant ON admin_user (tenant_id, created_at, id);

-- +goose Down
DROP TABLE admin_user;
