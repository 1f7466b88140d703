-- +goose Up
-- Budgets that were made by the administrative API. tenant_id and api_key_id are empty where the budget holds for all.
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

-- +goose Down
DROP TABLE budget;
