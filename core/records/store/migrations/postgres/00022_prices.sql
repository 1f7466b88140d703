-- +goose Up
-- Entries of the price list. Prices are in units of 1e-10 USD for a million tokens; one that is null is that of input, or
-- of output. effective_at is when it comes into force.
CREATE TABLE price (
  id           TEXT COLLATE "C" PRIMARY KEY,
  model        TEXT COLLATE "C" NOT NULL,
  provider     TEXT COLLATE "C" NOT NULL,
  input        BIGINT NOT NULL,
  output       BIGINT NOT NULL,
  cached       BIGINT,
  written      BIGINT,
  reasoning    BIGINT,
  batch_pct    BIGINT,
  effective_at BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  updated_at   BIGINT NOT NULL
);

-- +goose Down
DROP TABLE price;
