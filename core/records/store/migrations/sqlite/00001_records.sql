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

-- The records of one batch, or of a part of it. data is a run of records, each after its length; their payloads are
-- readable JSON. The sequence numbers of the records are first_seq and those that follow it. No secondary index:
-- their order is time order, so a span of time is found by bisection. data comes last, so that the other columns are
-- read without its pages.
CREATE TABLE audit_segment (
  first_seq INTEGER PRIMARY KEY,
  last_seq  INTEGER NOT NULL,
  first_at  INTEGER NOT NULL,
  last_at   INTEGER NOT NULL,
  hash      BLOB NOT NULL,
  sig       BLOB NOT NULL,
  data      BLOB NOT NULL
) STRICT;

CREATE TABLE audit_head (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  at   INTEGER NOT NULL,
  hash BLOB NOT NULL,
  sig  BLOB NOT NULL
) STRICT;

-- What repeats from exchange to exchange is stored once. An empty text and the status 0 mean that the exchanges had
-- none.
CREATE TABLE usage_series (
  id              INTEGER PRIMARY KEY,
  tenant_id       TEXT NOT NULL,
  key_id          TEXT NOT NULL,
  dialect         TEXT NOT NULL,
  model_requested TEXT NOT NULL,
  provider        TEXT NOT NULL,
  model           TEXT NOT NULL,
  outcome         TEXT NOT NULL,
  status          INTEGER NOT NULL,
  streamed        INTEGER NOT NULL,
  UNIQUE (tenant_id, key_id, model, outcome, status, streamed, dialect, model_requested, provider)
) STRICT;

-- One exchange each. What it does not have is null, its tokens when the provider did not count them. An exchange_id of
-- 32 hexadecimal digits is stored as the 16 bytes they stand for, any other as text. The series is no foreign key:
-- looking it up would cost each exchange, and the writer has just done so. Read the view usage_exchange instead. Prices
-- and costs come with a later migration.
CREATE TABLE usage_record (
  id               INTEGER PRIMARY KEY,
  at               INTEGER NOT NULL,
  exchange_id      ANY NOT NULL,
  series_id        INTEGER NOT NULL,
  latency_ms       INTEGER,
  ttfb_ms          INTEGER,
  input_tokens     INTEGER,
  output_tokens    INTEGER,
  cached_tokens    INTEGER,
  reasoning_tokens INTEGER,
  end_user         TEXT
) STRICT;

CREATE VIEW usage_exchange AS SELECT
  r.id, r.at, iif(typeof(r.exchange_id) = 'blob', lower(hex(r.exchange_id)), r.exchange_id) AS exchange_id,
  s.tenant_id, s.key_id, r.end_user, s.dialect, s.model_requested, s.provider, s.model, s.outcome, s.status, s.streamed,
  r.input_tokens, r.output_tokens, r.cached_tokens, r.reasoning_tokens, r.latency_ms, r.ttfb_ms
FROM usage_record AS r JOIN usage_series AS s ON s.id = r.series_id;

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
DROP VIEW usage_exchange;
DROP TABLE usage_record;
DROP TABLE usage_series;
DROP TABLE audit_head;
DROP TABLE audit_segment;
DROP TABLE api_key;
DROP TABLE tenant;
DROP TABLE setting;
DROP TABLE config_version;
