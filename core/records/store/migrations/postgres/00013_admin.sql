-- +goose Up
-- Answers to administrative requests that may be sent again, by who sent them and the key they gave them. sealed is null
-- while the request runs.
CREATE TABLE admin_reply (
  scope      TEXT NOT NULL,
  reply_key  TEXT NOT NULL,
  request    BYTEA NOT NULL,
  sealed     BYTEA,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (scope, reply_key)
);
CREATE INDEX admin_reply_expiry ON admin_reply (expires_at);

-- A route as it is now. providers is JSON.
CREATE TABLE route (
  id             TEXT PRIMARY KEY,
  model_pattern  TEXT NOT NULL,
  strategy       TEXT NOT NULL,
  providers      TEXT NOT NULL,
  pinned         TEXT NOT NULL DEFAULT '',
  latency_sla_ms BIGINT NOT NULL DEFAULT 0,
  other_regions  BIGINT NOT NULL DEFAULT 0,
  version        BIGINT NOT NULL,
  created_at     BIGINT NOT NULL,
  updated_at     BIGINT NOT NULL
);

-- What it was, and is: one row for each version.
CREATE TABLE route_version (
  route_id       TEXT NOT NULL REFERENCES route (id) ON DELETE CASCADE,
  version        BIGINT NOT NULL,
  model_pattern  TEXT NOT NULL,
  strategy       TEXT NOT NULL,
  providers      TEXT NOT NULL,
  pinned         TEXT NOT NULL,
  latency_sla_ms BIGINT NOT NULL,
  other_regions  BIGINT NOT NULL,
  created_at     BIGINT NOT NULL,
  PRIMARY KEY (route_id, version)
);

-- +goose Down
DROP TABLE route_version;
DROP TABLE route;
DROP TABLE admin_reply;
