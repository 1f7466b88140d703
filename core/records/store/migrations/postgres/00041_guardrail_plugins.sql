-- +goose Up
-- Guards over HTTP that are records. tenant_id is empty for one of the platform, which judges every tenant's exchanges.
CREATE TABLE guardrail_plugin (
  id             TEXT PRIMARY KEY,
  tenant_id      TEXT NOT NULL,
  name           TEXT NOT NULL UNIQUE,
  url            TEXT NOT NULL,
  secret         BYTEA NOT NULL,
  previous       BYTEA,
  previous_until BIGINT,
  timeout_ms     BIGINT NOT NULL,
  fail_mode      TEXT NOT NULL,
  mode           TEXT NOT NULL,
  enabled        BIGINT NOT NULL,
  version        BIGINT NOT NULL,
  created_at     BIGINT NOT NULL,
  updated_at     BIGINT NOT NULL
);

-- +goose Down
DROP TABLE guardrail_plugin;
