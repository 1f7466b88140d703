CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
CREATE TABLE config_version (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL
) STRICT;
CREATE TABLE setting (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
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
, estimated INTEGER, cost INTEGER, input_cost INTEGER) STRICT;
CREATE TABLE vault_key (
  tenant_id  TEXT PRIMARY KEY,
  wrapped    BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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
CREATE TABLE batch_file (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  tenant_id   TEXT NOT NULL,
  key_id      TEXT NOT NULL,
  provider    TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  purpose     TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  data        TEXT NOT NULL
) STRICT;
CREATE TABLE batch_job (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  tenant_id   TEXT NOT NULL,
  key_id      TEXT NOT NULL,
  provider    TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  status      TEXT NOT NULL,
  settled     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  polled_at   INTEGER,
  data        TEXT NOT NULL
) STRICT;
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
CREATE TABLE policy_version (
  policy_id   TEXT NOT NULL REFERENCES policy (id) ON DELETE CASCADE,
  version     INTEGER NOT NULL,
  name        TEXT NOT NULL,
  description TEXT NOT NULL,
  dsl         TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (policy_id, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE config_change (
  version   INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  record_id TEXT NOT NULL,
  PRIMARY KEY (version, kind, record_id)
) STRICT, WITHOUT ROWID;
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
, roles_at INTEGER) STRICT, WITHOUT ROWID;
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
CREATE TABLE session (
  hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
  user_id    TEXT NOT NULL REFERENCES admin_user (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE admin_reply (
  scope      TEXT NOT NULL,
  reply_key  TEXT NOT NULL,
  request    BLOB NOT NULL,
  sealed     BLOB,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (scope, reply_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE route (
  id             TEXT PRIMARY KEY,
  model_pattern  TEXT NOT NULL,
  strategy       TEXT NOT NULL,
  providers      TEXT NOT NULL,
  pinned         TEXT NOT NULL DEFAULT '',
  latency_sla_ms INTEGER NOT NULL DEFAULT 0,
  other_regions  INTEGER NOT NULL DEFAULT 0,
  version        INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE route_version (
  route_id       TEXT NOT NULL REFERENCES route (id) ON DELETE CASCADE,
  version        INTEGER NOT NULL,
  model_pattern  TEXT NOT NULL,
  strategy       TEXT NOT NULL,
  providers      TEXT NOT NULL,
  pinned         TEXT NOT NULL,
  latency_sla_ms INTEGER NOT NULL,
  other_regions  INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  PRIMARY KEY (route_id, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE "usage_series" (
  id              INTEGER PRIMARY KEY,
  tenant_id       TEXT NOT NULL,
  key_id          TEXT NOT NULL,
  dialect         TEXT NOT NULL,
  model_requested TEXT NOT NULL,
  provider        TEXT NOT NULL,
  model           TEXT NOT NULL,
  outcome         TEXT NOT NULL,
  pricing_id      TEXT NOT NULL DEFAULT '',
  status          INTEGER NOT NULL,
  streamed        INTEGER NOT NULL,
  UNIQUE (tenant_id, key_id, model, outcome, status, streamed, dialect, model_requested, provider, pricing_id)
) STRICT;
CREATE TABLE usage_hour (
  hour             INTEGER NOT NULL,
  tenant_id        TEXT NOT NULL,
  provider         TEXT NOT NULL,
  model            TEXT NOT NULL,
  calls            INTEGER NOT NULL,
  unpriced         INTEGER NOT NULL,
  requests         INTEGER NOT NULL,
  input_tokens     INTEGER NOT NULL,
  output_tokens    INTEGER NOT NULL,
  cached_tokens    INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  input_cost       INTEGER NOT NULL,
  output_cost      INTEGER NOT NULL,
  PRIMARY KEY (hour, tenant_id, provider, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE usage_day (
  day              INTEGER NOT NULL,
  tenant_id        TEXT NOT NULL,
  provider         TEXT NOT NULL,
  model            TEXT NOT NULL,
  calls            INTEGER NOT NULL,
  unpriced         INTEGER NOT NULL,
  requests         INTEGER NOT NULL,
  input_tokens     INTEGER NOT NULL,
  output_tokens    INTEGER NOT NULL,
  cached_tokens    INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  input_cost       INTEGER NOT NULL,
  output_cost      INTEGER NOT NULL,
  PRIMARY KEY (day, tenant_id, provider, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE usage_key_day (
  day              INTEGER NOT NULL,
  tenant_id        TEXT NOT NULL,
  key_id           TEXT NOT NULL,
  provider         TEXT NOT NULL,
  model            TEXT NOT NULL,
  hours            INTEGER NOT NULL,
  calls            INTEGER NOT NULL,
  unpriced         INTEGER NOT NULL,
  requests         INTEGER NOT NULL,
  input_tokens     INTEGER NOT NULL,
  output_tokens    INTEGER NOT NULL,
  cached_tokens    INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  input_cost       INTEGER NOT NULL,
  output_cost      INTEGER NOT NULL,
  PRIMARY KEY (day, tenant_id, key_id, provider, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE price (
  id           TEXT PRIMARY KEY,
  model        TEXT NOT NULL,
  provider     TEXT NOT NULL,
  input        INTEGER NOT NULL,
  output       INTEGER NOT NULL,
  cached       INTEGER,
  written      INTEGER,
  reasoning    INTEGER,
  batch_pct    INTEGER,
  effective_at INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE budget (
  id         TEXT PRIMARY KEY,
  tenant_id  TEXT NOT NULL,
  api_key_id TEXT NOT NULL,
  name       TEXT NOT NULL,
  period     TEXT NOT NULL,
  limit_usd  INTEGER NOT NULL,
  soft_pct   INTEGER NOT NULL,
  enabled    INTEGER NOT NULL,
  version    INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE chargeback_report (
  id           TEXT PRIMARY KEY,
  tenant_id    TEXT NOT NULL,
  from_at      INTEGER NOT NULL,
  to_at        INTEGER NOT NULL,
  generated_at INTEGER NOT NULL,
  generated_by TEXT NOT NULL,
  report       TEXT NOT NULL,
  pdf          BLOB NOT NULL
) STRICT;
CREATE TABLE audit_segment (
  node      TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq  INTEGER NOT NULL,
  first_at  INTEGER NOT NULL,
  last_at   INTEGER NOT NULL,
  hash      BLOB NOT NULL,
  sig       BLOB NOT NULL,
  data      BLOB NOT NULL,
  PRIMARY KEY (node, first_seq)
) STRICT;
CREATE TABLE audit_head (
  node TEXT PRIMARY KEY,
  seq  INTEGER NOT NULL,
  at   INTEGER NOT NULL,
  hash BLOB NOT NULL,
  sig  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE audit_checkpoint (
  node      TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  marks     BLOB,
  PRIMARY KEY (node, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE audit_base (
  node       TEXT PRIMARY KEY,
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  hash       BLOB NOT NULL,
  counts     TEXT NOT NULL,
  removed_at INTEGER NOT NULL,
  sig        BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE license (
  one          INTEGER PRIMARY KEY CHECK (one = 1),
  file         BLOB NOT NULL,
  installed_at INTEGER NOT NULL,
  installed_by TEXT NOT NULL
) STRICT;
CREATE TABLE license_state (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  before     TEXT NOT NULL,
  state      TEXT NOT NULL,
  digest     TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  told       INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL
) STRICT;
CREATE TABLE governed_call (
  month TEXT NOT NULL,
  node  TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (month, node)
) STRICT, WITHOUT ROWID;
CREATE TABLE compliance_report (
  id           TEXT PRIMARY KEY,
  type         TEXT NOT NULL,
  tenant_id    TEXT NOT NULL,
  from_at      INTEGER NOT NULL,
  to_at        INTEGER NOT NULL,
  generated_at INTEGER NOT NULL,
  generated_by TEXT NOT NULL,
  sections     TEXT NOT NULL,
  proof        TEXT NOT NULL,
  pdf          BLOB
) STRICT;
CREATE TABLE webhook (
  id             TEXT PRIMARY KEY,
  tenant_id      TEXT NOT NULL,
  name           TEXT NOT NULL,
  url            TEXT NOT NULL,
  secret         BLOB NOT NULL,
  previous       BLOB,
  previous_until INTEGER,
  event_types    TEXT NOT NULL,
  enabled        INTEGER NOT NULL,
  version        INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  UNIQUE (tenant_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_event (
  id        TEXT PRIMARY KEY,
  type      TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  data      TEXT NOT NULL,
  at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_delivery (
  id          TEXT PRIMARY KEY,
  webhook_id  TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  event_id    TEXT NOT NULL REFERENCES webhook_event (id) ON DELETE CASCADE,
  state       TEXT NOT NULL,
  attempts    INTEGER NOT NULL DEFAULT 0,
  failures    INTEGER NOT NULL DEFAULT 0,
  queued_at   INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  lease       TEXT NOT NULL DEFAULT '',
  lease_until INTEGER NOT NULL DEFAULT 0,
  ended_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_attempt (
  delivery_id TEXT NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE,
  attempt     INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  status      INTEGER NOT NULL,
  duration    INTEGER NOT NULL,
  error       TEXT NOT NULL,
  PRIMARY KEY (delivery_id, attempt)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE output_schema (
  id                TEXT PRIMARY KEY,
  model_pattern     TEXT NOT NULL,
  route_id          TEXT NOT NULL,
  schema            TEXT NOT NULL,
  max_retries       INTEGER NOT NULL,
  correction_prompt TEXT NOT NULL,
  enabled           INTEGER NOT NULL,
  version           INTEGER NOT NULL,
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE chain_layout (
  version    INTEGER PRIMARY KEY,
  layout     TEXT NOT NULL,
  actor      TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE approval (
  id         TEXT PRIMARY KEY,
  kind       TEXT NOT NULL,
  tenant_id  TEXT NOT NULL DEFAULT '',
  status     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  digest     BLOB NOT NULL,
  reason     TEXT NOT NULL DEFAULT '',
  requester  TEXT NOT NULL,
  approver   TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  decided_at INTEGER,
  expires_at INTEGER NOT NULL
, scope TEXT NOT NULL DEFAULT '', note TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;
CREATE TABLE fleet_node (
  name    TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE fleet_cursor (
  node TEXT NOT NULL,
  kind TEXT NOT NULL,
  upto INTEGER NOT NULL,
  PRIMARY KEY (node, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE policy_shadow_event (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
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
CREATE TABLE spent (
  hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE usage_pace (
  unit      INTEGER NOT NULL,
  tenant_id TEXT NOT NULL,
  span      INTEGER NOT NULL,
  outcome   TEXT NOT NULL,
  bucket    INTEGER NOT NULL,
  calls     INTEGER NOT NULL,
  cost      INTEGER NOT NULL,
  PRIMARY KEY (unit, tenant_id, span, outcome, bucket)
) STRICT, WITHOUT ROWID;
CREATE INDEX batch_file_tenant ON batch_file (tenant_id, seq);
CREATE INDEX batch_job_tenant ON batch_job (tenant_id, seq);
CREATE INDEX batch_job_open ON batch_job (polled_at) WHERE settled = 0;
CREATE INDEX tenant_made ON tenant (created_at, id);
CREATE INDEX api_key_made ON api_key (created_at, id);
CREATE INDEX api_key_tenant_made ON api_key (tenant_id, created_at, id);
CREATE INDEX admin_user_made ON admin_user (created_at, id);
CREATE INDEX admin_user_tenant ON admin_user (tenant_id, created_at, id);
CREATE INDEX access_token_made ON access_token (created_at, id);
CREATE INDEX access_token_user ON access_token (user_id, created_at, id);
CREATE INDEX session_of_user ON session (user_id);
CREATE INDEX session_expires ON session (expires_at);
CREATE INDEX admin_reply_expiry ON admin_reply (expires_at);
CREATE INDEX usage_series_key ON usage_series (key_id);
CREATE INDEX usage_record_at ON usage_record (at, series_id);
CREATE INDEX usage_key_day_key ON usage_key_day (key_id, day);
CREATE INDEX chargeback_report_time ON chargeback_report (generated_at, id);
CREATE INDEX compliance_report_generated ON compliance_report (generated_at);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, due_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_log ON webhook_delivery (webhook_id, queued_at);
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX webhook_delivery_event ON webhook_delivery (event_id);
CREATE INDEX approval_order ON approval (created_at, id);
CREATE UNIQUE INDEX approval_open ON approval (digest) WHERE status = 'PENDING';
CREATE INDEX policy_shadow_event_policy ON policy_shadow_event (policy_id, at);
CREATE INDEX webhook_delivery_dead ON webhook_delivery (ended_at) WHERE state = 'dead';
CREATE INDEX approval_waiting ON approval (kind, tenant_id, scope) WHERE status = 'PENDING';
CREATE INDEX approval_asked ON approval (requester, kind, created_at);
CREATE INDEX approval_given ON approval (digest) WHERE status = 'APPROVED';
CREATE INDEX approval_end ON approval (expires_at);
CREATE INDEX spent_expires ON spent (expires_at);
CREATE VIEW usage_exchange AS SELECT
  r.id, r.at, iif(typeof(r.exchange_id) = 'blob', lower(hex(r.exchange_id)), r.exchange_id) AS exchange_id,
  s.tenant_id, s.key_id, r.end_user, s.dialect, s.model_requested, s.provider, s.model, s.outcome, s.status, s.streamed,
  r.input_tokens, r.output_tokens, r.cached_tokens, r.reasoning_tokens, r.estimated, r.cost, r.latency_ms, r.ttfb_ms,
  r.input_cost, s.pricing_id, r.series_id
FROM usage_record AS r JOIN usage_series AS s ON s.id = r.series_id;
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (1, 0, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (2, 1, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (3, 2, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (4, 3, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (5, 4, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (6, 5, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (7, 6, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (8, 8, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (9, 10, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (10, 11, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (11, 12, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (12, 13, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (13, 20, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (14, 21, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (15, 22, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (16, 23, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (17, 24, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (18, 30, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (19, 31, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (20, 32, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (21, 40, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (22, 41, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (23, 42, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (24, 45, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (25, 50, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (26, 55, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (27, 60, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (28, 61, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (29, 65, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (30, 70, 1, '2026-11-29 03:10:32');
INSERT INTO goose_db_version (id, version_id, is_applied, tstamp) VALUES (31, 80, 1, '2026-11-29 03:10:32');
INSERT INTO config_version (one, version) VALUES (1, 24);
INSERT INTO setting (name, value) VALUES ('salt', X'000173616C74');
INSERT INTO tenant (id, name, status, region, tier, metadata, tags, source, created_at, updated_at) VALUES ('acme', 'Acme', 'active', 'eu', 'premium', '{"cost_centre":"42"}', '["x","y"]', 'file', 1795348800031001, 1795348800031001);
INSERT INTO tenant (id, name, status, region, tier, metadata, tags, source, created_at, updated_at) VALUES ('globex', 'Globex GmbH – München', 'suspended', '', '', '{}', '[]', 'api', 1795348800033001, 1795348800033001);
INSERT INTO api_key (id, lineage, tenant_id, name, prefix, hash, scopes, tier, metadata, tags, status, source, expires_at, created_at, updated_at) VALUES ('k1', 'k1', 'acme', 'dev', 'gw_abcd', X'56412B794B8224D41E0C7D0AA08434A83223850C721E9F477213B186DFDDA8AA', '["completions:write"]', 'bulk', '{"team":"a"}', '["t"]', 'active', 'cli', 3057652800034001, 1795348800035001, 1795348800035001);
INSERT INTO api_key (id, lineage, tenant_id, name, prefix, hash, scopes, tier, metadata, tags, status, source, expires_at, created_at, updated_at) VALUES ('k2', 'k2', 'acme', 'old', 'gw_zzzz', X'38BA96DCE928DC6ABB75DA33B965DC239AE3E51DBFD33CCF08C73A3CDEE112E5', '[]', '', '{}', '[]', 'rotated', 'api', 3057652800034001, 1795348800037001, 1795348800039001);
INSERT INTO api_key (id, lineage, tenant_id, name, prefix, hash, scopes, tier, metadata, tags, status, source, expires_at, created_at, updated_at) VALUES ('k3', 'k2', 'acme', 'old', 'gw_zzzz', X'57A5C6ECABA1C51DD0A96E553FD7401C166229C6349AD7FBF67CD30106A52099', '[]', '', '{}', '[]', 'active', 'api', NULL, 1795348800040001, 1795348800040001);
INSERT INTO api_key (id, lineage, tenant_id, name, prefix, hash, scopes, tier, metadata, tags, status, source, expires_at, created_at, updated_at) VALUES ('k4', 'k4', 'globex', 'gone', 'gw_gone', X'761EA9FDA9BD669A1EB7CDCE9C04EF5A0EFD570690EE7E61D56F435ADAABB392', '[]', '', '{}', '[]', 'revoked', 'api', NULL, 1795348800042001, 1795348800044001);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (1, 1795348800083001, 'exchange-a', 1, 740, 120, 100, 20, 10, 5, 'user-7', NULL, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (2, 1795348860084001, 'exchange-b', 2, 740, 120, 101, 21, 10, 5, 'user-7', 1, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (3, 1795348920085001, 'exchange-c', 2, 740, 120, 102, 22, 10, 5, 'user-7', NULL, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (4, 1795348980086001, 'exchange-d', 1, 740, 120, 103, 23, 10, 5, 'user-7', 1, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (5, 1795349040087001, 'exchange-e', 2, 740, 120, 104, 24, 10, 5, 'user-7', NULL, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (6, 1795349100088001, 'exchange-f', 2, 740, 120, 105, 25, 10, 5, 'user-7', 1, NULL, NULL);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (7, 1795349160089001, 'exchange-g', 1, 740, 120, 106, 26, 10, 5, 'user-7', NULL, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (8, 1795349220091001, 'exchange-h', 2, 740, 120, 107, 27, 10, 5, 'user-7', 1, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (9, 1795349280092001, 'exchange-i', 2, 740, 120, 108, 28, 10, 5, 'user-7', NULL, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (10, 1795349340093001, 'exchange-j', 1, 740, 120, 109, 29, 10, 5, 'user-7', 1, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (11, 1795349400094001, 'exchange-k', 2, 740, 120, 110, 30, 10, 5, 'user-7', NULL, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (12, 1795349460095001, 'exchange-l', 2, 740, 120, 111, 31, 10, 5, 'user-7', 1, 3000000, 2000000);
INSERT INTO usage_record (id, at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens, cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost) VALUES (13, 1795348800096001, 'of-node-b', 3, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO vault_key (tenant_id, wrapped, created_at) VALUES ('acme', X'77726170706564206B6579', 1795348800080001);
INSERT INTO vault_token (tenant_id, token, kind, digest, sealed, bindings, created_at, last_seen_at, expires_at) VALUES ('acme', 'tok1', 'EMAIL', X'646967657374', X'7365616C65642076616C7565', X'30313233343536373839616263646566', 1795348800096001, 1795348800096001, 3057652800034001);
INSERT INTO batch_file (seq, id, tenant_id, key_id, provider, provider_id, purpose, created_at, data) VALUES (1, 'f1', 'acme', 'k1', 'openai', 'file-1', 'batch', 1795348800079001, '{"name":"in.jsonl","bytes":10,"lines":1,"endpoint":"/v1/chat/completions","models":[{"name":"gpt-4o","target":"gpt-4o","line":1}]}');
INSERT INTO batch_job (seq, id, tenant_id, key_id, provider, provider_id, status, settled, created_at, polled_at, data) VALUES (1, 'j1', 'acme', 'k1', 'openai', 'batch-1', 'completed', 1, 1795348800079001, 1795348800079001, '{"endpoint":"/v1/chat/completions","window":"24h","input_file":"f1","metadata":{"a":"b"},"total":1,"completed":1,"usage":{"input":3,"output":4}}');
INSERT INTO policy (id, tenant_id, name, description, dsl, status, version, source, created_at, updated_at) VALUES ('p1', 'acme', 'models', 'changed', 'rules: []
', 'SHADOW', 1, '', 1795348800046001, 1795348800048001);
INSERT INTO policy_version (policy_id, version, name, description, dsl, created_at) VALUES ('p1', 1, 'models', 'd', 'rules: []
', 1795348800046001);
INSERT INTO config_change (version, kind, record_id) VALUES (2, 'tenant', 'acme');
INSERT INTO config_change (version, kind, record_id) VALUES (3, 'tenant', 'globex');
INSERT INTO config_change (version, kind, record_id) VALUES (4, 'key', 'k1');
INSERT INTO config_change (version, kind, record_id) VALUES (5, 'key', 'k2');
INSERT INTO config_change (version, kind, record_id) VALUES (6, 'key', 'k2');
INSERT INTO config_change (version, kind, record_id) VALUES (6, 'key', 'k3');
INSERT INTO config_change (version, kind, record_id) VALUES (7, 'key', 'k4');
INSERT INTO config_change (version, kind, record_id) VALUES (8, 'key', 'k4');
INSERT INTO config_change (version, kind, record_id) VALUES (9, 'policy', 'p1');
INSERT INTO config_change (version, kind, record_id) VALUES (10, 'policy', 'p1');
INSERT INTO config_change (version, kind, record_id) VALUES (11, 'user', 'u1');
INSERT INTO config_change (version, kind, record_id) VALUES (12, 'user', 'u2');
INSERT INTO config_change (version, kind, record_id) VALUES (13, 'access_token', 'pat1');
INSERT INTO config_change (version, kind, record_id) VALUES (14, 'route', 'r1');
INSERT INTO config_change (version, kind, record_id) VALUES (15, 'route', 'r1');
INSERT INTO config_change (version, kind, record_id) VALUES (16, 'price', 'price1');
INSERT INTO config_change (version, kind, record_id) VALUES (17, 'budget', 'b1');
INSERT INTO config_change (version, kind, record_id) VALUES (18, 'license', 'license');
INSERT INTO config_change (version, kind, record_id) VALUES (19, 'webhook', 'w1');
INSERT INTO config_change (version, kind, record_id) VALUES (20, 'guardrail_plugin', 'g1');
INSERT INTO config_change (version, kind, record_id) VALUES (21, 'schema', 's1');
INSERT INTO config_change (version, kind, record_id) VALUES (22, 'chain', 'chain');
INSERT INTO config_change (version, kind, record_id) VALUES (23, 'approval', 'a1');
INSERT INTO config_change (version, kind, record_id) VALUES (24, 'vault_key', 'acme');
INSERT INTO admin_user (id, email, name, password, subject, roles, tenant_id, status, created_at, updated_at, signed_in_at, roles_at) VALUES ('u1', 'owner@acme.test', 'Owner', '$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA', NULL, '["owner"]', NULL, 'active', 1795348800051001, 1795348800051001, 1795348800055001, NULL);
INSERT INTO admin_user (id, email, name, password, subject, roles, tenant_id, status, created_at, updated_at, signed_in_at, roles_at) VALUES ('u2', 'viewer@acme.test', 'Viewer', '', 'https://idp.test 7', '["viewer"]', 'acme', 'disabled', 1795348800053001, 1795348800053001, NULL, 1795348800052001);
INSERT INTO access_token (id, user_id, name, prefix, hash, roles, tenant_id, source, created_at, used_at, expires_at, revoked_at) VALUES ('pat1', 'u1', 'ci', 'hgp_ab', X'68D753F055B1A15B39499FDBBE86D614F986D0E50E62817B38E86B20A0935F82', '["owner"]', '', 'api', 1795348800056001, 1795348800057001, 3057652800034001, NULL);
INSERT INTO session (hash, user_id, created_at, seen_at, expires_at) VALUES (X'3F3AF1ECEBBD1410AB417EC0D27BBFCB5D340E177AE159B59FC8626C2DFD9175', 'u1', 1795348800057001, 1795348800057001, 3057652800034001);
INSERT INTO admin_reply (scope, reply_key, request, sealed, created_at, expires_at) VALUES ('u1', 'idem', X'8E35C2CD3BF6641BDB0E2050B76932CBB2E6034A0DDACC1D9BEA82A6BA57F7CF', X'7365616C6564207265706C79', 1795348800057001, 3057652800034001);
INSERT INTO route (id, model_pattern, strategy, providers, pinned, latency_sla_ms, other_regions, version, created_at, updated_at) VALUES ('r1', 'gpt-*', 'weighted', '[{"provider":"openai","weight":3},{"provider":"azure","weight":1,"model_override":"gpt-4o","region":"eu"}]', '2024-08-06', 0, 1, 2, 1795348800058001, 1795348800060001);
INSERT INTO route_version (route_id, version, model_pattern, strategy, providers, pinned, latency_sla_ms, other_regions, created_at) VALUES ('r1', 1, 'gpt-*', 'weighted', '[{"provider":"openai","weight":3},{"provider":"azure","weight":1,"model_override":"gpt-4o","region":"eu"}]', '2024-08-06', 900, 1, 1795348800058001);
INSERT INTO route_version (route_id, version, model_pattern, strategy, providers, pinned, latency_sla_ms, other_regions, created_at) VALUES ('r1', 2, 'gpt-*', 'weighted', '[{"provider":"openai","weight":3},{"provider":"azure","weight":1,"model_override":"gpt-4o","region":"eu"}]', '2024-08-06', 0, 1, 1795348800060001);
INSERT INTO usage_series (id, tenant_id, key_id, dialect, model_requested, provider, model, outcome, pricing_id, status, streamed) VALUES (1, 'acme', 'k1', 'openai', 'gpt-4o', 'openai', 'gpt-4o-2024-08-06', 'done', 'price1', 200, 1);
INSERT INTO usage_series (id, tenant_id, key_id, dialect, model_requested, provider, model, outcome, pricing_id, status, streamed) VALUES (2, 'acme', 'k1', 'openai', 'gpt-4o', 'openai', 'gpt-4o-2024-08-06', 'done', 'price1', 200, 0);
INSERT INTO usage_series (id, tenant_id, key_id, dialect, model_requested, provider, model, outcome, pricing_id, status, streamed) VALUES (3, 'globex', '', '', '', '', '', 'blocked', '', 403, 0);
INSERT INTO usage_hour (hour, tenant_id, provider, model, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost) VALUES (498708, 'acme', 'openai', 'gpt-4o-2024-08-06', 12, 1, 12, 1266, 306, 120, 60, 22000000, 11000000);
INSERT INTO usage_hour (hour, tenant_id, provider, model, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost) VALUES (498708, 'globex', '', '', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_day (day, tenant_id, provider, model, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost) VALUES (20779, 'acme', 'openai', 'gpt-4o-2024-08-06', 12, 1, 12, 1266, 306, 120, 60, 22000000, 11000000);
INSERT INTO usage_day (day, tenant_id, provider, model, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost) VALUES (20779, 'globex', '', '', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO usage_key_day (day, tenant_id, key_id, provider, model, hours, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost) VALUES (20779, 'acme', 'k1', 'openai', 'gpt-4o-2024-08-06', 4096, 12, 1, 12, 1266, 306, 120, 60, 22000000, 11000000);
INSERT INTO usage_key_day (day, tenant_id, key_id, provider, model, hours, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost) VALUES (20779, 'globex', '', '', '', 4096, 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO price (id, model, provider, input, output, cached, written, reasoning, batch_pct, effective_at, created_at, updated_at) VALUES ('price1', 'gpt-4o*', 'openai', 25000000000, 100000000000, 12500000000, NULL, NULL, 50, 1795348800061001, 1795348800062001, 1795348800062001);
INSERT INTO budget (id, tenant_id, api_key_id, name, period, limit_usd, soft_pct, enabled, version, created_at, updated_at) VALUES ('b1', 'acme', 'k1', 'dev', 'MONTHLY', 10000000000, 80, 1, 1, 1795348800064001, 1795348800064001);
INSERT INTO chargeback_report (id, tenant_id, from_at, to_at, generated_at, generated_by, report, pdf) VALUES ('cb1', 'acme', 1792670400065001, 1795348800065001, 1795348800065001, 'u1', '{"rows":[]}', X'255044462D312E342078');
INSERT INTO audit_segment (node, first_seq, last_seq, first_at, last_at, hash, sig, data) VALUES ('gw-1', 1, 1, 1795348800083001, 1795348800083001, X'F5BB431EEB5B8D262F1A206341D5BFA367CD8E9A11DAD15878633F94D1F4F5E5', X'F4F5142BC3AF191FF69043CB9200322B63749C5E87E2E1FAFCD41A3736AE0959', X'3C00000C434841494E5F4F50454E45447B226E6F6465223A2267772D31222C22636C65616E223A747275652C2270726576696F75735F736571223A307D0585C9E8F490DFD5');
INSERT INTO audit_segment (node, first_seq, last_seq, first_at, last_at, hash, sig, data) VALUES ('gw-1', 2, 16, 1795348800084001, 1795348800091001, X'A41BBDA19E40D286E18B234B0B29FBEFFD403553ED8F8836959F633DEF249D86', X'05CCD23418A84B188B7226055DBDF6BED6A6215CD7EB292F002E44344372A0EE', X'4E000461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D61222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E2061227D80A1CF39CFFCC2B03F000461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D61222C22737461747573223A3230307D5A844CA41B093CE64FE8070461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D62222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E2062227DD91F22C23445A77440E8070461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D62222C22737461747573223A3230307DA27673C22880D4394FD00F0461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D63222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E2063227D567DDC855349A33940D00F0461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D63222C22737461747573223A3230307D5F89755EC2D285A94FB8170461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D64222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E2064227D181E6D4E58B04DDE40B8170461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D64222C22737461747573223A3230307D8DC9C42CDAF289A44FA01F0461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D65222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E2065227D82548D652514CBC140A01F0461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D65222C22737461747573223A3230307DE1FB0444F4E0DD054F88270461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D66222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E2066227DA4DFF5F2BFF3166D4088270461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D66222C22737461747573223A3230307D0B6A1950E626F85B4FF02E0461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D67222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E2067227D8CD829EA45E8D7E040F02E0461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D67222C22737461747573223A3230307D45F766D87F9600188C02D8360010434841494E5F434845434B504F494E547B226E6F6465223A2267772D31222C22736571223A31352C226174223A313739353334383830303039303030312C2268617368223A2230316666656264383466363065306238383161393265333162316563356436383864316238386264633633356262623934323861313266623737316162623837222C226B6579223A2238363732346636343830333764313865222C227369676E6174757265223A22624532385579636B7261415A713053754B5364374744796C49436736617A326F35675467634E4267426746584B3654396C334C794F51726B4B59344B5348675243544F795059536D4F397943423341343565367843773D3D227DFAEE440420FCCD44');
INSERT INTO audit_segment (node, first_seq, last_seq, first_at, last_at, hash, sig, data) VALUES ('gw-1', 17, 26, 1795348800092001, 1795348800096001, X'0C40B4FF18915C2B4D8CBAF43A219D97DF3DDBF1C67E90B271811410F30D861E', X'412695CB6DF4FB0B881860FF4DB5BD6DEF975F0A4951B111BB28D9329E99B4F2', X'4E000461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D68222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E2068227DD98AD6A107CD3F553F000461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D68222C22737461747573223A3230307D573FA064AFC3029B4FE8070461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D69222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E2069227DCECB1950581E1CF240E8070461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D69222C22737461747573223A3230307DB57733D1C49CA89C4FD00F0461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D6A222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E206A227DDF8B3BA75DBEE1F840D00F0461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D6A222C22737461747573223A3230307DED7558DAB31F5D9C4FB8170461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D6B222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E206B227D6966805C64BFCFE240B8170461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D6B222C22737461747573223A3230307DE21FA2811C24740B4FA01F0461636D650F474154455741595F524551554553547B22726571756573745F6964223A2265786368616E67652D6C222C226E6F7465223A22C3BC205C2271756F7465645C22203C623E206C227DDF49231C66C80BAF40A01F0461636D6510474154455741595F524553504F4E53457B22726571756573745F6964223A2265786368616E67652D6C222C22737461747573223A3230307D281519D5185494DF');
INSERT INTO audit_segment (node, first_seq, last_seq, first_at, last_at, hash, sig, data) VALUES ('gw-1', 27, 28, 1795348800097001, 1795348800098001, X'D0F4FF1F45A86E166B89312FA9E0B447F0255F4024132A5B91A7A5084948E3EC', X'6E101B5C25DF1C9FE18900738BCCB6092CC0E0AD8355684B531F4C783D445A67', X'1100000C434841494E5F434C4F5345447B7DBE3B2C823337F8D28C02E8070010434841494E5F434845434B504F494E547B226E6F6465223A2267772D31222C22736571223A32372C226174223A313739353334383830303039373030312C2268617368223A2232343766306637373339383432383164393361653537656232306365616637353233366139326465663132336136326432373135396136656633393763633561222C226B6579223A2238363732346636343830333764313865222C227369676E6174757265223A2266454E4B30673649336C4264332F6B7850514E6B4531455231384F526F4C474641417433574F76614A72486B364A51736B564A686D4E626173704453394E4B6637336541493674646A396F526B53755041416E2F41673D3D227D3DC356FD2CFFE611');
INSERT INTO audit_head (node, seq, at, hash, sig) VALUES ('gw-1', 28, 1795348800098001, X'D0F4FF1F45A86E166B89312FA9E0B447F0255F4024132A5B91A7A5084948E3EC', X'2DAC79DBC9BD577E09537448F2DE5C79E507C6D597D4D9A5EC088280A8F7F688');
INSERT INTO audit_checkpoint (node, seq, first_seq, at, marks) VALUES ('gw-1', 16, 1, 1795348800091001, X'050C5D1F1C7F2E1B5A76E6DD7FED7477A4406229C53706E7C6A4B0C4DCF9F67D');
INSERT INTO audit_checkpoint (node, seq, first_seq, at, marks) VALUES ('gw-1', 28, 17, 1795348800098001, X'050C5D1F1C7F2E1B5A76E6DD7FED747796F31781A4406229C53706E7DCF9F67D');
INSERT INTO license (one, file, installed_at, installed_by) VALUES (1, X'6C6963656E6365', 1795348800065001, 'u1');
INSERT INTO license_state (one, before, state, digest, changed_at, told, seen_at) VALUES (1, 'NONE', 'VALID', 'd', 1795348800066001, 1, 1795348800066001);
INSERT INTO governed_call (month, node, calls) VALUES ('2026-11', 'gw-1', 12);
INSERT INTO compliance_report (id, type, tenant_id, from_at, to_at, generated_at, generated_by, sections, proof, pdf) VALUES ('cr1', 'SOC2', 'acme', 1792670400065001, 1795348800065001, 1795348800065001, 'u1', '[{"title":"x"}]', '{}', X'255044462D312E342079');
INSERT INTO webhook (id, tenant_id, name, url, secret, previous, previous_until, event_types, enabled, version, created_at, updated_at) VALUES ('w1', 'acme', 'siem', 'https://siem.acme.test/x', X'7365616C6564', X'6265666F7265', 3057652800034001, '["POLICY_DENIAL","PII_DETECTED"]', 1, 1, 1795348800067001, 1795348800067001);
INSERT INTO webhook_event (id, type, tenant_id, data, at) VALUES ('e1', 'POLICY_DENIAL', 'acme', '{"request_id":"r"}', 1795348800068001);
INSERT INTO webhook_event (id, type, tenant_id, data, at) VALUES ('e2', 'PII_DETECTED', 'acme', '{"request_id":"s"}', 1795348800068001);
INSERT INTO webhook_delivery (id, webhook_id, event_id, state, attempts, failures, queued_at, due_at, lease, lease_until, ended_at) VALUES ('0e221d3239084509478eb1d2aa4b69c4', 'w1', 'e1', 'delivered', 1, 0, 1795348800069001, -62135596800000000, '', 0, 1795348801071001);
INSERT INTO webhook_delivery (id, webhook_id, event_id, state, attempts, failures, queued_at, due_at, lease, lease_until, ended_at) VALUES ('454344583b9f0ef0a5e1743a020a745b', 'w1', 'e2', 'pending', 0, 0, 1795348800070001, 1795348800070001, '', 0, NULL);
INSERT INTO webhook_attempt (delivery_id, attempt, at, status, duration, error) VALUES ('0e221d3239084509478eb1d2aa4b69c4', 1, 1795348800071001, 204, 1000000, '');
INSERT INTO guardrail_plugin (id, tenant_id, name, url, secret, previous, previous_until, timeout_ms, fail_mode, mode, enabled, version, created_at, updated_at) VALUES ('g1', 'acme', 'guard', 'https://guard.acme.test', X'7365616C6564', NULL, NULL, 500, 'CLOSED', 'shadow', 1, 1, 1795348800072001, 1795348800072001);
INSERT INTO output_schema (id, model_pattern, route_id, schema, max_retries, correction_prompt, enabled, version, created_at, updated_at) VALUES ('s1', 'gpt-*', '', '{"type":"object"}', 2, 'again', 1, 1, 1795348800074001, 1795348800074001);
INSERT INTO chain_layout (version, layout, actor, created_at) VALUES (1, '{"links":[]}', 'u1', 1795348800076001);
INSERT INTO approval (id, kind, tenant_id, status, subject, digest, reason, requester, approver, created_at, decided_at, expires_at, scope, note) VALUES ('a1', 'vault_reveal', 'acme', 'approved', '{"token":"x"}', X'CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB', 'why', 'u2', 'u1', 1795348800078001, 1795348800078001, 3057652800034001, '', 'yes');
INSERT INTO fleet_node (name, version, seen_at) VALUES ('node-b', 3, 1795348800082001);
INSERT INTO fleet_cursor (node, kind, upto) VALUES ('node-b', 'usage', 4);
INSERT INTO policy_shadow_event (id, policy_id, rule_id, request_id, tenant_id, model, active, shadow, divergence, at) VALUES (1, 'p1', 'r', 'req', 'acme', 'gpt-4o', 'ALLOW', 'DENY', 'shadow_deny_active_allow', 1795348800049001);
INSERT INTO spent (hash, expires_at) VALUES (X'200651A8B2D5912F692DB89468A7D47D86A3ED6844F48F1B15F2BE1D9C9A7E5E', 3057652800034001);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922480, 'blocked', 0, 1, 0);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922480, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922481, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922482, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922483, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922484, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922485, 'done', 18, 1, 0);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922486, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922487, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922488, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922489, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922490, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, '', 29922491, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922480, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922481, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922482, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922483, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922484, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922485, 'done', 18, 1, 0);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922486, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922487, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922488, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922489, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922490, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'acme', 29922491, 'done', 18, 1, 3000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (60, 'globex', 29922480, 'blocked', 0, 1, 0);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (3600, '', 498708, 'blocked', 0, 1, 0);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (3600, '', 498708, 'done', 18, 12, 33000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (3600, 'acme', 498708, 'done', 18, 12, 33000000);
INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES (3600, 'globex', 498708, 'blocked', 0, 1, 0);
