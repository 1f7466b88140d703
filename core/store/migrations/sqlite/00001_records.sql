-- +goose Up
CREATE TABLE config_version (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL
) STRICT;
INSERT INTO config_version (one, version) VALUES (1, 1);

-- Small values of the installation itself: salts and check values, never a secret.
CREATE TABLE setting (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Times are microseconds since 1970 UTC throughout.
CREATE TABLE tenant (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  status     TEXT NOT NULL,
  region     TEXT NOT NULL DEFAULT '',
  tier       TEXT NOT NULL DEFAULT '',
  metadata   TEXT NOT NULL DEFAULT '{}',
  tags       TEXT NOT NULL DEFAULT '[]',
  source     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE api_key (
  id         TEXT PRIMARY KEY,
  lineage    TEXT NOT NULL,
  tenant_id  TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  name       TEXT NOT NULL,
  prefix     TEXT NOT NULL,
  hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  scopes     TEXT NOT NULL DEFAULT '[]',
  tier       TEXT NOT NULL DEFAULT '',
  metadata   TEXT NOT NULL DEFAULT '{}',
  tags       TEXT NOT NULL DEFAULT '[]',
  status     TEXT NOT NULL,
  source     TEXT NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX api_key_tenant ON api_key (tenant_id);

-- No secondary index: seq order is time order, so a span of time is found by bisection. The hash of the record before
-- is not repeated: it is that record's hash.
CREATE TABLE audit_event (
  seq        INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  tenant_id  TEXT NOT NULL,
  event_type TEXT NOT NULL,
  payload    TEXT NOT NULL,
  hash       BLOB NOT NULL,
  sig        BLOB NOT NULL
) STRICT;

CREATE TABLE audit_head (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  at   INTEGER NOT NULL,
  hash BLOB NOT NULL,
  sig  BLOB NOT NULL
) STRICT;

-- What an exchange does not have is null. streamed and counted are 1 or null. Prices and costs come with a later
-- migration.
CREATE TABLE usage_record (
  id               INTEGER PRIMARY KEY,
  at               INTEGER NOT NULL,
  exchange_id      TEXT NOT NULL,
  tenant_id        TEXT NOT NULL,
  key_id           TEXT,
  end_user         TEXT,
  dialect          TEXT,
  model_requested  TEXT,
  provider         TEXT,
  model            TEXT,
  outcome          TEXT,
  status           INTEGER,
  input_tokens     INTEGER,
  output_tokens    INTEGER,
  cached_tokens    INTEGER,
  reasoning_tokens INTEGER,
  streamed         INTEGER,
  counted          INTEGER,
  latency_ms       INTEGER,
  ttfb_ms          INTEGER
) STRICT;

CREATE TABLE vault_key (
  tenant_id  TEXT PRIMARY KEY,
  wrapped    BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- bindings is a run of 16-byte digests, one for each key lineage or end user that may have the value back.
CREATE TABLE vault_token (
  tenant_id    TEXT NOT NULL,
  token        TEXT NOT NULL,
  kind         TEXT NOT NULL,
  digest       BLOB NOT NULL,
  sealed       BLOB NOT NULL,
  bindings     BLOB NOT NULL,
  created_at   INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, token)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE vault_token;
DROP TABLE vault_key;
DROP TABLE usage_record;
DROP TABLE audit_head;
DROP TABLE audit_event;
DROP TABLE api_key;
DROP TABLE tenant;
DROP TABLE setting;
DROP TABLE config_version;
