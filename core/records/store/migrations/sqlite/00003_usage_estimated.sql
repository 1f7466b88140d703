-- Tokens of an exchange that ended before its provider had counted them are the gateway's own estimate.

-- +goose Up
ALTER TABLE usage_record ADD COLUMN estimated INTEGER;

DROP VIEW usage_exchange;
CREATE VIEW usage_exchange AS SELECT
  r.id, r.at, iif(typeof(r.exchange_id) = 'blob', lower(hex(r.exchange_id)), r.exchange_id) AS exchange_id,
  s.tenant_id, s.key_id, r.end_user, s.dialect, s.model_requested, s.provider, s.model, s.outcome, s.status, s.streamed,
  r.input_tokens, r.output_tokens, r.cached_tokens, r.reasoning_tokens, r.estimated, r.latency_ms, r.ttfb_ms
FROM usage_record AS r JOIN usage_series AS s ON s.id = r.series_id;

-- +goose Down
DROP VIEW usage_exchange;
ALTER TABLE usage_record DROP COLUMN estimated;
CREATE VIEW usage_exchange AS SELECT
  r.id, r.at, iif(typeof(r.exchange_id) = 'blob', lower(hex(r.exchange_id)), r.exchange_id) AS exchange_id,
  s.tenant_id, s.key_id, r.end_user, s.dialect, s.model_requested, s.provider, s.model, s.outcome, s.status, s.streamed,
  r.input_tokens, r.output_tokens, r.cached_tokens, r.reasoning_tokens, r.latency_ms, r.ttfb_ms
FROM usage_record AS r JOIN usage_series AS s ON s.id = r.series_id;
