-- +goose Up
-- Providers that administrators add. id is the name that routes use. The secrets in credentials are sealed.
CREATE TABLE provider (
  id          TEXT PRIMARY KEY,
  type        TEXT NOT NULL,
  base_url    TEXT NOT NULL,
  region      TEXT NOT NULL,
  project     TEXT NOT NULL,
  api_version TEXT NOT NULL,
  models      TEXT NOT NULL,
  prefix      BIGINT NOT NULL,
  enabled     BIGINT NOT NULL,
  credentials TEXT NOT NULL,
  version     BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL
);

-- +goose Down
DROP TABLE provider;
