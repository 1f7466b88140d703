-- +goose Up
-- Entries of the price list. Prices are in units of 1e-10 USD for a million tokens; one that is null is that of input, or
-- of output. effective_at is when it comes into force.
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

-- +goose Down
DROP TABLE price;
