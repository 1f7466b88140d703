-- +goose Up
-- The definitions of agents' tools: the trusted one, and another one that the server offers. id is server/tool.
CREATE TABLE tool_pin (
  id             TEXT PRIMARY KEY,
  server         TEXT NOT NULL,
  tool           TEXT NOT NULL,
  state          TEXT NOT NULL,
  digest         TEXT NOT NULL,
  definition     TEXT NOT NULL,
  offered_digest TEXT NOT NULL,
  offered        TEXT NOT NULL,
  drifted_at     BIGINT,
  decided_at     BIGINT,
  decided_by     TEXT NOT NULL,
  version        BIGINT NOT NULL,
  created_at     BIGINT NOT NULL,
  updated_at     BIGINT NOT NULL
);

-- +goose Down
DROP TABLE tool_pin;
