-- +goose Up
-- Which price an exchange was reckoned with repeats like the rest of its series. Of the cost of a record the part that
-- input has is kept; of records before this migration it is null, and all of their cost counts as that of output.
CREATE TABLE usage_series_priced (
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
INSERT INTO usage_series_priced SELECT id, tenant_id, key_id, dialect, model_requested, provider, model, outcome, '', status, streamed
  FROM usage_series;
DROP VIEW usage_exchange;
DROP TABLE usage_series;
ALTER TABLE usage_series_priced RENAME TO usage_series;
ALTER TABLE usage_record ADD COLUMN input_cost INTEGER;
CREATE INDEX usage_series_key ON usage_series (key_id);
-- For spans of time; with the series, so that records of others are passed over without being read.
CREATE INDEX usage_record_at ON usage_record (at, series_id);

CREATE VIEW usage_exchange AS SELECT
  r.id, r.at, iif(typeof(r.exchange_id) = 'blob', lower(hex(r.exchange_id)), r.exchange_id) AS exchange_id,
  s.tenant_id, s.key_id, r.end_user, s.dialect, s.model_requested, s.provider, s.model, s.outcome, s.status, s.streamed,
  r.input_tokens, r.output_tokens, r.cached_tokens, r.reasoning_tokens, r.estimated, r.cost, r.latency_ms, r.ttfb_ms,
  r.input_cost, s.pricing_id, r.series_id
FROM usage_record AS r JOIN usage_series AS s ON s.id = r.series_id;

-- +goose Down
DROP VIEW usage_exchange;
DROP INDEX usage_record_at;
ALTER TABLE usage_record DROP COLUMN input_cost;
CREATE TABLE usage_series_plain (
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
-- Records of series that differ in their price alone go to the first of them.
UPDATE usage_record SET series_id = (
  SELECT min(b.id) FROM usage_series AS a JOIN usage_series AS b USING (tenant_id, key_id, dialect, model_requested, provider,
    model, outcome, status, streamed) WHERE a.id = usage_record.series_id);
INSERT INTO usage_series_plain SELECT min(id), tenant_id, key_id, dialect, model_requested, provider, model, outcome, status, streamed
  FROM usage_series GROUP BY tenant_id, key_id, dialect, model_requested, provider, model, outcome, status, streamed;
DROP TABLE usage_series;
ALTER TABLE usage_series_plain RENAME TO usage_series;
CREATE VIEW usage_exchange AS SELECT
  r.id, r.at, iif(typeof(r.exchange_id) = 'blob', lower(hex(r.exchange_id)), r.exchange_id) AS exchange_id,
  s.tenant_id, s.key_id, r.end_user, s.dialect, s.model_requested, s.provider, s.model, s.outcome, s.status, s.streamed,
  r.input_tokens, r.output_tokens, r.cached_tokens, r.reasoning_tokens, r.estimated, r.cost, r.latency_ms, r.ttfb_ms
FROM usage_record AS r JOIN usage_series AS s ON s.id = r.series_id;
