-- +goose Up
-- Budgets that were made by the administrative API. tenant_id and api_key_id are empty where the budget holds for all.
CREATE TABLE budget (
  id         TEXT COLLATE "C" PRIMARY KEY,
  tenant_id  TEXT COLLATE "C" NOT NULL,
  api_key_id TEXT COLLATE "C" NOT NULL,
  name       TEXT NOT NULL,
  period     TEXT NOT NULL,
  limit_usd  BIGINT NOT NULL,
  soft_pct   BIGINT NOT NULL,
  enabled    BIGINT NOT NULL,
  version    BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE budget;
