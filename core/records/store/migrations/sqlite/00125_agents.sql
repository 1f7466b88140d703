-- +goose Up
-- The agents that are records, by name. headers holds the sealed values of the headers in header_names.
CREATE TABLE agent (
  id           TEXT PRIMARY KEY,
  url          TEXT NOT NULL,
  card_url     TEXT NOT NULL,
  headers      BLOB,
  header_names TEXT NOT NULL,
  trust        TEXT NOT NULL,
  access       TEXT NOT NULL,
  price        INTEGER NOT NULL,
  enabled      INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE agent;
