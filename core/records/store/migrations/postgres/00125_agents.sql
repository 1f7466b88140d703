-- +goose Up
-- The agents that are records, by name. headers holds the sealed values of the headers in header_names.
CREATE TABLE agent (
  id           TEXT PRIMARY KEY,
  url          TEXT NOT NULL,
  card_url     TEXT NOT NULL,
  headers      BYTEA,
  header_names TEXT NOT NULL,
  trust        TEXT NOT NULL,
  access       TEXT NOT NULL,
  price        BIGINT NOT NULL,
  enabled      BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  updated_at   BIGINT NOT NULL
);

-- +goose Down
DROP TABLE agent;
