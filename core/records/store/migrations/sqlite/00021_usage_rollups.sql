-- +goose Up
-- Sums over usage records. They are written in the transaction of each batch of records, so that they never differ from
-- what the records sum up to, and can be made anew from them (headgate costs rebuild).
--
-- calls counts all exchanges, requests those that used tokens, unpriced those of them whose price was not known. Hours and
-- days are counted from 1970 UTC. hours has a bit for each hour of the day in which there are records.
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

CREATE INDEX usage_key_day_key ON usage_key_day (key_id, day);

INSERT INTO usage_hour (hour, tenant_id, provider, model, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost)
SELECT at / 3600000000, tenant_id, provider, model,
  count(*), CAST(coalesce(sum(CASE WHEN input_tokens IS NOT NULL AND cost IS NULL THEN 1 ELSE 0 END), 0) AS INTEGER), count(input_tokens),
  CAST(coalesce(sum(input_tokens), 0) AS INTEGER), CAST(coalesce(sum(output_tokens), 0) AS INTEGER),
  CAST(coalesce(sum(cached_tokens), 0) AS INTEGER), CAST(coalesce(sum(reasoning_tokens), 0) AS INTEGER),
  CAST(coalesce(sum(input_cost), 0) AS INTEGER), CAST(coalesce(sum(cost), 0) - coalesce(sum(input_cost), 0) AS INTEGER)
FROM usage_exchange GROUP BY at / 3600000000, tenant_id, provider, model;
INSERT INTO usage_day (day, tenant_id, provider, model, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost)
SELECT at / 86400000000, tenant_id, provider, model,
  count(*), CAST(coalesce(sum(CASE WHEN input_tokens IS NOT NULL AND cost IS NULL THEN 1 ELSE 0 END), 0) AS INTEGER), count(input_tokens),
  CAST(coalesce(sum(input_tokens), 0) AS INTEGER), CAST(coalesce(sum(output_tokens), 0) AS INTEGER),
  CAST(coalesce(sum(cached_tokens), 0) AS INTEGER), CAST(coalesce(sum(reasoning_tokens), 0) AS INTEGER),
  CAST(coalesce(sum(input_cost), 0) AS INTEGER), CAST(coalesce(sum(cost), 0) - coalesce(sum(input_cost), 0) AS INTEGER)
FROM usage_exchange GROUP BY at / 86400000000, tenant_id, provider, model;
INSERT INTO usage_key_day (day, tenant_id, key_id, provider, model, hours, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost)
SELECT at / 86400000000, tenant_id, key_id, provider, model, CAST(sum(DISTINCT 1 << CAST((at / 3600000000) % 24 AS INTEGER)) AS INTEGER),
  count(*), CAST(coalesce(sum(CASE WHEN input_tokens IS NOT NULL AND cost IS NULL THEN 1 ELSE 0 END), 0) AS INTEGER), count(input_tokens),
  CAST(coalesce(sum(input_tokens), 0) AS INTEGER), CAST(coalesce(sum(output_tokens), 0) AS INTEGER),
  CAST(coalesce(sum(cached_tokens), 0) AS INTEGER), CAST(coalesce(sum(reasoning_tokens), 0) AS INTEGER),
  CAST(coalesce(sum(input_cost), 0) AS INTEGER), CAST(coalesce(sum(cost), 0) - coalesce(sum(input_cost), 0) AS INTEGER)
FROM usage_exchange GROUP BY at / 86400000000, tenant_id, key_id, provider, model;

-- +goose Down
DROP TABLE usage_key_day;
DROP TABLE usage_day;
DROP TABLE usage_hour;
