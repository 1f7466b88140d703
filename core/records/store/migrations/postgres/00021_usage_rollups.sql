-- +goose Up
-- Sums over usage records. They are written in the transaction of each batch of records, so that they never differ from
-- what the records sum up to, and can be made anew from them (headgate costs rebuild).
--
-- calls counts all exchanges, requests those that used tokens, unpriced those of them whose price was not known. Hours and
-- days are counted from 1970 UTC. hours has a bit for each hour of the day in which there are records.
CREATE TABLE usage_hour (
  hour             BIGINT NOT NULL,
  tenant_id        TEXT COLLATE "C" NOT NULL,
  provider         TEXT COLLATE "C" NOT NULL,
  model            TEXT COLLATE "C" NOT NULL,
  calls            BIGINT NOT NULL,
  unpriced         BIGINT NOT NULL,
  requests         BIGINT NOT NULL,
  input_tokens     BIGINT NOT NULL,
  output_tokens    BIGINT NOT NULL,
  cached_tokens    BIGINT NOT NULL,
  reasoning_tokens BIGINT NOT NULL,
  input_cost       BIGINT NOT NULL,
  output_cost      BIGINT NOT NULL,
  PRIMARY KEY (hour, tenant_id, provider, model)
);

CREATE TABLE usage_day (
  day              BIGINT NOT NULL,
  tenant_id        TEXT COLLATE "C" NOT NULL,
  provider         TEXT COLLATE "C" NOT NULL,
  model            TEXT COLLATE "C" NOT NULL,
  calls            BIGINT NOT NULL,
  unpriced         BIGINT NOT NULL,
  requests         BIGINT NOT NULL,
  input_tokens     BIGINT NOT NULL,
  output_tokens    BIGINT NOT NULL,
  cached_tokens    BIGINT NOT NULL,
  reasoning_tokens BIGINT NOT NULL,
  input_cost       BIGINT NOT NULL,
  output_cost      BIGINT NOT NULL,
  PRIMARY KEY (day, tenant_id, provider, model)
);

CREATE TABLE usage_key_day (
  day              BIGINT NOT NULL,
  tenant_id        TEXT COLLATE "C" NOT NULL,
  key_id           TEXT COLLATE "C" NOT NULL,
  provider         TEXT COLLATE "C" NOT NULL,
  model            TEXT COLLATE "C" NOT NULL,
  hours            BIGINT NOT NULL,
  calls            BIGINT NOT NULL,
  unpriced         BIGINT NOT NULL,
  requests         BIGINT NOT NULL,
  input_tokens     BIGINT NOT NULL,
  output_tokens    BIGINT NOT NULL,
  cached_tokens    BIGINT NOT NULL,
  reasoning_tokens BIGINT NOT NULL,
  input_cost       BIGINT NOT NULL,
  output_cost      BIGINT NOT NULL,
  PRIMARY KEY (day, tenant_id, key_id, provider, model)
);

CREATE INDEX usage_key_day_key ON usage_key_day (key_id, day);

INSERT INTO usage_hour (hour, tenant_id, provider, model, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost)
SELECT at / 3600000000, tenant_id, provider, model,
  count(*), CAST(coalesce(sum(CASE WHEN input_tokens IS NOT NULL AND cost IS NULL THEN 1 ELSE 0 END), 0) AS BIGINT), count(input_tokens),
  CAST(coalesce(sum(input_tokens), 0) AS BIGINT), CAST(coalesce(sum(output_tokens), 0) AS BIGINT),
  CAST(coalesce(sum(cached_tokens), 0) AS BIGINT), CAST(coalesce(sum(reasoning_tokens), 0) AS BIGINT),
  CAST(coalesce(sum(input_cost), 0) AS BIGINT), CAST(coalesce(sum(cost), 0) - coalesce(sum(input_cost), 0) AS BIGINT)
FROM usage_exchange GROUP BY at / 3600000000, tenant_id, provider, model;
INSERT INTO usage_day (day, tenant_id, provider, model, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost)
SELECT at / 86400000000, tenant_id, provider, model,
  count(*), CAST(coalesce(sum(CASE WHEN input_tokens IS NOT NULL AND cost IS NULL THEN 1 ELSE 0 END), 0) AS BIGINT), count(input_tokens),
  CAST(coalesce(sum(input_tokens), 0) AS BIGINT), CAST(coalesce(sum(output_tokens), 0) AS BIGINT),
  CAST(coalesce(sum(cached_tokens), 0) AS BIGINT), CAST(coalesce(sum(reasoning_tokens), 0) AS BIGINT),
  CAST(coalesce(sum(input_cost), 0) AS BIGINT), CAST(coalesce(sum(cost), 0) - coalesce(sum(input_cost), 0) AS BIGINT)
FROM usage_exchange GROUP BY at / 86400000000, tenant_id, provider, model;
INSERT INTO usage_key_day (day, tenant_id, key_id, provider, model, hours, calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost)
SELECT at / 86400000000, tenant_id, key_id, provider, model, CAST(sum(DISTINCT 1 << CAST((at / 3600000000) % 24 AS INT)) AS BIGINT),
  count(*), CAST(coalesce(sum(CASE WHEN input_tokens IS NOT NULL AND cost IS NULL THEN 1 ELSE 0 END), 0) AS BIGINT), count(input_tokens),
  CAST(coalesce(sum(input_tokens), 0) AS BIGINT), CAST(coalesce(sum(output_tokens), 0) AS BIGINT),
  CAST(coalesce(sum(cached_tokens), 0) AS BIGINT), CAST(coalesce(sum(reasoning_tokens), 0) AS BIGINT),
  CAST(coalesce(sum(input_cost), 0) AS BIGINT), CAST(coalesce(sum(cost), 0) - coalesce(sum(input_cost), 0) AS BIGINT)
FROM usage_exchange GROUP BY at / 86400000000, tenant_id, key_id, provider, model;

-- +goose Down
DROP TABLE usage_key_day;
DROP TABLE usage_day;
DROP TABLE usage_hour;
