-- +goose Up
-- Guards over HTTP that are records. tenant_id is empty for one of the platform, which judges every tenant's exchanges.
CREATE TABLE guardrail_plugin (
  id             TEXT PRIMARY KEY,
  tenant_id      TEXT NOT NULL,
  name           TEXT NOT NULL UNIQUE,
  url            TEXT NOT NULL,
  secret         BLOB NOT NULL,
  previous       BLOB,
  previous_until INTEGER,
  timeout_ms     INTEGER NOT NULL,
  fail_mode      TEXT NOT NULL,
  mode           TEXT NOT NULL,
  enabled        INTEGER NOT NULL,
  version        INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE guardrail_plugin;
