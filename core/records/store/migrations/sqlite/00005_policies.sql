-- +goose Up
-- A policy as it is now. tenant_id is empty for one of the platform.
CREATE TABLE policy (
  id          TEXT PRIMARY KEY,
  tenant_id   TEXT NOT NULL DEFAULT '',
  name        TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  dsl         TEXT NOT NULL,
  status      TEXT NOT NULL,
  version     INTEGER NOT NULL,
  source      TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What it was, and is: one row for each version.
CREATE TABLE policy_version (
  policy_id   TEXT NOT NULL REFERENCES policy (id) ON DELETE CASCADE,
  version     INTEGER NOT NULL,
  name        TEXT NOT NULL,
  description TEXT NOT NULL,
  dsl         TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (policy_id, version)
) STRICT, WITHOUT ROWID;

-- What policies in shadow came to, one row for each evaluation. Policies of the configuration file are among them, so
-- policy_id is no foreign key.
CREATE TABLE policy_shadow_event (
  id         INTEGER PRIMARY KEY,
  policy_id  TEXT NOT NULL,
  rule_id    TEXT NOT NULL,
  request_id TEXT NOT NULL,
  tenant_id  TEXT NOT NULL,
  model      TEXT NOT NULL,
  active     TEXT NOT NULL,
  shadow     TEXT NOT NULL,
  divergence TEXT NOT NULL,
  at         INTEGER NOT NULL
) STRICT;
CREATE INDEX policy_shadow_event_policy ON policy_shadow_event (policy_id, at);

-- +goose Down
DROP TABLE policy_shadow_event;
DROP TABLE policy_version;
DROP TABLE policy;
